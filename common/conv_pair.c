#include "conv_pair.h"

#include <stdlib.h>

#include "conv_pair_rule.h"
#include "num.h"

/* So many open records of one key are looked at; more at a time are no pair. */
#define LOOK 256
#define N_BUCKETS 4096
#define HELD_MAX ((size_t)64 << 20)

/* A side of a rule that a record is, and who was met on the other. Those whose
 * record may still meet others are linked in a bucket. */
struct tie {
	struct tie *next, **at;
	struct item *item;
	struct tie *with;
	uint64_t hash;
	uint32_t rule, n; /* n: how many were met */
	bool inner, judged;
};

struct item {
	struct item *next, *prev;
	struct tl_ev ev;
	struct tl_conv_name nm;
	int64_t start, end; /* as recorded */
	struct item *of;    /* it is evidence of this */
	uint32_t rule;      /* by this rule */
	uint32_t refs;      /* ties whose partner it is, and 1 while it waits */
	uint32_t n_ties;
	size_t bytes;
	bool settled, moved, has_evidence, own;
	struct tie tie[];   /* by rule */
};

struct tl_conv_pairs {
	struct tl_rules_pair *pair;
	struct pair_rule *rule;
	size_t n_rules;
	struct tl_arena arena;
	struct tie *bucket[N_BUCKETS];
	struct item *first, *last;
	size_t bytes;
	bool waits;        /* for events that start after until */
	int64_t until;
	struct pair_fit *fit; /* [n_rules] */
	struct item **group;
	size_t group_cap;
};

/* ---- rules ---- */

struct tl_conv_pairs *
tl_xconv_pairs_new(const struct tl_rules *rules, const char *provider)
{
	struct tl_conv_pairs *p = tl_xcalloc(1, sizeof *p);
	bool ascend = provider != NULL && strcmp(provider, "ascend") == 0;
	size_t n = tl_xrules_pairs(rules, &p->pair);

	p->rule = tl_xcalloc(n, sizeof *p->rule);
	for (size_t i = 0; i < n; i++)
		if (ascend || !p->pair[i].ascend_only)
			tl_xconv_pair_rule(&p->rule[p->n_rules++],
			    &p->pair[i], i, &p->arena);
	p->fit = tl_xcalloc(p->n_rules, sizeof *p->fit);
	if (p->n_rules == 0) {
		tl_conv_pairs_free(p);
		return NULL;
	}
	return p;
}

void
tl_conv_pairs_free(struct tl_conv_pairs *p)
{
	if (p == NULL)
		return;
	free(p->pair);
	free(p->rule);
	free(p->fit);
	free(p->group);
	tl_arena_free(&p->arena);
	free(p);
}

/* ---- items ---- */

static void
keep(char **at, struct tl_str *s)
{
	if (s->n > 0)
		memcpy(*at, s->p, s->n);
	s->p = *at;
	*at += s->n;
}

static struct item *
item_new(const struct tl_conv_pairs *p, const struct tl_ev *ev,
    const struct tl_conv_name *nm, uint32_t n_ties)
{
	size_t text = ev->process.n + ev->device.n + ev->context.n +
	    ev->lane.n + ev->correlation.n + ev->place.n + ev->keys.n +
	    nm->esc.n + nm->sym.n;
	size_t size = sizeof(struct item) + n_ties * sizeof(struct tie);
	struct item *it = tl_xmalloc(size + text);
	char *at = (char *)it + size;

	*it = (struct item){ .ev = *ev, .nm = *nm, .start = ev->start_ns,
		.end = ev->start_ns, .refs = 1, .n_ties = n_ties,
		.settled = n_ties == 0, .bytes = size + text + 32 };
	if (ev->dur_ns != TL_NONE)
		it->end += ev->dur_ns;
	for (uint32_t i = 0; i < n_ties; i++) {
		it->tie[i] = (struct tie){ .item = it,
			.rule = p->fit[i].rule, .inner = p->fit[i].inner,
			.hash = p->fit[i].hash };
	}
	keep(&at, &it->ev.process);
	keep(&at, &it->ev.device);
	keep(&at, &it->ev.context);
	keep(&at, &it->ev.lane);
	keep(&at, &it->ev.correlation);
	keep(&at, &it->ev.place);
	keep(&at, &it->ev.keys);
	keep(&at, &it->nm.esc);
	keep(&at, &it->nm.sym);
	/* points into what the cache may drop, and has been used */
	it->nm.res.symbol = (struct tl_str){ "", 0 };
	return it;
}

