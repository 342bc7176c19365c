-- @about what the database was made of, how many records it has
select key, value
from tl_meta
order by key;

-- @notes what was dropped, guessed or is missing, gravest first
select severity, code, count, text
from tl_note
order by case severity when 'error' then 0 when 'warn' then 1 else 2 end, line;

-- @kernels kernels by the time they take, all of one name together
-- -p scope=NULL only of this process and device, such as 4242:0
-- -p class=NULL only compute, or comm
select n.text as name, c.name as class, count(*) as events,
	sum(e.dur_ns) as total_ns, sum(e.dur_ns) / count(e.dur_ns) as mean_ns,
	min(e.dur_ns) as min_ns, max(e.dur_ns) as max_ns,
	round(100.0 * sum(e.dur_ns) / sum(sum(e.dur_ns)) over (), 1) as percent
from tl_event e
	join tl_kind k using (kind)
	join tl_class c using (class)
	join tl_lane l using (lane)
	left join tl_scope s using (scope)
	left join tl_name n using (name)
	left join tl_keys using (keys)
where k.name in ('kernel', 'task', 'graph') and detail is null
	and (:scope is null or s.name = :scope)
	and (:class is null or c.name = :class)
group by n.text, c.name
order by total_ns desc, n.text, c.name;

-- @copies copies and fills by direction and memory: how many, bytes, time
-- -p scope=NULL only of this process and device
select k.name as kind, copy as direction, count(*) as events,
	sum(bytes) as bytes, sum(bytes is null) as without_bytes,
	sum(e.dur_ns) as total_ns, max(e.dur_ns) as max_ns,
	round(sum(bytes * 1.0) / sum(iif(bytes is null, 0, e.dur_ns)), 2)
	as gb_per_s
from tl_event e
	join tl_kind k using (kind)
	join tl_lane l using (lane)
	left join tl_scope s using (scope)
	left join tl_keys using (keys)
where k.name in ('memcpy', 'memset') and detail is null
	and (:scope is null or s.name = :scope)
group by k.name, copy
order by total_ns desc, k.name, copy;

-- @gaps when a device had nothing to do, longest first, and what came then
-- -p scope=NULL only of this process and device
-- -p top=20 how many
with work as (
	select e.event, l.scope, e.start_ns, e.name,
		max(e.start_ns + coalesce(e.dur_ns, 0)) over (
			partition by l.scope order by e.event
			rows between unbounded preceding and 1 preceding)
		as before_ns
	from tl_event e
		join tl_kind k using (kind)
		join tl_lane l using (lane)
		left join tl_keys using (keys)
	where k.name in ('kernel', 'memcpy', 'memset', 'graph', 'task')
		and detail is null
)
select s.name as scope, w.before_ns as start_ns,
	w.start_ns - w.before_ns as idle_ns, w.event as next_event,
	iif(p.number is null, null, printf('N%03d', p.number))
	as next_position, n.text as next_name
from work w
	join tl_scope s using (scope)
	left join tl_name n using (name)
	left join tl_real r using (event)
	left join tl_position p on p.position = r.position
where w.start_ns > w.before_ns and (:scope is null or s.name = :scope)
order by idle_ns desc, w.event
limit :top;

-- @host calls of the host by the time they take, or operators, or ranges
-- -p kind='api' or op, range, python, mark
select n.text as name, count(*) as events, sum(e.dur_ns) as total_ns,
	sum(e.dur_ns) / count(e.dur_ns) as mean_ns, max(e.dur_ns) as max_ns,
	sum(e.dur_ns is null) as without_end
from tl_event e
	join tl_kind k using (kind)
	left join tl_name n using (name)
where k.name = :kind
group by n.text
order by total_ns desc, n.text;
