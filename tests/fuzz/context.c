/* Lines of scheduler context: objects that are given out stand in the line and
 * are objects themselves; a refusal says why. */
#include "tl-context.h"

#include "fuzz.h"

static void
check_object(struct tl_str line, struct tl_str json)
{
	struct ctx_line l = { .n_requests = 0 };
	struct tl_err err = { .line = 0 };

	PROMISE(json.p >= line.p && json.p + json.n <= line.p + line.n);
	PROMISE(json.n >= 2 && json.p[0] == '{' && json.p[json.n - 1] == '}');
	/* its keys may be twice that matter in a line */
	if (ctx_parse(&l, json, &err) != TL_OK)
		PROMISE(strstr(err.msg, "is there twice") != NULL ||
		    strstr(err.msg, "list of objects") != NULL);
	ctx_line_free(&l);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ctx_line l = { .n_requests = 0 };
	struct tl_str line = { (const char *)data, size };
	struct tl_err err = { .line = 0 };

	if (size == 0)
		return 0;
	if (ctx_parse(&l, line, &err) == TL_OK) {
		for (size_t i = 0; i < l.n_requests; i++)
			check_object(line, l.request[i].json);
		if (l.v[K_CACHE].type == V_OBJECT)
			check_object(line, l.v[K_CACHE].s);
	} else {
		PROMISE(err.msg[0] != '\0');
	}
	ctx_line_free(&l);
	return 0;
}
