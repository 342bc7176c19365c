#include <stdlib.h>

#include "mem.h"
#include "tl-tree.h"

/* Positions of which tl-cut left no occurrence. */

/* True for those that go: in the subtree nothing occurs. A root stays. */
static bool *
find_absent(const struct tree *t)
{
	bool *absent = tl_xcalloc(t->n_pos, sizeof *absent);

	for (uint32_t i = 0; i < t->n_pos; i++)
		absent[i] = t->pos[i].occurrences == 0 &&
		    t->pos[i].kind != TREE_ROOT;
	for (uint32_t i = (uint32_t)t->n_pos; i-- > 0;)
		if (!absent[i] && t->pos[i].parent != TREE_NO)
			absent[t->pos[i].parent] = false;
	return absent;
}

void
tree_xdrop_absent(struct tree *t)
{
	bool *absent = find_absent(t);
	uint32_t *to = tl_xreallocarray(NULL, t->n_pos + 1, sizeof *to);
	uint32_t n = 0;

	for (uint32_t i = 0; i < t->n_pos; i++) {
		to[i] = n;
		n += !absent[i];
		if (absent[i])
			t->pos[t->pos[i].parent].flags |= TREE_THINNED;
	}
	to[t->n_pos] = n;
	for (uint32_t i = 0; i < t->n_pos; i++) {
		struct tree_pos p = t->pos[i];

		if (absent[i])
			continue;
		p.parent = p.parent == TREE_NO ? TREE_NO : to[p.parent];
		p.end = to[p.end];
		t->pos[to[i]] = p;
	}
	for (size_t k = 0; k < t->n_scopes; k++) {
		struct tree_scope *s = &t->scope[k];
		uint32_t was = s->end - s->first;

		s->first = to[s->first];
		s->end = to[s->end];
		s->n_absent = was - (s->end - s->first);
	}
	t->n_pos = n;
	free(absent);
	free(to);
}
