/* A line of an event: what is read, printed again, is the line. */
#include "ev.h"
#include "num.h"

#include "fuzz.h"

static char *
put(char *p, struct tl_str s)
{
	*p++ = '\t';
	memcpy(p, s.p, s.n);
	return p + s.n;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *s = (const char *)data;
	struct tl_str word, cls;
	struct tl_ev ev;
	struct tl_err err = { .line = 0 };
	enum tl_kind kind;
	char *out, *p;

	tl_fields(&word, 1, s, size);
	kind = tl_kind_of(word);
	if (!tl_kind_is_event(kind))
		return 0;
	if (tl_ev_parse(&ev, kind, s, size, &err) != TL_OK) {
		PROMISE(err.msg[0] != '\0');
		return 0;
	}
	p = out = malloc(size + 128);
	PROMISE(out != NULL);
	cls.p = tl_class_name(ev.cls);
	cls.n = strlen(cls.p);
	memcpy(p, word.p, word.n);
	p += word.n;
	*p++ = '\t';
	p += tl_num_put_u64(p, ev.id);
	*p++ = '\t';
	p += tl_num_put_i64(p, ev.start_ns);
	if (ev.dur_ns == TL_NONE)
		p = put(p, TL_LIT("."));
	else
		*p++ = '\t', p += tl_num_put_i64(p, ev.dur_ns);
	p = put(put(put(p, ev.process), ev.device), ev.context);
	p = put(put(put(p, ev.lane), ev.correlation), cls);
	p = put(put(p, ev.name), ev.place);
	if (ev.keys.n > 0)
		p = put(p, ev.keys);
	/* a tab at the end is for tl-check to see */
	PROMISE((size_t)(p - out) + (ev.keys.n == 0 && s[size - 1] == '\t') ==
	    size);
	PROMISE(memcmp(out, s, (size_t)(p - out)) == 0);
	PROMISE(tl_ev_cmp(&ev, &ev) == 0);
	free(out);
	return 0;
}
