/* Kineto's JSON: the scan for values, the parse of events, the repair. */
#include "tl-kineto2ev.h"

#include "fuzz.h"

static size_t
times(struct tl_str text, const char *what)
{
	size_t n = strlen(what), found = 0;

	for (size_t i = 0; i + n <= text.n; i++)
		found += memcmp(text.p + i, what, n) == 0;
	return found;
}

/* The member, empty where it is not there. */
static struct tl_str
has(const struct k_event *ev, enum k_member m)
{
	return ev->members >> m & 1 ? ev->member[m] : (struct tl_str){ "", 0 };
}

static void
one(struct k_json *j, struct tl_str text, char **buf, size_t *cap)
{
	struct k_glance g = { .ph = 0 };
	struct k_event ev;
	unsigned done = 0;
	struct tl_str fixed;
	char ph;

	k_json_glance(text, &g);
	if (k_json_event(j, text, true, &ev)) {
		ph = has(&ev, K_M_PH).n == 1 ? *has(&ev, K_M_PH).p : 0;
		PROMISE(g.ph == 0 || g.ph == ph || times(text, "\"ph\"") > 1);
		/* the glance gives the text as it stands; of two members of
		 * one name either may be taken */
		PROMISE(g.cat.n == 0 || memchr(g.cat.p, '\\', g.cat.n) ||
		    tl_str_eq(g.cat, has(&ev, K_M_CAT)) ||
		    times(text, "\"cat\"") > 1);
		PROMISE(!g.no_cat || !(ev.members >> K_M_CAT & 1));
		return;
	}
	fixed = k_xfix(text, buf, cap, &done);
	if (done != 0)
		(void)k_json_event(j, fixed, true, &ev);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct k_json *j = k_xjson_new();
	struct k_scan s;
	struct tl_err err = { .line = 0 };
	struct tl_str v;
	char *buf = NULL;
	size_t cap = 0;
	uint64_t off;

	PROMISE(k_scan_open(&s, fuzz_file(data, size), &err) == TL_OK);
	/* as if the file were the inside of an array */
	while (k_scan_peek(&s) >= 0) {
		off = k_scan_off(&s);
		switch (k_scan_value(&s, &v)) {
		case K_OK:
			one(j, v, &buf, &cap);
			break;
		case K_LONG:
			break;
		case K_BROKEN:
			if (!k_scan_resync(&s))
				s.pos += s.pos < s.end;
			break;
		case K_CUT:
			PROMISE(k_scan_peek(&s) < 0);
			break;
		}
		if (k_scan_peek(&s) >= 0 && k_scan_off(&s) == off)
			s.pos++;
	}
	k_scan_close(&s);
	k_json_free(j);
	free(buf);
	return 0;
}