static void
item_drop(struct item *it)
{
	if (--it->refs == 0)
		free(it);
}

static void
take_out(struct tl_conv_pairs *p, struct item *it)
{
	*(it->prev != NULL ? &it->prev->next : &p->first) = it->next;
	*(it->next != NULL ? &it->next->prev : &p->last) = it->prev;
}

static void
put_behind(struct tl_conv_pairs *p, struct item *it, struct item *prev)
{
	it->prev = prev;
	it->next = prev != NULL ? prev->next : p->first;
	*(it->prev != NULL ? &it->prev->next : &p->first) = it;
	*(it->next != NULL ? &it->next->prev : &p->last) = it;
}

/* ---- partners ---- */

static void
unlink_tie(struct tie *t)
{
	if (t->at == NULL)
		return;
	*t->at = t->next;
	if (t->next != NULL)
		t->next->at = t->at;
	t->at = NULL;
}

static bool
lies_in(const struct tl_rules_pair *r, const struct item *in,
    const struct item *out)
{
	return tl_conv_pair_contained(r, in->start, in->end, out->start,
	    out->end);
}

static void
meet(struct tie *a, struct tie *b)
{
	a->n++;
	if (a->with != NULL)
		return;
	a->with = b;
	b->item->refs++;
}

static bool
same_key(const struct tl_rules_pair *r, const struct item *a,
    const struct item *b)
{
	return tl_str_eq(a->ev.process, b->ev.process) &&
	    tl_str_eq(a->ev.device, b->ev.device) &&
	    ((r->communication && !r->same_connection) ||
	    tl_str_eq(a->ev.correlation, b->ev.correlation)) &&
	    (r->communication || (tl_str_eq(a->ev.lane, b->ev.lane) &&
	    tl_str_eq(tl_key(a->ev.keys, "task"),
	    tl_key(b->ev.keys, "task"))));
}

/* Meets those that are open, and is open itself. */
static void
find_partners(struct tl_conv_pairs *p, struct tie *t)
{
	const struct tl_rules_pair *r = &p->rule[t->rule].r;
	struct tie **bucket = &p->bucket[(t->hash ^ t->hash >> 32) %
	    N_BUCKETS], *next;
	uint32_t looked = 0;

	for (struct tie *o = *bucket; o != NULL; o = next) {
		next = o->next;
		if (o->item->end < t->item->start) {
			unlink_tie(o);
			continue;
		}
		if (o->hash != t->hash || o->rule != t->rule)
			continue;
		if (++looked > LOOK) {
			t->n += 2;
			break;
		}
		if (o->inner == t->inner || !same_key(r, o->item, t->item) ||
		    !lies_in(r, t->inner ? t->item : o->item,
		    t->inner ? o->item : t->item))
			continue;
		meet(t, o);
		meet(o, t);
	}
	t->next = *bucket;
	t->at = bucket;
	if (t->next != NULL)
		t->next->at = &t->next;
	*bucket = t;
}

/* Makes one event of two. Of tasks, it has the time of the outer one. */
static void
join(struct tl_conv_pairs *p, struct pair_rule *x, struct tie *in,
    struct tie *out)
{
	bool comm = x->r.communication;
	struct item *gone = comm ? in->item : out->item;
	struct item *left = comm ? out->item : in->item;

	if (gone->of != NULL)
		return; /* a rule before this one has decided */
	if (gone->has_evidence || left->of != NULL) {
		x->count[CONFLICT]++;
		return;
	}
	gone->of = left;
	gone->rule = in->rule;
	left->has_evidence = true;
	x->count[JOINED]++;
	if (comm || x->r.any_context || left->own ||
	    (left->start == gone->start && left->end == gone->end))
		return;
	left->own = true;
	left->ev.start_ns = gone->ev.start_ns;
	left->ev.dur_ns = gone->ev.dur_ns;
	left->moved = true;
	take_out(p, left);
	put_behind(p, left, gone);
}

