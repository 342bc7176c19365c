#include "tl-recover_tree.h"

#include <stdlib.h>

/* Positions of one parent's items. An event is a position of its own wherever
 * it stands; loops, blocks and replays of one definition share a position,
 * which then occurs several times in one occurrence of the parent. seen maps
 * definitions to positions under the parent at hand; saved has what it held
 * for the parents above. */
struct saved {
	uint32_t def, pos;
};

struct map {
	const struct rec_tree *tree;
	uint32_t *seen;  /* by definition, REC_NO_POS where there is none */
	struct saved *saved;
	size_t n_saved, saved_cap;
};

struct builder {
	struct rec_place *p;
	const struct rec_capture *cap;
};

/* The body of a loop or block. */
static const struct rec_body *
body_of(const struct rec_tree *tree, uint32_t def)
{
	return &tree->body[tree->def[def - tree->n_sym].body];
}

static bool
is_replay(const struct rec_capture *cap, const struct rec_tree *tree,
    uint32_t def)
{
	return def < tree->n_sym && def >= cap->sym_replay;
}

static enum rec_pos_kind
kind_of(const struct builder *b, const struct rec_tree *tree, uint32_t def)
{
	if (is_replay(b->cap, tree, def))
		return REC_POS_REPLAY;
	switch (rec_kind_of(tree, def)) {
	case REC_EVENT:
		return REC_POS_EVENT;
	case REC_LOOP:
		return REC_POS_LOOP;
	default:
		return REC_POS_SEQ;
	}
}

static uint32_t
add_pos(struct builder *b, uint32_t parent, const struct rec_tree *tree,
    uint32_t def)
{
	struct rec_place *p = b->p;
	struct rec_pos *q;

	p->pos = tl_xgrow(p->pos, p->n_pos, &p->pos_cap, sizeof *p->pos);
	q = &p->pos[p->n_pos];
	*q = (struct rec_pos){ .parent = parent,
		.depth = p->pos[parent].depth + 1, .tree = tree, .def = def,
		.kind = kind_of(b, tree, def), .len = 1, .body_events = 1 };
	if (q->kind == REC_POS_LOOP || q->kind == REC_POS_SEQ) {
		q->len = body_of(tree, def)->len;
		q->body_events = 0; /* added up from below */
	}
	return (uint32_t)p->n_pos++;
}

static uint32_t
reserve_children(struct rec_place *p, uint32_t n)
{
	uint32_t at = (uint32_t)p->n_child;

	while (p->child_cap - p->n_child < n)
		p->child = tl_xgrow(p->child, p->child_cap, &p->child_cap,
		    sizeof *p->child);
	p->n_child += n;
	return at;
}

static void build_body(struct builder *b, struct map *m, uint32_t parent);
static void build_replay(struct builder *b, uint32_t parent);

/* Adds the position of an item, or finds it; what is new is built with all
 * that is below it before its next sibling, which makes pre-order. Recursion
 * goes as deep as bodies nest: about 2 log2(n). */
static uint32_t
build_item(struct builder *b, struct map *m, uint32_t parent, uint32_t def)
{
	enum rec_pos_kind kind = kind_of(b, m->tree, def);
	uint32_t pos;

	if (kind == REC_POS_EVENT)
		return add_pos(b, parent, m->tree, def);
	if (m->seen[def] != REC_NO_POS &&
	    b->p->pos[m->seen[def]].parent == parent)
		return m->seen[def];
	pos = add_pos(b, parent, m->tree, def);
	m->saved = tl_xgrow(m->saved, m->n_saved, &m->saved_cap,
	    sizeof *m->saved);
	m->saved[m->n_saved++] = (struct saved){ def, m->seen[def] };
	m->seen[def] = pos;
	if (kind == REC_POS_REPLAY)
		build_replay(b, pos);
	else
		build_body(b, m, pos);
	return pos;
}

/* Participating events of an item of a body: loops count all iterations. */
static uint32_t
events_of(const struct rec_pos *q)
{
	return q->kind != REC_POS_LOOP ? q->body_events : q->body_events *
	    q->tree->def[q->def - q->tree->n_sym].count;
}

