#include <stdlib.h>

#include "mem.h"
#include "tl-perfetto.h"

static enum pf_plane_kind
plane_of(enum pf_group_kind kind)
{
	switch (kind) {
	case PF_NOTES:
		return PF_CAPTURE;
	case PF_STEPS:
	case PF_DEPTH:
	case PF_LAUNCHES:
		return PF_STRUCTURE;
	case PF_THREAD:
	case PF_COUNTER:
		return PF_HOST;
	default:
		return PF_EVENTS;
	}
}

static bool
nests(enum pf_group_kind kind)
{
	return kind == PF_NOTES || kind == PF_RANGES || kind == PF_THREAD ||
	    kind == PF_COUNTER;
}

/* A plane's key, n bytes: its kind, process TAB device. */
static char *
plane_key(enum pf_plane_kind kind, struct tl_str process, struct tl_str device,
    size_t *n)
{
	char *key;

	*n = process.n + device.n + 2;
	key = tl_xmalloc(*n);
	key[0] = (char)('0' + kind);
	memcpy(key + 1, process.p, process.n);
	key[process.n + 1] = '\t';
	memcpy(key + process.n + 2, device.p, device.n);
	return key;
}

bool
pf_xis_device(const struct pf *p, struct tl_str process, struct tl_str device)
{
	size_t n;
	char *key = plane_key(PF_EVENTS, process, device, &n);
	bool is = tl_intern_find(&p->plane_key,
	    (struct tl_str){ key, n }) != PF_NO;

	free(key);
	return is;
}

static uint32_t
add_plane(struct pf *p, enum pf_plane_kind kind, const struct tl_str *f)
{
	struct tl_str device = kind == PF_HOST ? TL_LIT(".") : f[1];
	size_t known = p->plane_key.n, n;
	char *key = plane_key(kind, f[0], device, &n);
	uint32_t i = tl_xintern(&p->plane_key, (struct tl_str){ key, n });

	free(key);
	if (i < known)
		return i;
	p->plane = tl_xgrow(p->plane, p->n_planes, &p->cap_planes,
	    sizeof *p->plane);
	p->plane[p->n_planes++] = (struct pf_plane){ .kind = (uint8_t)kind,
		.process = f[0], .device = device, .context = PF_NO };
	return i;
}

/* A copy in the arena, split at its tabs. */
static void
split(struct pf *p, struct tl_str lane4, struct tl_str *f)
{
	char *copy = tl_xarena_copy(&p->arena, lane4.p, lane4.n);

	tl_fields(f, 4, copy, lane4.n);
}

static void
see_context(struct pf *p, struct pf_plane *plane, struct tl_str context)
{
	uint32_t c = tl_xintern(&p->text, context);

	if (plane->context != PF_NO && plane->context != c)
		plane->contexts = true;
	plane->context = c;
}

uint32_t
pf_xgroup(struct pf *p, enum pf_group_kind kind, uint32_t number,
    struct tl_str lane4)
{
	size_t known = p->group_key.n, n = 2 + sizeof number + lane4.n;
	char small[256], *key = n <= sizeof small ? small : tl_xmalloc(n);
	struct tl_str f[4];
	struct pf_group g = { .kind = (uint8_t)kind, .number = number };
	uint32_t i;

	key[0] = (char)('A' + kind);
	memcpy(key + 1, &number, sizeof number);
	memcpy(key + 1 + sizeof number, lane4.p, lane4.n);
	i = tl_xintern(&p->group_key, (struct tl_str){ key, n - 1 });
	if (key != small)
		free(key);
	if (i < known)
		return i;
	split(p, lane4, f);
	g.context = f[2];
	g.lane = f[3];
	g.plane = add_plane(p, plane_of(kind), f);
	g.pack = pf_xpack_new(nests(kind));
	if ((plane_of(kind) == PF_EVENTS && kind != PF_PACKED) ||
	    kind == PF_THREAD)
		see_context(p, &p->plane[g.plane], f[2]);
	p->group = tl_xgrow(p->group, p->n_groups, &p->cap_groups,
	    sizeof *p->group);
	p->group[p->n_groups++] = g;
	return i;
}

