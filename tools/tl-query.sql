-- @about what the database was made of, how many records it has
select key, value
from tl_meta
order by key;

-- @notes what was not measured, dropped or guessed, and why, gravest first
select severity, code, count, why
from not_measured
order by case severity when 'error' then 0 when 'warn' then 1 else 2 end;

-- @loops loops, the one that covers most time first, with what an iteration costs
-- -p scope=NULL only of this process and device, such as 4242:0
select l.scope, l.pos, l.depth, l.iterations, l.occurrences, l.body_events,
	l.total_ns, round(100.0 * l.total_ns / root.span_ns, 1) as percent,
	l.iter_min_ns, l.iter_median_ns, l.iter_max_ns
from loops l
	join positions root on root.scope = l.scope and root.pos = 'N001'
where :scope is null or l.scope = :scope
order by l.total_ns desc, l.position;

-- @iterations each iteration of a loop: when, how long, and what it costs
-- -p pos:loop the loop, such as N002
-- -p scope=NULL only of this process and device
select scope, name, iteration_name, complete, start_ns, period_ns, span_ns,
	gap_ns, round(100.0 * times_median, 1) as percent_of_median, outlier,
	busy_ns, idle_ns, compute_ns, comm_exposed_ns, copy_exposed_ns
from iterations
where pos = :pos and (:scope is null or scope = :scope)
order by occurrence;

-- @outliers iterations that took much longer than the median of their loop
-- -p percent=125 of the median, or more
-- -p scope=NULL only of this process and device
select scope, name, iteration_name, start_ns, period_ns, iter_median_ns,
	period_ns - iter_median_ns as longer_ns,
	round(100.0 * times_median, 1) as percent_of_median,
	gap_ns, idle_ns, comm_exposed_ns
from iterations
where complete and 100.0 * times_median >= :percent
	and (:scope is null or scope = :scope)
order by longer_ns desc, occurrence;

-- @variants what the iterations of a loop come in: how many have which deviations
-- -p scope=NULL only of this process and device
select s.name as scope, printf('N%03d', p.number) as pos,
	v.number as variant, v.count as iterations,
	iif(o.n is null, null, printf('N%03d#%d', p.number, o.n)) as first,
	v.extra, v.missing, v.replaced, v.period_ns, v.span_ns, v.busy_ns,
	v.idle_ns
from tl_variant v
	join tl_position p using (position)
	join tl_scope s using (scope)
	left join tl_occurrence o on o.occurrence = v.first
where :scope is null or s.name = :scope
order by v.line;

-- @compare two occurrences of a loop or position, kind of event by kind of event
-- -p pos such as N002
-- -p a:occurrence one of it: N002#5, its number 5 alone, or iteration N002/4
-- -p b:occurrence the other one
-- -p scope=NULL only of this process and device
with recursive below (side, occurrence) as (
	select iif(o.n = :a, 'a', 'b'), o.occurrence
	from tl_occurrence o
		join tl_position p using (position)
		join tl_scope s using (scope)
	where printf('N%03d', p.number) = :pos and o.n in (:a, :b)
		and (:scope is null or s.name = :scope)
	union all
	select side, o.occurrence
	from below
		join tl_occurrence o on o.parent = below.occurrence
),
found as (
	select side, r.position, e.dur_ns
	from below
		join tl_real r using (occurrence)
		join tl_event e using (event)
)
select s.name as scope, printf('N%03d', p.number) as pos,
	sum(side = 'a') as events_a, sum(side = 'b') as events_b,
	sum(iif(side = 'a', f.dur_ns, 0)) as sum_a_ns,
	sum(iif(side = 'b', f.dur_ns, 0)) as sum_b_ns,
	sum(iif(side = 'b', f.dur_ns, -f.dur_ns)) as longer_ns, n.text as label
from found f
	join tl_position p using (position)
	join tl_scope s using (scope)
	left join tl_name n on n.name = p.label
group by p.position
order by abs(longer_ns) desc, p.position;

-- @positions the tree: every position with its medians, in its order
-- -p scope=NULL only of this process and device
-- -p depth=NULL down to this depth only; the root has 0
select scope, pos, parent, depth, kind, iterations, body_events, occurrences,
	span_ns, busy_ns, compute_ns, comm_exposed_ns, copy_exposed_ns, idle_ns,
	label
from positions
where (:scope is null or scope = :scope)
	and (:depth is null or depth <= :depth)
order by position;

-- @slowest the slowest events of a position, to its median
-- -p pos:event an event's, such as N013
-- -p scope=NULL only of this process and device
-- -p top=20 how many
select s.name as scope, e.event, e.start_ns, e.dur_ns,
	p.span_ns as median_ns,
	round(100.0 * e.dur_ns / p.span_ns, 1) as percent_of_median,
	iif(o.n is null, null, printf('N%03d#%d', u.number, o.n)) as lies_in,
	r.iteration, n.text as name