static void
build_body(struct builder *b, struct map *m, uint32_t parent)
{
	const struct rec_body *body = body_of(m->tree, b->p->pos[parent].def);
	uint32_t at = reserve_children(b->p, body->n_item);
	size_t mark = m->n_saved;

	b->p->pos[parent].child = at;
	for (uint32_t i = 0; i < body->n_item; i++) {
		uint32_t pos = build_item(b, m, parent, body->item[i]);

		b->p->child[at + i] = pos;
		b->p->pos[parent].body_events += events_of(&b->p->pos[pos]);
	}
	while (m->n_saved > mark) {
		const struct saved *old = &m->saved[--m->n_saved];

		m->seen[old->def] = old->pos;
	}
}

/* Children of a parent: the tokens of a tree. */
static void
build_tokens(struct builder *b, uint32_t parent, const struct rec_tree *tree)
{
	struct map m = { .tree = tree };
	size_t n = (size_t)tree->n_sym + tree->n_def;
	uint32_t at = reserve_children(b->p, tree->n_tok);

	m.seen = tl_xreallocarray(NULL, n, sizeof *m.seen);
	memset(m.seen, 0xff, n * sizeof *m.seen);
	b->p->pos[parent].child = at;
	for (uint32_t i = 0; i < tree->n_tok; i++) {
		uint32_t pos = build_item(b, &m, parent, tree->tok[i].def);

		b->p->child[at + i] = pos;
	}
	free(m.seen);
	free(m.saved);
}

/* A replay's children are its lane's tokens; of several lanes that have any,
 * one sequence each. */
static void
build_replay(struct builder *b, uint32_t parent)
{
	uint32_t unit = b->p->pos[parent].def - b->cap->sym_replay;
	const struct rec_unit *u = &b->cap->unit[unit];
	size_t filled = 0;

	b->p->pos[parent].unit = unit;
	b->p->pos[parent].body_events = u->n_part;
	b->p->pos[parent].child = reserve_children(b->p,
	    (uint32_t)u->n_lanes);
	for (uint32_t k = 0; k < u->n_lanes; k++)
		filled += u->lane[k].n > 0;
	for (uint32_t k = 0; k < u->n_lanes; k++) {
		struct rec_pos *q;
		uint32_t pos;

		if (u->lane[k].n == 0)
			continue;
		if (filled == 1) {
			b->p->pos[parent].lane = k;
			build_tokens(b, parent, u->lane[k].tree);
			return;
		}
		pos = add_pos(b, parent, u->lane[k].tree, 0);
		b->p->child[b->p->pos[parent].child + k] = pos;
		q = &b->p->pos[pos];
		q->kind = REC_POS_SEQ;
		q->tree = NULL;
		q->unit = unit;
		q->lane = k;
		q->len = q->body_events = (uint32_t)u->lane[k].n;
		build_tokens(b, pos, u->lane[k].tree);
	}
}

/* A range of items, in one space: the scope's sequence, or a lane of a
 * replay. */
struct clip {
	int64_t lo, hi;
};

struct walker {
	struct rec_place *p;
	const struct rec_capture *cap;
	const struct rec_scope *s;
	uint32_t *n_in_pos; /* [n_pos] occurrences so far */
	uint32_t *lacks;    /* [near->n + 1] replays before that lack members */
};

/* What turns items into events. In the scope's sequence item i is events
 * first[i] to first[i + 1]; where deviations were corrected, of what stands for
 * it and of what is extra behind it. In a lane, items are those of the unit's template,
 * some of which the replay may lack: at[] are the items that are there. */
struct space {
	const struct rec_tree *tree;
	const struct rec_near *near; /* NULL: items are those of the scope */
	const uint32_t *first;
	const uint32_t *at;
	uint32_t n, base;
};

static uint32_t
event_of(const struct space *sp, int64_t item)
{
	uint32_t lo = 0, hi = sp->n;

	if (sp->near != NULL)
		return sp->first[item == 0 ? 0 : sp->near->at[item]];
	if (sp->first != NULL)
		return sp->first[item];
	if (hi > 0 && sp->at[hi - 1] == hi - 1) {
		/* none is missing */
		return sp->base + (item < hi ? (uint32_t)item : hi);
	}
	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (sp->at[mid] < item)
			lo = mid + 1;
		else
			hi = mid;
	}
	return sp->base + lo;
}

/* Adds an occurrence that covers items [clip.lo, clip.hi). */
static uint32_t
add_occ(struct walker *w, const struct space *sp, struct clip clip,
    struct rec_occ occ)
{
	struct rec_place *p = w->p;