/* Capture, then scope by scope structure and events, then hosts. */
static int
plane_cmp(const struct pf *p, uint32_t i, uint32_t k)
{
	const struct pf_plane *a = &p->plane[i], *b = &p->plane[k];
	int x = a->kind == PF_CAPTURE ? 0 : a->kind == PF_HOST ? 2 : 1;
	int y = b->kind == PF_CAPTURE ? 0 : b->kind == PF_HOST ? 2 : 1;
	int c = x - y;

	if (c == 0)
		c = tl_token_cmp(a->process, b->process);
	if (c == 0)
		c = tl_token_cmp(a->device, b->device);
	return c != 0 ? c : (int)a->kind - (int)b->kind;
}

static bool
of_stream(const struct pf_group *g)
{
	return g->kind >= PF_RANGES && g->kind <= PF_DETAILS;
}

/* The lanes of a stream stand together, and before packed ones. */
static int
group_cmp(const struct pf *p, uint32_t i, uint32_t k)
{
	const struct pf_group *a = &p->group[i], *b = &p->group[k];
	int c = (int)p->plane[a->plane].pid - (int)p->plane[b->plane].pid;

	if (c == 0)
		c = (int)of_stream(b) - (int)of_stream(a);
	if (c == 0)
		c = tl_token_cmp(a->context, b->context);
	if (c == 0)
		c = tl_token_cmp(a->lane, b->lane);
	if (c == 0)
		c = (int)a->kind - (int)b->kind;
	return c != 0 ? c : a->number < b->number ? -1 : a->number > b->number;
}

/* Merge sort of the n indexes in a, which it frees: there may be many. */
static uint32_t *
sorted(const struct pf *p, uint32_t *a, size_t n,
    int (*cmp)(const struct pf *, uint32_t, uint32_t))
{
	uint32_t *b = tl_xreallocarray(NULL, n, sizeof *b), *t;

	for (size_t w = 1; w < n; w *= 2) {
		for (size_t lo = 0; lo < n; lo += 2 * w) {
			size_t mid = lo + w < n ? lo + w : n;
			size_t hi = lo + 2 * w < n ? lo + 2 * w : n;
			size_t i = lo, k = mid, o = lo;

			while (i < mid || k < hi)
				b[o++] = k == hi || (i < mid &&
				    cmp(p, a[i], a[k]) <= 0) ?
				    a[i++] : a[k++];
		}
		t = a;
		a = b;
		b = t;
	}
	free(b);
	return a;
}

/* Those that have a lane. */
static void
sort_planes(struct pf *p)
{
	bool *used = tl_xcalloc(p->n_planes, sizeof *used);

	p->at = tl_xreallocarray(NULL, p->n_planes, sizeof *p->at);
	for (size_t i = 0; i < p->n_groups; i++)
		if (pf_pack_lanes(p->group[i].pack) > 0)
			used[p->group[i].plane] = true;
	for (size_t i = 0; i < p->n_planes; i++)
		if (used[i])
			p->at[p->n_at++] = (uint32_t)i;
	p->at = sorted(p, p->at, p->n_at, plane_cmp);
	for (size_t i = 0; i < p->n_at; i++)
		p->plane[p->at[i]].pid = (uint32_t)i + 1;
	free(used);
}

static void
sort_groups(struct pf *p)
{
	uint32_t *a = tl_xreallocarray(NULL, p->n_groups, sizeof *a);

	for (size_t i = 0; i < p->n_groups; i++)
		a[i] = (uint32_t)i;
	p->order = sorted(p, a, p->n_groups, group_cmp);
}

/* Thread numbers go on from process to process: some versions of Perfetto
 * know a thread's name by its number alone. They begin above the process
 * numbers, since a thread numbered like its process is its main thread. */
void
pf_xnumber(struct pf *p)
{
	uint32_t tid;

	sort_planes(p);
	sort_groups(p);
	tid = (uint32_t)p->n_at + 1;
	for (size_t i = 0; i < p->n_groups; i++) {
		struct pf_group *g = &p->group[p->order[i]];

		g->first_tid = tid;
		g->n_lanes = pf_pack_lanes(g->pack);
		tid += g->n_lanes;
		if (g->n_lanes > 0 && p->plane[g->plane].tid == 0)
			p->plane[g->plane].tid = g->first_tid;
		pf_pack_free(g->pack);
		g->pack = NULL;
	}
}
