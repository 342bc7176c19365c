#include "tl-kineto2ev.h"

#include <stdlib.h>
#include <string.h>

#include "mem.h"

/* Begins and ends may stand in any order: they are sorted first, by time and
 * then as the file has them, and paired from a table of the open ones. */
struct k_pairs {
	struct tl_sort *sort;
	uint64_t budget, open_bytes;
	struct open **slot;     /* by hash of the key, the last begin first */
	size_t n, n_slots;
	char *buf;
	size_t cap;
};

struct open {
	struct open *next;
	uint64_t hash, row;
	int64_t ts;
	uint32_t key_len, rec_len;
	char bytes[];           /* the key, then the record */
};

/* What stands before key and record in the sorter. */
struct item {
	uint32_t key_len, rec_len;
};

struct k_pairs *
k_xpairs_new(uint64_t budget)
{
	struct k_pairs *p = tl_xcalloc(1, sizeof *p);

	p->sort = tl_xsort_new(budget);
	p->budget = budget;
	p->n_slots = 64;
	p->slot = tl_xcalloc(p->n_slots, sizeof(struct open *));
	return p;
}

void
k_pairs_free(struct k_pairs *p)
{
	if (p == NULL)
		return;
	tl_sort_free(p->sort);
	free(p->slot);
	free(p->buf);
	free(p);
}

void
k_xpairs_add(struct k_pairs *p, int64_t ts, uint64_t row, struct tl_str key,
    const void *rec, size_t len)
{
	struct item item = { (uint32_t)key.n, (uint32_t)len };
	size_t n = sizeof item + key.n + len;

	if (p->cap < n) {
		p->cap = 2 * n;
		p->buf = tl_xreallocarray(p->buf, p->cap, 1);
	}
	memcpy(p->buf, &item, sizeof item);
	memcpy(p->buf + sizeof item, key.p, key.n);
	if (len > 0)
		memcpy(p->buf + sizeof item + key.n, rec, len);
	tl_xsort_add(p->sort, &(struct tl_sort_rec){ ts, 0, 0, (uint32_t)n,
	    row, p->buf });
}

static void
grow(struct k_pairs *p)
{
	size_t n = p->n_slots * 2;
	struct open **slot = tl_xcalloc(n, sizeof(struct open *));

	for (size_t i = 0; i < p->n_slots; i++) {
		/* a chain is split in two, each in the order it had */
		struct open **tail[2] = { &slot[i], &slot[i + p->n_slots] };

		for (struct open *o = p->slot[i]; o != NULL; o = o->next) {
			bool high = o->hash / p->n_slots & 1;

			*tail[high] = o;
			tail[high] = &o->next;
		}
		*tail[0] = *tail[1] = NULL;
	}
	free(p->slot);
	p->slot = slot;
	p->n_slots = n;
}

static void
push(struct k_pairs *p, const struct k_run *r, const struct tl_sort_rec *s,
    struct item item, const char *bytes)
{
	size_t n = (size_t)item.key_len + item.rec_len;
	struct open *o, **slot;

	p->open_bytes += sizeof *o + n;
	if (p->open_bytes > p->budget)
		tl_die("%s: element %llu: more slices are open here than fit "
		    "into the memory budget (-S)", r->name,
		    (unsigned long long)s->row);
	if (p->n == p->n_slots)
		grow(p);
	o = tl_xmalloc(sizeof *o + n);
	*o = (struct open){ .hash = tl_hash(bytes, item.key_len),
		.row = s->row, .ts = s->start_ns, .key_len = item.key_len,
		.rec_len = item.rec_len };
	memcpy(o->bytes, bytes, n);
	slot = &p->slot[o->hash & (p->n_slots - 1)];
	o->next = *slot;
	*slot = o;
	p->n++;
}

/* The last begin with the key, taken out; NULL if there is none. */
static struct open *
pop(struct k_pairs *p, struct tl_str key)
{
	uint64_t hash = tl_hash(key.p, key.n);
	struct open **o = &p->slot[hash & (p->n_slots - 1)], *found;

	while (*o != NULL && ((*o)->hash != hash || !tl_str_eq(key,
	    (struct tl_str){ (*o)->bytes, (*o)->key_len })))
		o = &(*o)->next;
	found = *o;
	if (found != NULL) {
		*o = found->next;
		p->n--;
		p->open_bytes -= sizeof *found + found->key_len +
		    found->rec_len;
	}
	return found;
}

static void
emit(struct k_run *r, const struct open *o, int64_t dur)
{
	const char *rec = o->bytes + o->key_len;
	struct k_rec h;
	bool on_device;

	memcpy(&h, rec, sizeof h);
	on_device = tl_kind_on_device((enum tl_kind)h.kind);
	if (dur == TL_NONE)
		k_note(&r->notes, on_device ? K_NO_DUR : K_BEGIN_OPEN, K_NOWHERE);
	if (dur == TL_NONE && on_device)
		return;
	r->n_device += on_device && h.kind != TL_SYNC;
	if (r->kinds >> h.kind & 1)
		k_xrec_add(r, o->ts, dur, o->row, rec, o->rec_len);
}

static void
take(struct k_pairs *p, struct k_run *r, const struct tl_sort_rec *s)
{
	struct item item;
	const char *bytes = (const char *)s->data + sizeof item;
	struct open *o;

	memcpy(&item, s->data, sizeof item);
	if (item.rec_len > 0) {
		push(p, r, s, item, bytes);
		return;
	}
	o = pop(p, (struct tl_str){ bytes, item.key_len });
	if (o == NULL)
		k_note(&r->notes, K_END_ALONE, K_NOWHERE);
	else if (o->ts < 0 && s->start_ns > INT64_MAX + o->ts)
		k_note(&r->notes, K_TIME_RANGE, K_NOWHERE);
	else
		emit(r, o, s->start_ns - o->ts);
	free(o);
}

void
k_xpairs_finish(struct k_pairs *p, struct k_run *r)
{
	struct tl_sort_rec s;
	struct tl_err err;
	enum tl_status st;

	while ((st = tl_sort_next(p->sort, &s, &err)) == TL_OK)
		take(p, r, &s);
	if (st == TL_ERR)
		tl_die("%s", err.msg);
	for (size_t i = 0; i < p->n_slots; i++) {
		while (p->slot[i] != NULL) {
			struct open *o = p->slot[i];

			p->slot[i] = o->next;
			emit(r, o, TL_NONE);
			free(o);
		}
	}
}