	if (p->n_occ >= REC_NO_POS - 1)
		tl_die("more than %zu occurrences", p->n_occ);
	p->occ = tl_xgrow(p->occ, p->n_occ, &p->occ_cap, sizeof *p->occ);
	occ.first = event_of(sp, clip.lo);
	occ.n = event_of(sp, clip.hi) - occ.first;
	occ.item = (uint32_t)clip.lo;
	occ.dev = (uint32_t)p->n_dev;
	occ.n_in_pos = ++w->n_in_pos[occ.pos];
	p->occ[p->n_occ] = occ;
	return (uint32_t)p->n_occ++;
}

static void
add_deviation(struct walker *w, enum rec_near_kind kind, uint32_t pos,
    uint32_t at, int64_t item, uint32_t above)
{
	struct rec_place *p = w->p;

	p->dev = tl_xgrow(p->dev, p->n_dev, &p->dev_cap, sizeof *p->dev);
	p->dev[p->n_dev++] = (struct rec_deviation){ .owner = above,
		.pos = pos, .at = at, .item = (uint32_t)item,
		.kind = (uint8_t)kind };
}

/* Number of the corrected text's item's own events; those behind are extra. */
static uint32_t
own_events(const struct space *sp, int64_t item)
{
	uint32_t at = sp->near->at[item];

	return sp->near->kind[item] == REC_NEAR_SAME ?
	    sp->first[at + 1] - sp->first[at] : 0;
}

/* The deviations at one item, whose position is pos. */
static void
walk_deviations(struct walker *w, const struct space *sp, uint32_t pos,
    int64_t item, uint32_t above)
{
	uint32_t i = event_of(sp, item), end = event_of(sp, item + 1);
	uint8_t kind = sp->near->kind[item];

	i += own_events(sp, item);
	if (kind == REC_NEAR_MISSING)
		add_deviation(w, REC_NEAR_MISSING, pos, i, item, above);
	for (; i < end; i++) {
		if (!(w->s->ev[w->s->order[i]].flags & REC_PART))
			continue;
		w->p->owner[i] = above;
		add_deviation(w, kind == REC_NEAR_REPLACED ? kind :
		    REC_NEAR_EXTRA, pos, i, item, above);
		kind = REC_NEAR_SAME;
	}
}

static void walk_item(struct walker *w, const struct space *sp, uint32_t pos,
    int64_t from, int64_t len, uint32_t above, uint32_t iteration,
    struct clip clip);

static void
walk_body(struct walker *w, const struct space *sp, uint32_t pos,
    int64_t from, uint32_t occ, uint32_t iteration, struct clip clip)
{
	uint32_t child = w->p->pos[pos].child;
	const struct rec_body *body = body_of(sp->tree, w->p->pos[pos].def);

	for (uint32_t i = 0; i < body->n_item && from < clip.hi; i++) {
		int64_t len = rec_len_of(sp->tree, body->item[i]);

		if (from + len > clip.lo)
			walk_item(w, sp, w->p->child[child + i], from, len,
			    occ, iteration, clip);
		from += len;
	}
}

static struct clip
narrow(struct clip c, int64_t from, int64_t to)
{
	if (c.lo < from)
		c.lo = from;
	if (c.hi > to)
		c.hi = to;
	return c;
}

/* Participating events among those of an occurrence. */
static uint32_t
count_part(const struct walker *w, uint32_t first, uint32_t n)
{
	uint32_t part = 0;

	if (w->s->n_part == w->s->n_order)
		return n;
	for (uint32_t i = first; i < first + n; i++)
		part += (w->s->ev[w->s->order[i]].flags & REC_PART) != 0;
	return part;
}

/* Whether all that takes part in the items of a whole occurrence is there, so
 * far as it did not deviate. */
static bool
has_all(const struct walker *w, const struct space *sp, struct clip c,
    uint32_t part, uint32_t body)
{
	return sp->near != NULL ? w->lacks[c.lo] == w->lacks[c.hi] :
	    part == body;
}

/* Events of an occurrence that realise a position. */
static uint32_t
count_real(const struct walker *w, const struct rec_occ *o)
{
	uint32_t n = 0;

	for (uint32_t i = o->first; i < o->first + o->n; i++)
		n += w->p->leaf[i] < w->p->n_pos;
	return n;
}

/* A loop of n iterations of len items, the first of which begins at from; cut
 * to clip. */
