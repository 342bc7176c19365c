-- @about what the database was made of, how many records it has
select key, value
from tl_meta
order by key;

-- @notes what was dropped, guessed or is missing, gravest first
select severity, code, count, text
from tl_note
order by case severity when 'error' then 0 when 'warn' then 1 else 2 end, line;

-- @loops loops, the one that covers most time first, with what an iteration costs
-- -p scope=NULL only of this process and device, such as 4242:0
with whole as (
	select o.position, count(*) as times, sum(o.span_ns) as total_ns
	from tl_occurrence o
		left join tl_occurrence u on u.occurrence = o.parent
	where u.position is not o.position
	group by o.position
)
select s.name as scope, printf('N%03d', p.number) as position,
	iif(u.number is null, null, printf('N%03d', u.number)) as parent,
	p.iterations / 100.0 as iterations, p.body_events as events,
	w.times as occurrences, w.total_ns,
	round(100.0 * w.total_ns / root.span_ns, 1) as percent,
	p.iter_min_ns, p.iter_median_ns, p.iter_max_ns
from tl_position p
	join tl_scope s using (scope)
	join whole w using (position)
	left join tl_position u on u.position = p.parent
	join tl_position root on root.scope = p.scope and root.number = 1
where p.kind = 'loop' and (:scope is null or s.name = :scope)
order by w.total_ns desc, p.position;

-- @iterations each iteration of a loop: when, how long, and what it costs
-- -p loop the position, such as N002
-- -p scope=NULL only of this process and device
select s.name as scope,
	printf('N%03d#%d', p.number, o.n) as occurrence,
	o.iteration, o.complete, o.start_ns, o.period_ns, o.span_ns,
	o.period_ns - o.span_ns as gap_ns, o.busy_ns, o.idle_ns, o.compute_ns,
	o.comm_exposed_ns, o.copy_exposed_ns,
	round(100.0 * o.period_ns / p.iter_median_ns, 1) as percent_of_median
from tl_occurrence o
	join tl_occurrence u on u.occurrence = o.parent
		and u.position = o.position
	join tl_position p on p.position = o.position
	join tl_scope s using (scope)
where p.kind = 'loop' and p.number = ltrim(:loop, 'N') + 0
	and (:scope is null or s.name = :scope)
order by o.occurrence;

-- @outliers iterations that took much longer than the median of their loop
-- -p percent=125 of the median, or more
-- -p scope=NULL only of this process and device
select s.name as scope,
	printf('N%03d#%d', p.number, o.n) as occurrence,
	o.iteration, o.start_ns, o.period_ns,
	p.iter_median_ns as median_ns,
	o.period_ns - p.iter_median_ns as longer_ns,
	round(100.0 * o.period_ns / p.iter_median_ns, 1) as percent_of_median,
	o.period_ns - o.span_ns as gap_ns, o.idle_ns, o.comm_exposed_ns
from tl_occurrence o
	join tl_occurrence u on u.occurrence = o.parent
		and u.position = o.position
	join tl_position p on p.position = o.position
	join tl_scope s using (scope)
where p.kind = 'loop' and o.complete and p.iter_median_ns > 0
	and 100.0 * o.period_ns / p.iter_median_ns >= :percent
	and (:scope is null or s.name = :scope)
order by longer_ns desc, o.occurrence;