static void
settle(struct tl_conv_pairs *p, struct item *it)
{
	it->settled = true;
	for (uint32_t i = 0; i < it->n_ties; i++) {
		struct tie *t = &it->tie[i];
		struct pair_rule *x = &p->rule[t->rule];
		struct tie *in = t->inner ? t : t->with;
		struct tie *out = t->inner ? t->with : t;

		unlink_tie(t);
		if (t->judged)
			continue;
		if (t->with == NULL) {
			x->count[t->n > 0 ? AMBIGUOUS : ALONE] += t->inner;
			continue;
		}
		if (!x->r.any_context && (t->n > 1 || t->with->n > 1)) {
			x->count[AMBIGUOUS] += t->inner;
			continue;
		}
		t->judged = true;
		if (t->with->with == t)
			t->with->judged = true;
		join(p, x, in, out);
	}
}

/* What waits for too long stays as it is, and whom it has met, too. */
static void
give_up(struct tl_conv_pairs *p, struct item *it)
{
	it->settled = true;
	for (uint32_t i = 0; i < it->n_ties; i++) {
		struct tie *t = &it->tie[i];

		unlink_tie(t);
		if (!t->judged)
			p->rule[t->rule].count[LATE]++;
		t->judged = true;
		if (t->with != NULL)
			t->with->judged = true;
	}
}

/* ---- out ---- */

static void
write_item(struct tl_conv *c, struct item *it)
{
	struct tl_conv_pairs *p = c->pairs;
	struct tl_str more[3], text;
	char *buf = NULL, own[2][40];
	size_t n = 0;

	if (it->of != NULL) {
		text = it->of->ev.place;
		buf = tl_xmalloc(text.n + 3);
		memcpy(buf, "of=", 3);
		memcpy(buf + 3, text.p, text.n);
		more[n++] = TL_LIT("detail=1");
		more[n++] = (struct tl_str){ buf, text.n + 3 };
		more[n++] = p->rule[it->rule].key;
	} else if (it->own) {
		memcpy(own[0], "own_dur=", 8);
		more[n++] = (struct tl_str){ own[0], 8 +
			tl_num_put_i64(own[0] + 8, it->end - it->start) };
		memcpy(own[1], "own_start=", 10);
		more[n++] = (struct tl_str){ own[1], 10 +
			tl_num_put_i64(own[1] + 10, it->start) };
	}
	tl_xconv_put(c, &it->ev, &it->nm, more, n);
	free(buf);
}

static void
let_go(struct tl_conv_pairs *p, struct item *it)
{
	take_out(p, it);
	p->bytes -= it->bytes;
	for (uint32_t i = 0; i < it->n_ties; i++) {
		unlink_tie(&it->tie[i]);
		if (it->tie[i].with != NULL)
			item_drop(it->tie[i].with->item);
	}
	item_drop(it);
}

static int
item_cmp(const void *a, const void *b)
{
	return tl_ev_cmp(&(*(struct item *const *)a)->ev,
	    &(*(struct item *const *)b)->ev);
}

/* Writes the first n. */
static void
write_group(struct tl_conv *c, size_t n, bool moved)
{
	struct tl_conv_pairs *p = c->pairs;
	struct item *it = p->first;

	if (!moved) {
		for (; n > 0; n--) {
			write_item(c, p->first);
			let_go(p, p->first);
		}
		return;
	}
	p->group = n > p->group_cap ? tl_xreallocarray(p->group,
	    p->group_cap = n, sizeof(struct item *)) : p->group;
	for (size_t i = 0; i < n; i++, it = it->next)
		p->group[i] = it;
	qsort(p->group, n, sizeof *p->group, item_cmp);
	for (size_t i = 0; i < n; i++)
		write_item(c, p->group[i]);
	for (size_t i = 0; i < n; i++)
		let_go(p, p->group[i]);
}

static bool
same_time(const struct tl_ev *a, const struct tl_ev *b)
{
	return a->start_ns == b->start_ns && a->dur_ns == b->dur_ns;
}

/* When all partners of all partners have been met. */
static int64_t
known_after(const struct item *it)
{
	int64_t t = it->end;

	for (uint32_t i = 0; i < it->n_ties; i++)
		if (it->tie[i].with != NULL && it->tie[i].with->item->end > t)
			t = it->tie[i].with->item->end;
	return t;
}