static void
walk_loop(struct walker *w, const struct space *sp, uint32_t pos,
    int64_t from, int64_t len, int64_t n, uint32_t above, uint32_t iteration,
    struct clip clip)
{
	struct clip all = narrow(clip, from, from + n * len);
	uint32_t body = w->p->pos[pos].body_events, number = 0;
	uint32_t last = REC_NO_POS;
	uint32_t loop = add_occ(w, sp, all, (struct rec_occ){
	    .pos = pos, .parent = above, .iteration = iteration,
	    .full = all.lo == from && all.hi == from + n * len });

	for (int64_t k = 0; k < n; k++, from += len) {
		struct clip one = narrow(all, from, from + len);
		bool cut = one.hi - one.lo < len;
		uint32_t occ, part;

		if (one.lo >= one.hi)
			continue;
		if (event_of(sp, one.lo) == event_of(sp, one.hi)) {
			w->p->occ[loop].full &= sp->near != NULL;
			if (sp->near != NULL) /* all of it is missing */
				walk_body(w, sp, pos, from, loop, number, one);
			continue; /* a replay that lacks all of it */
		}
		occ = last = add_occ(w, sp, one, (struct rec_occ){
		    .pos = pos, .parent = loop, .iteration = ++number,
		    .is_iteration = 1 });
		part = count_part(w, w->p->occ[occ].first, w->p->occ[occ].n);
		w->p->occ[occ].full = !cut && has_all(w, sp, one, part, body);
		w->p->occ[occ].cut = cut;
		w->p->occ[loop].full &= w->p->occ[occ].full;
		w->p->occ[loop].whole += !cut;
		walk_body(w, sp, pos, from, occ, number, one);
		w->p->occ[occ].n_dev = (uint32_t)w->p->n_dev -
		    w->p->occ[occ].dev;
		if (cut && sp->near != NULL)
			part = count_real(w, &w->p->occ[occ]);
		w->p->occ[loop].part += cut ? part : 0;
	}
	if (last != REC_NO_POS)
		w->p->occ[last].last = 1;
}

/* A token with partial iterations at its ends is a loop of some more, cut. */
static void
walk_tokens(struct walker *w, const struct space *sp, uint32_t parent,
    uint32_t occ, uint32_t iteration)
{
	uint32_t child = w->p->pos[parent].child;

	for (uint32_t i = 0; i < sp->tree->n_tok; i++) {
		const struct rec_tok *t = &sp->tree->tok[i];
		uint32_t pos = w->p->child[child + i];
		int64_t len = w->p->pos[pos].len, from = t->first, n;
		struct clip all = { from, from + t->n };

		if (t->head == 0 && t->tail == 0) {
			walk_item(w, sp, pos, from, t->n, occ, iteration, all);
			continue;
		}
		if (sp->near == NULL &&
		    event_of(sp, all.lo) == event_of(sp, all.hi))
			continue;
		n = ((int64_t)t->n - t->head - t->tail) / len;
		if (t->head > 0) {
			from -= len - t->head;
			n++;
		}
		walk_loop(w, sp, pos, from, len, n + (t->tail > 0), occ,
		    iteration, all);
	}
}

/* A replay: its lanes, one after the other, in spaces of their own. */
static void
walk_replay(struct walker *w, uint32_t pos, uint32_t occ)
{
	const struct rec_pos *q = &w->p->pos[pos];
	const struct rec_unit *u = &w->cap->unit[q->unit];
	uint32_t i = w->p->occ[occ].first, end = i + w->p->occ[occ].n;

	while (i < end) {
		const struct rec_event *e = &w->s->ev[w->s->order[i]];
		uint32_t lane = w->s->member[w->s->order[i]].lane, at = pos;
		struct space sp = { .base = i };
		uint32_t *index, inner = occ;

		if (!(e->flags & REC_PART))
			break; /* those that take no part come last */
		index = tl_xreallocarray(NULL, end - i, sizeof *index);
		for (; i < end; i++) {
			const struct rec_member *m =
			    &w->s->member[w->s->order[i]];

			e = &w->s->ev[w->s->order[i]];
			if (m->lane != lane || !(e->flags & REC_PART))
				break;
			index[sp.n++] = (uint32_t)rec_lane_find(
			    &u->lane[lane], m->index);
		}
		sp.at = index;
		sp.tree = u->lane[lane].tree;
		if (u->lane[lane].n != u->n_part) {
			at = w->p->child[w->p->pos[pos].child + lane];
			inner = add_occ(w, &sp, (struct clip){ 0,
			    (int64_t)u->lane[lane].n }, (struct rec_occ){
			    .pos = at, .parent = occ,
			    .full = sp.n == u->lane[lane].n });
		}
		walk_tokens(w, &sp, at, inner, 0);
		free(index);
	}
}