-- @variants what the iterations of a loop come in: how many have which deviations
-- -p scope=NULL only of this process and device
select s.name as scope, printf('N%03d', p.number) as position,
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
-- -p position such as N002
-- -p a its number behind #, such as 5 of N002#5
-- -p b the other one's
-- -p scope=NULL only of this process and device
with recursive below (side, occurrence) as (
	select iif(o.n = :a, 'a', 'b'), o.occurrence
	from tl_occurrence o
		join tl_position p using (position)
		join tl_scope s using (scope)
	where p.number = ltrim(:position, 'N') + 0 and o.n in (:a, :b)
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
select s.name as scope, printf('N%03d', p.number) as position,
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
select s.name as scope, printf('N%03d', p.number) as position,
	iif(u.number is null, null, printf('N%03d', u.number)) as parent,
	p.depth, p.kind, p.iterations / 100.0 as iterations,
	p.body_events as events, p.occurrences, p.span_ns, p.busy_ns,
	p.compute_ns, p.comm_exposed_ns, p.copy_exposed_ns, p.idle_ns,
	n.text as label
from tl_position p
	join tl_scope s using (scope)
	left join tl_position u on u.position = p.parent
	left join tl_name n on n.name = p.label
where (:scope is null or s.name = :scope)
	and (:depth is null or p.depth <= :depth)
order by p.position;

-- @slowest the slowest events of a position, to its median
-- -p position an event's, such as N013
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
where p.number = ltrim(:position, 'N') + 0
	and (:scope is null or s.name = :scope)
order by e.dur_ns desc, e.event
limit :top;

-- @exposed communication that no computation hides, by position, most first
-- -p scope=NULL only of this process and device
select s.name as scope, printf('N%03d', p.number) as position,
	p.occurrences, p.comm_exposed_ns as median_exposed_ns,
	p.comm_exposed_ns * p.occurrences as about_total_ns,
	p.comm_ns as median_comm_ns,
	round(100.0 * p.comm_exposed_ns / p.comm_ns, 1) as percent_exposed,
	n.text as label
from tl_position p
	join tl_scope s using (scope)
	left join tl_name n on n.name = p.label
where p.kind = 'event' and p.comm_exposed_ns > 0
	and (:scope is null or s.name = :scope)
order by about_total_ns desc, p.position;

-- @delay from the call to the start on the device, by position, longest first
-- -p scope=NULL only of this process and device
with delay as (
	select r.position, e.event, iif(count(a.event) = 1,
		e.start_ns - min(a.start_ns), null) as delay_ns
	from tl_real r
		join tl_event e using (event)
		join tl_lane l using (lane)
		left join tl_event a on a.correlation = e.correlation
			and a.kind = (select kind from tl_kind
				where name = 'api')
			and exists (select 1 from tl_lane m
				where m.lane = a.lane
				and m.process is l.process)
	group by r.line
)
select s.name as scope, printf('N%03d', p.number) as position,
	count(*) as events, sum(d.delay_ns is null) as without_one_call,
	min(d.delay_ns) as min_ns,
	sum(d.delay_ns) / count(d.delay_ns) as mean_ns,
	max(d.delay_ns) as max_ns, n.text as label
from delay d
	join tl_position p using (position)
	join tl_scope s using (scope)
	left join tl_name n on n.name = p.label
where :scope is null or s.name = :scope
group by p.position
order by mean_ns desc, p.position;

-- @streams streams of each device: how many events, how busy, how much of the time
-- -p scope=NULL only of this process and device
with work as (
	select l.lane, e.start_ns, e.start_ns + coalesce(e.dur_ns, 0) as end_ns,
		e.dur_ns, max(e.start_ns + coalesce(e.dur_ns, 0)) over (
			partition by l.lane order by e.event
			rows between unbounded preceding and 1 preceding)
		as before_ns
	from tl_event e
		join tl_kind k using (kind)
		join tl_lane l using (lane)
		left join tl_keys using (keys)
	where k.name in ('kernel', 'memcpy', 'memset', 'graph', 'task')
		and detail is null
)
select s.name as scope, l.context, l.token as stream, count(*) as events,
	min(w.start_ns) as start_ns, max(w.end_ns) - min(w.start_ns) as span_ns,
	sum(max(0, w.end_ns - max(w.start_ns, coalesce(w.before_ns,
		w.start_ns)))) as busy_ns,
	sum(w.dur_ns) as sum_ns,
	round(100.0 * sum(max(0, w.end_ns - max(w.start_ns,
		coalesce(w.before_ns, w.start_ns)))) /
		max(root.span_ns), 1) as percent_of_wall
from work w
	join tl_lane l using (lane)
	join tl_scope s using (scope)
	left join tl_position root on root.scope = l.scope and root.number = 1
where :scope is null or s.name = :scope
group by w.lane
order by s.scope, busy_ns desc, w.lane;

-- @replays graph launches by what they replayed and how much of it is there
select unit, status, reason, count(*) as launches,
	sum(members) as members, sum(missing) as missing,
	sum(dur_ns) as total_ns, min(dur_ns) as min_ns, max(dur_ns) as max_ns
from tl_launch
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
