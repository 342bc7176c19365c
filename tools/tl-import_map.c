#include "tl-import.h"

#include <stdlib.h>

static uint64_t
mix(uint64_t a, uint64_t b, uint64_t c)
{
	uint64_t h = a * UINT64_C(0x9e3779b97f4a7c15);

	h = (h ^ (h >> 29)) + b * UINT64_C(0xbf58476d1ce4e5b9);
	h = (h ^ (h >> 32)) + c * UINT64_C(0x94d049bb133111eb);
	h *= UINT64_C(0x9e3779b97f4a7c15);
	return h ^ (h >> 31);
}

/* The slot of a key, or the free one where it belongs. */
static size_t
find_slot(const struct imp_map *m, uint64_t a, uint64_t b, uint64_t c)
{
	size_t mask = m->n_slots - 1, i = (size_t)mix(a, b, c) & mask;

	for (; m->slot[i] != 0; i = (i + 1) & mask) {
		const uint64_t *k = m->key[m->slot[i] - 1];

		if (k[0] == a && k[1] == b && k[2] == c)
			break;
	}
	return i;
}

static void
grow(struct imp_map *m)
{
	m->n_slots = m->n_slots == 0 ? 64 : 2 * m->n_slots;
	free(m->slot);
	m->slot = tl_xcalloc(m->n_slots, sizeof *m->slot);
	for (size_t i = 0; i < m->n; i++) {
		const uint64_t *k = m->key[i];

		m->slot[find_slot(m, k[0], k[1], k[2])] = (uint32_t)i + 1;
	}
}

uint32_t
imp_xmap(struct imp_map *m, uint64_t a, uint64_t b, uint64_t c, bool *known)
{
	size_t i;

	if (m->n > 0 && m->key[m->last][0] == a && m->key[m->last][1] == b &&
	    m->key[m->last][2] == c) {
		*known = true;
		return m->last;
	}
	if (m->n >= m->n_slots / 4 * 3)
		grow(m);
	i = find_slot(m, a, b, c);
	*known = m->slot[i] != 0;
	if (*known)
		return m->last = m->slot[i] - 1;
	if (m->n >= UINT32_MAX - 2)
		tl_die("more than 4294967293 records in one capture");
	m->key = tl_xgrow(m->key, m->n, &m->cap, sizeof *m->key);
	m->key[m->n][0] = a;
	m->key[m->n][1] = b;
	m->key[m->n][2] = c;
	m->slot[i] = (uint32_t)++m->n;
	return m->last = (uint32_t)m->n - 1;
}

uint32_t
imp_map_find(const struct imp_map *m, uint64_t a, uint64_t b, uint64_t c)
{
	return m->n == 0 ? IMP_NONE : m->slot[find_slot(m, a, b, c)] - 1;
}

void
imp_map_free(struct imp_map *m)
{
	free(m->key);
	free(m->slot);
	*m = (struct imp_map){ .key = NULL };
}