/* Settles those of one time that come first, which are written together, for
 * one of them may take the place of another. False if they must wait for what
 * comes behind next; next is NULL when all have come. */
static bool
settle_group(struct tl_conv_pairs *p, const struct tl_ev *next, size_t *n,
    bool *moved)
{
	struct tl_ev first = p->first->ev;
	bool full = p->bytes > HELD_MAX;
	struct item *behind;

	*n = 0;
	*moved = false;
	if (next != NULL && same_time(next, &first) && !full)
		return false;
	for (struct item *it = p->first; it != NULL &&
	    same_time(&it->ev, &first); it = behind) {
		int64_t until = known_after(it);

		behind = it->next;
		if (!it->settled && next != NULL &&
		    next->start_ns <= until) {
			if (!full) {
				p->waits = true;
				p->until = until;
				return false;
			}
			give_up(p, it);
		} else if (!it->settled) {
			settle(p, it);
			if (!same_time(&it->ev, &first))
				continue; /* it was moved away */
			behind = it->next;
		}
		++*n;
		*moved |= it->moved;
	}
	return true;
}

static void
drain(struct tl_conv *c, const struct tl_ev *next)
{
	struct tl_conv_pairs *p = c->pairs;
	size_t n;
	bool moved;

	while (p->first != NULL) {
		if (p->waits && next != NULL && next->start_ns <= p->until &&
		    p->bytes <= HELD_MAX)
			return;
		p->waits = false;
		if (!settle_group(p, next, &n, &moved))
			return;
		write_group(c, n, moved);
	}
}

void
tl_xconv_pairs_add(struct tl_conv *c, const struct tl_ev *ev,
    const struct tl_conv_name *nm)
{
	struct tl_conv_pairs *p = c->pairs;
	uint32_t n = tl_conv_pair_fit(p->rule, p->n_rules, ev, nm, p->fit);
	struct tl_ev copy = *ev;
	struct item *it;

	drain(c, ev);
	if (n == 0 && p->first == NULL) {
		tl_xconv_put(c, &copy, nm, NULL, 0);
		return;
	}
	it = item_new(p, ev, nm, n);
	put_behind(p, it, p->last);
	p->bytes += it->bytes;
	for (uint32_t i = 0; i < n; i++)
		find_partners(p, &it->tie[i]);
}

void
tl_xconv_pairs_end(struct tl_conv *c)
{
	drain(c, NULL);
}

void
tl_conv_pairs_count(const struct tl_conv_pairs *p, struct tl_rules *rules)
{
	for (size_t i = 0; i < p->n_rules; i++)
		tl_rules_pair_hit(rules, p->rule[i].number,
		    p->rule[i].count[JOINED]);
}

void
tl_xconv_pairs_say(const struct tl_conv_pairs *p, struct tl_evout *out)
{
	static const char *const words[N_STATUS] = {
		"records are evidence of others that tell of the same work",
		"records could be of several others and stay as they are",
		"records are evidence of one and have evidence of their own, "
		    "and stay as they are",
		"records have too many events within them and stay as they "
		    "are",
		"records have no partner",
	};
	char quoted[TL_QUOTE_SIZE];

	for (size_t i = 0; i < p->n_rules; i++) {
		const struct pair_rule *x = &p->rule[i];
		bool own = strcmp(x->r.origin, "default") != 0;

		tl_quote(quoted, sizeof quoted, x->r.id, strlen(x->r.id));
		for (int k = 0; k < N_STATUS; k++) {
			uint64_t n = x->count[k];

			if (n == 0 && (k != JOINED || (out != NULL && !own)))
				continue;
			if (k == ALONE && !own)
				continue;
			if (out == NULL)
				tl_msg("%s:%u: rule '%s': %llu %s",
				    x->r.origin, (unsigned)x->r.line, quoted,
				    (unsigned long long)n, words[k]);
			else
				tl_xevout_note(out, n == 0 || (k != JOINED &&
				    k != ALONE) ? TL_WARN : TL_INFO,
				    "reconcile_rule", (int64_t)n,
				    "%s:%u: rule '%s': %s", x->r.origin,
				    (unsigned)x->r.line, quoted, words[k]);
		}
	}
}
