/* Rules files: taken as a whole or refused as a whole, with a place. */
#include "rules.h"

#include "fuzz.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tl_rules *r = tl_xrules_new();
	struct tl_rules_source src;
	struct tl_err err = { .line = 0 };
	size_t before = 0, after = 0;
	enum tl_status st;

	while (tl_rules_source(r, before, &src))
		before++;
	st = tl_rules_parse(r, "fuzz", (const char *)data, size, &err);
	while (tl_rules_source(r, after, &src))
		after++;
	if (st == TL_ERR)
		PROMISE(before == after &&
		    strncmp(err.msg, "fuzz:", 5) == 0 && err.line > 0);
	tl_rules_free(r);
	return 0;
}
