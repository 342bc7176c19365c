#include <stdlib.h>

#include "evids.h"
#include "mem.h"
#include "num.h"
#include "spool.h"
#include "tl-tree.h"

/* In how many steps of a scheduler each position is: link records tell the
 * step of an event, real records its position. Either may come first, so
 * positions are kept until all is read. */

/* Bytes of them that are kept in memory. */
#define BUDGET ((uint64_t)32 << 20)

/* What a real record says. */
struct at {
	uint64_t event;
	uint32_t pos;
};

struct link {
	uint64_t event;
	uint32_t step;
};

/* A position and a step that an event of it is in. */
struct pair {
	uint32_t step, pos;
};

struct tree_steps {
	struct link *link; /* by event, ascending when all is read */
	struct pair *pair;
	struct tl_spool *at; /* of all real records, struct at; NULL: none */
	size_t n_links, n_pairs, links_cap, pairs_cap;
	size_t scope;      /* of the last real record */
	bool mixed;        /* links are not in order */
};

static struct tree_steps *
steps_of(struct tree *t)
{
	if (t->steps == NULL)
		t->steps = tl_xcalloc(1, sizeof *t->steps);
	return t->steps;
}

static bool
number_of(struct tl_str s, uint64_t *v)
{
	return tl_num_str_u64(s, v) && *v > 0;
}

void
tree_xstep_link(struct tree *t, struct tl_str line)
{
	struct tl_str c[3];
	struct tree_steps *s;
	uint64_t event, step;

	if (tl_fields(c, 3, line.p, line.n) < 3 || !number_of(c[1], &event) ||
	    !number_of(c[2], &step) || step > UINT32_MAX)
		return; /* it is in no step */
	s = steps_of(t);
	s->mixed |= s->n_links > 0 && s->link[s->n_links - 1].event >= event;
	s->link = tl_xgrow(s->link, s->n_links, &s->links_cap,
	    sizeof *s->link);
	s->link[s->n_links++] = (struct link){ event, (uint32_t)step };
}

/* 0 for none. */
static uint32_t
step_of(const struct tree_steps *s, uint64_t event)
{
	size_t lo = 0, hi = s->n_links;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (s->link[mid].event < event)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < s->n_links && s->link[lo].event == event ?
	    s->link[lo].step : 0;
}

/* Index of a position, TREE_NO if it is not there. */
static uint32_t
find(const struct tree *t, struct tree_steps *s, struct tl_str scope,
    struct tl_str pos)
{
	const struct tree_scope *sc;
	uint32_t number, lo, hi;

	for (size_t k = 0; k < t->n_scopes &&
	    !tl_str_eq(t->scope[s->scope].name, scope); k++)
		s->scope = k;
	sc = &t->scope[s->scope];
	if (!tl_str_eq(sc->name, scope) || !tl_pos_parse(pos, &number))
		return TREE_NO;
	lo = sc->first;
	hi = s->scope + 1 == t->n_scopes ? (uint32_t)t->n_pos : sc->end;
	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (t->pos[mid].number < number)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < t->n_pos && t->pos[lo].number == number ? lo : TREE_NO;
}

void
tree_xstep_real(struct tree *t, struct tl_str line)
{
	struct at at = { .pos = TREE_NO };
	struct tree_steps *s;
	struct tl_str c[4];

	if (t->n_scopes == 0 || tl_fields(c, 4, line.p, line.n) < 4 ||
	    !number_of(c[1], &at.event))
		return;
	s = steps_of(t);
	at.pos = find(t, s, c[2], c[3]);
	if (at.pos == TREE_NO)
		return;
	if (s->at == NULL)
		s->at = tl_xspool_new(BUDGET);
	tl_xspool_add(s->at, (struct tl_str){ (const char *)&at, sizeof at });
}

/* An event that is linked to several steps is of the least. */
static int
link_cmp(const void *pa, const void *pb)
{
	const struct link *a = pa, *b = pb;

	if (a->event != b->event)
		return a->event < b->event ? -1 : 1;
	return a->step < b->step ? -1 : a->step > b->step;
}

/* Brings both together. */
static void
pair_up(struct tree_steps *s)
{
	struct tl_str piece;

	if (s->mixed)
		qsort(s->link, s->n_links, sizeof *s->link, link_cmp);
	while (s->at != NULL && tl_xspool_next(s->at, &piece)) {
		struct pair p, *last = s->n_pairs > 0 ?
		    &s->pair[s->n_pairs - 1] : NULL;
		struct at at;

		memcpy(&at, piece.p, sizeof at);
		p = (struct pair){ step_of(s, at.event), at.pos };
		if (p.step == 0 || (last != NULL && last->step == p.step &&
		    last->pos == p.pos))
			continue;
		s->pair = tl_xgrow(s->pair, s->n_pairs, &s->pairs_cap,
		    sizeof *s->pair);
		s->pair[s->n_pairs++] = p;
	}
}

static int
pair_cmp(const void *pa, const void *pb)
{
	const struct pair *a = pa, *b = pb;

	if (a->step != b->step)
		return a->step < b->step ? -1 : 1;
	return a->pos < b->pos ? -1 : a->pos > b->pos;
}

void
tree_step_count(struct tree *t)
{
	struct tree_steps *s = t->steps;
	uint32_t *last;

	if (s != NULL && s->n_links == 0) {
		tree_steps_free(s);
		t->steps = s = NULL;
	}
	for (size_t i = 0; i < t->n_pos; i++)
		t->pos[i].steps = s == NULL ? TREE_NONE : 0;
	if (s == NULL)
		return;
	pair_up(s);
	last = tl_xcalloc(t->n_pos, sizeof *last);
	if (s->n_pairs > 1)
		qsort(s->pair, s->n_pairs, sizeof *s->pair, pair_cmp);
	for (size_t i = 0; i < s->n_pairs; i++) {
		uint32_t pos = s->pair[i].pos;

		/* what is above is counted with the first below it */
		while (pos != TREE_NO && last[pos] != s->pair[i].step) {
			last[pos] = s->pair[i].step;
			t->pos[pos].steps++;
			pos = t->pos[pos].parent;
		}
	}
	free(last);
}

void
tree_steps_free(struct tree_steps *s)
{
	if (s == NULL)
		return;
	if (s->at != NULL)
		tl_spool_free(s->at);
	free(s->link);
	free(s->pair);
	free(s);
}