from tl_position p
	join tl_scope s using (scope)
	join tl_real r using (position)
	join tl_event e using (event)
	left join tl_occurrence o on o.occurrence = r.occurrence
	left join tl_position u on u.position = o.position
	left join tl_name n on n.name = e.name
where printf('N%03d', p.number) = :pos
	and (:scope is null or s.name = :scope)
order by e.dur_ns desc, e.event
limit :top;

-- @exposed communication that no computation hides, by position, most first
-- -p scope=NULL only of this process and device
select scope, pos, occurrences, comm_exposed_ns, estimate_ns, comm_ns,
	round(100.0 * fraction, 1) as percent_exposed, label
from exposed_communication
where kind = 'event' and (:scope is null or scope = :scope)
order by estimate_ns desc, position;

-- @delay from the call to the start on the device, by position, longest first
-- -p scope=NULL only of this process and device
select scope, pos, events, events - known as without_call, least_ns, median_ns,
	greatest_ns, label
from launch_delay_by_position
where :scope is null or scope = :scope
order by median_ns desc, position;

-- @streams streams of each device: how many events, how busy, how much of the time
-- -p scope=NULL only of this process and device
select l.scope, l.context, l.stream, l.events, l.kernels, l.copies, l.start_ns,
	l.span_ns, l.busy_ns, l.sum_ns,
	round(100.0 * l.busy_ns / root.span_ns, 1) as percent_of_wall
from streams l
	left join positions root on root.scope = l.scope and root.pos = 'N001'
where :scope is null or l.scope = :scope
order by l.scope, l.busy_ns desc, l.lane;

-- @gaps when a device had nothing to do, longest first; what came then, and what of the structure
-- -p scope=NULL only of this process and device
-- -p top=20 how many
with work as (
	select e.event, l.scope, e.start_ns, e.name, k.name as kind, r.position,
		max(e.start_ns + coalesce(e.dur_ns, 0)) over (
			partition by l.scope order by e.event
			rows between unbounded preceding and 1 preceding)
		as before_ns,
		min(iif(r.position is null, null, e.event)) over (
			partition by l.scope order by e.event desc
			rows between unbounded preceding and current row)
		as member
	from tl_event e
		join tl_kind k using (kind)
		join tl_lane l using (lane)
		left join tl_keys using (keys)
		left join tl_real r using (event)
	where k.name in ('kernel', 'memcpy', 'memset', 'graph', 'task')
		and detail is null
)
select s.name as scope, w.before_ns as start_ns,
	w.start_ns - w.before_ns as idle_ns, w.event as next_event,
	w.kind as next_kind,
	iif(p.number is null, null, printf('N%03d', p.number)) as next_pos,
	n.text as next_name, w.member as then_event,
	iif(q.number is null, null, printf('N%03d', q.number)) as then_pos,
	m.text as then_name
from work w
	join tl_scope s using (scope)
	left join tl_name n using (name)
	left join tl_position p on p.position = w.position
	left join tl_real r on r.event = w.member
	left join tl_position q on q.position = r.position
	left join tl_event e on e.event = w.member
	left join tl_name m on m.name = e.name
where w.start_ns > w.before_ns and (:scope is null or s.name = :scope)
order by idle_ns desc, w.event
limit :top;

-- @kernels kernels by the time they take, all of one name together
-- -p scope=NULL only of this process and device, such as 4242:0
-- -p class=NULL only compute, or comm
select n.text as name, c.name as class, count(*) as events,
	sum(e.dur_ns) as total_ns, sum(e.dur_ns) / count(e.dur_ns) as mean_ns,
	min(e.dur_ns) as min_ns, max(e.dur_ns) as max_ns,
	round(100.0 * sum(e.dur_ns) / sum(sum(e.dur_ns)) over (), 1)
	as percent_of_kernel_time
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

-- @replays graph launches by what they replayed and how much of it is there
select unit, status, reason, count(*) as launches, sum(members) as members,
	sum(missing) as missing, sum(dur_ns) as total_ns, min(dur_ns) as min_ns,
	max(dur_ns) as max_ns, max(gap_ns) as max_gap_ns
from graph_launches
group by unit, status, reason
order by total_ns desc, unit, status, reason;

-- @steps steps of a scheduler: what each scheduled, and what of it ran where
-- -p run=NULL only of this run
select t.run, t.step_id as step, t.ordinal, t.tokens, t.requests,
	t.free_blocks, t.execs, t.markers, p.token as process, w.device,
	w.events, w.start_ns, w.span_ns
from tl_step t
	left join tl_work w using (step)
	left join tl_process p using (process)
where :run is null or t.run = :run
order by t.step, w.line;

-- @host calls of the host by the time they take, or operators, or ranges
-- -p kind=api or op, range, python, mark
select n.text as name, count(*) as events, sum(e.dur_ns) as total_ns,
	sum(e.dur_ns) / count(e.dur_ns) as mean_ns, max(e.dur_ns) as max_ns,
	sum(e.dur_ns is null) as without_end
from tl_event e
	join tl_kind k using (kind)
	left join tl_name n using (name)
where k.name = :kind
group by n.text
order by total_ns desc, n.text;
