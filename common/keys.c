#include "keys.h"

#include <stdlib.h>

#include "esc.h"
#include "mem.h"
#include "num.h"

#define MAX_ITEMS (sizeof ((struct tl_keys *)0)->item / \
    sizeof ((struct tl_keys *)0)->item[0])

void
tl_keys_reset(struct tl_keys *k)
{
	k->len = 0;
	k->n = 0;
}

/* Where the key belongs among the sorted items, or n_items past them if it is
 * there already. */
static size_t
place_of(const struct tl_keys *k, const char *key, size_t key_len)
{
	size_t i = k->n;
	struct tl_str a = { key, key_len };

	while (i > 0) {
		struct tl_str b = { k->buf + k->item[i - 1].at,
			k->item[i - 1].key_len };
		int c = tl_str_cmp(a, b);

		if (c == 0)
			return MAX_ITEMS;
		if (c > 0)
			break;
		i--;
	}
	return i;
}

void
tl_xkeys_add(struct tl_keys *k, const char *key, struct tl_str raw)
{
	size_t key_len = strlen(key), need = key_len + 1 + 4 * raw.n, i;
	char *p;

	if (raw.n == 0 || k->n == MAX_ITEMS)
		return;
	i = place_of(k, key, key_len);
	if (i == MAX_ITEMS)
		return;
	if (k->cap - k->len < need) {
		k->cap = (k->len + need) * 2;
		k->buf = tl_xreallocarray(k->buf, k->cap, 1);
	}
	memmove(k->item + i + 1, k->item + i, (k->n - i) * sizeof *k->item);
	k->n++;
	k->item[i].at = k->len;
	k->item[i].key_len = key_len;
	p = k->buf + k->len;
	memcpy(p, key, key_len);
	p[key_len] = '=';
	k->item[i].len = key_len + 1 + tl_esc(p + key_len + 1, raw.p, raw.n);
	k->len += k->item[i].len;
}

void
tl_xkeys_add_i64(struct tl_keys *k, const char *key, int64_t v)
{
	char digits[20];

	tl_xkeys_add(k, key, (struct tl_str){ digits,
	    tl_num_put_i64(digits, v) });
}

struct tl_str
tl_xkeys_done(struct tl_keys *k)
{
	size_t n = 0;

	if (k->out_cap < k->len + k->n) {
		k->out_cap = (k->len + k->n) * 2;
		k->out = tl_xreallocarray(k->out, k->out_cap, 1);
	}
	for (size_t i = 0; i < k->n; i++) {
		if (i > 0)
			k->out[n++] = '\t';
		memcpy(k->out + n, k->buf + k->item[i].at, k->item[i].len);
		n += k->item[i].len;
	}
	return (struct tl_str){ k->out, n };
}

void
tl_keys_free(struct tl_keys *k)
{
	free(k->buf);
	free(k->out);
	*k = (struct tl_keys){ 0 };
}
