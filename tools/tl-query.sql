-- @about what the database was made of, how many records it has
select key, value
from tl_meta
order by key;

-- @notes what was dropped, guessed or is missing, gravest first
select severity, code, count, text
from tl_note
order by case severity when 'error' then 0 when 'warn' then 1 else 2 end, line;
