/* A function for the scripts: how often a key came. */
#include "tl-ev2db.h"

#include <stdlib.h>

#include "mem.h"

struct counts {
	int64_t *key;
	uint32_t *count; /* 0: free */
	size_t n, cap;   /* cap: a power of two */
};

static size_t
slot_of(const struct counts *c, int64_t key)
{
	size_t i = (size_t)((uint64_t)key * 0x9E3779B97F4A7C15u >> 20);

	for (i &= c->cap - 1; c->count[i] != 0 && c->key[i] != key;)
		i = (i + 1) & (c->cap - 1);
	return i;
}

static void
grow(struct counts *c)
{
	struct counts old = *c;

	c->cap = old.cap == 0 ? 1024 : old.cap * 2;
	c->key = tl_xcalloc(c->cap, sizeof *c->key);
	c->count = tl_xcalloc(c->cap, sizeof *c->count);
	for (size_t i = 0; i < old.cap; i++) {
		size_t at;

		if (old.count[i] == 0)
			continue;
		at = slot_of(c, old.key[i]);
		c->key[at] = old.key[i];
		c->count[at] = old.count[i];
	}
	free(old.key);
	free(old.count);
}

/* tl_nth(key): 1, 2, 3 ... with each call that has the key. */
static void
nth(sqlite3_context *context, int n, sqlite3_value **value)
{
	struct counts *c = sqlite3_user_data(context);
	int64_t key = sqlite3_value_int64(value[0]);
	size_t at;

	(void)n;
	if (2 * (c->n + 1) > c->cap)
		grow(c);
	at = slot_of(c, key);
	if (c->count[at] == 0) {
		c->key[at] = key;
		c->n++;
	}
	sqlite3_result_int64(context, ++c->count[at]);
}

static void
release(void *data)
{
	struct counts *c = data;

	free(c->key);
	free(c->count);
	free(c);
}

void
db_xfunctions(struct db_file *f)
{
	if (sqlite3_create_function_v2(f->db, "tl_nth", 1,
	    SQLITE_UTF8 | SQLITE_DIRECTONLY, tl_xcalloc(1,
	    sizeof(struct counts)), nth, NULL, NULL, release) != SQLITE_OK)
		db_die(f);
}
