#include "map.h"

#include <stdlib.h>

#include "err.h"
#include "intern.h"

static size_t
probe(const struct tl_map *m, const struct tl_map_key *key)
{
	size_t mask = m->n_slots - 1;
	size_t i = (size_t)tl_hash((const char *)key->k, sizeof key->k) & mask;

	while (m->slot[i] != 0 &&
	    memcmp(&m->key[m->slot[i] - 1], key, sizeof *key) != 0)
		i = (i + 1) & mask;
	return i;
}

static void
grow(struct tl_map *m)
{
	m->n_slots = m->n_slots == 0 ? 64 : m->n_slots * 2;
	free(m->slot);
	m->slot = tl_xcalloc(m->n_slots, sizeof *m->slot);
	for (size_t i = 0; i < m->n; i++)
		m->slot[probe(m, &m->key[i])] = (uint32_t)i + 1;
}

uint32_t
tl_xmap_add(struct tl_map *m, struct tl_map_key key)
{
	size_t i;

	if (m->n * 2 >= m->n_slots)
		grow(m);
	i = probe(m, &key);
	if (m->slot[i] != 0)
		return m->slot[i] - 1;
	if (m->n >= UINT32_MAX - 1)
		tl_die("out of memory: more than %zu keys", m->n);
	m->key = tl_xgrow(m->key, m->n, &m->cap, sizeof *m->key);
	m->key[m->n] = key;
	m->slot[i] = (uint32_t)++m->n;
	return (uint32_t)m->n - 1;
}

uint32_t
tl_map_find(const struct tl_map *m, struct tl_map_key key)
{
	return m->n == 0 ? UINT32_MAX : m->slot[probe(m, &key)] - 1;
}

void
tl_map_reset(struct tl_map *m)
{
	if (m->n > 0)
		memset(m->slot, 0, m->n_slots * sizeof *m->slot);
	m->n = 0;
}

void
tl_map_free(struct tl_map *m)
{
	free(m->key);
	free(m->slot);
	*m = (struct tl_map){ 0 };
}