static void
walk_item(struct walker *w, const struct space *sp, uint32_t pos,
    int64_t from, int64_t len, uint32_t above, uint32_t iteration,
    struct clip clip)
{
	const struct rec_pos *q = &w->p->pos[pos];
	uint32_t occ, event, part, own_n = 0;
	struct clip own = narrow(clip, from, from + len);

	if (sp->near != NULL && (q->kind == REC_POS_EVENT ||
	    q->kind == REC_POS_REPLAY))
		own_n = own_events(sp, own.lo);
	else if (event_of(sp, own.hi) != event_of(sp, own.lo))
		own_n = 1;
	else if (sp->near != NULL) /* all of it is missing */
		for (; from < own.hi; from += q->len)
			walk_body(w, sp, pos, from, above, iteration,
			    narrow(own, from, from + q->len));
	if (q->kind == REC_POS_EVENT && own_n > 0) {
		event = event_of(sp, own.lo);
		w->p->leaf[event] = pos;
		w->p->owner[event] = above;
	}
	if (sp->near != NULL && (q->kind == REC_POS_EVENT ||
	    (q->kind == REC_POS_REPLAY && own_n == 0)))
		walk_deviations(w, sp, pos, own.lo, above);
	if (q->kind == REC_POS_EVENT || own_n == 0)
		return; /* a replay that lacks all of it */
	if (q->kind == REC_POS_LOOP) {
		walk_loop(w, sp, pos, from, q->len, len / q->len, above,
		    iteration, clip);
		return;
	}
	occ = add_occ(w, sp, own, (struct rec_occ){ .pos = pos,
	    .parent = above, .iteration = iteration });
	if (sp->near != NULL && q->kind == REC_POS_REPLAY)
		w->p->occ[occ].n = own_n;
	part = count_part(w, w->p->occ[occ].first, w->p->occ[occ].n);
	w->p->occ[occ].full = own.hi - own.lo == len &&
	    has_all(w, sp, own, part, q->body_events);
	if (q->kind != REC_POS_REPLAY) {
		walk_body(w, sp, pos, from, occ, 0, own);
		return;
	}
	walk_replay(w, pos, occ);
	if (sp->near != NULL)
		walk_deviations(w, sp, pos, own.lo, above);
}

void
rec_place_new(struct rec_place *p, const struct rec_tree *tree,
    const struct rec_near *near, const struct rec_capture *cap,
    const struct rec_scope *s)
{
	struct builder b = { .p = p, .cap = cap };
	struct walker w = { .p = p, .cap = cap, .s = s };
	struct space all = { .tree = tree, .first = s->item_first,
		.near = near->n_edit > 0 ? near : NULL };
	uint32_t n = near->n_edit > 0 ? near->n : (uint32_t)s->n_items;

	*p = (struct rec_place){ .n_pos = 0 };
	p->pos = tl_xgrow(p->pos, 0, &p->pos_cap, sizeof *p->pos);
	p->pos[p->n_pos++] = (struct rec_pos){ .kind = REC_POS_ROOT,
		.parent = REC_NO_POS,
		.len = n,
		.body_events = (uint32_t)s->n_part };
	build_tokens(&b, 0, tree);

	p->leaf = tl_xreallocarray(NULL, s->n_order, sizeof *p->leaf);
	p->owner = tl_xreallocarray(NULL, s->n_order, sizeof *p->owner);
	for (size_t i = 0; i < s->n_order; i++)
		p->leaf[i] = (uint32_t)p->n_pos;
	w.n_in_pos = tl_xcalloc(p->n_pos, sizeof *w.n_in_pos);
	if (all.near != NULL)
		w.lacks = rec_find_lacks(near, cap, s);
	add_occ(&w, &all, (struct clip){ 0, n },
	    (struct rec_occ){ .pos = 0, .parent = REC_NO_POS, .full = 1 });
	walk_tokens(&w, &all, 0, 0, 0);
	free(w.n_in_pos);
	free(w.lacks);
	rec_vary(p, s);
}

void
rec_place_free(struct rec_place *p)
{
	free(p->pos);
	free(p->child);
	free(p->occ);
	free(p->leaf);
	free(p->owner);
	free(p->dev);
	free(p->variant);
}
