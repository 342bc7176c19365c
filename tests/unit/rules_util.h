#ifndef RULES_UTIL_H
#define RULES_UTIL_H

/* What the tests of rules share. Files are those of tests/rules; the variable
 * TESTS names the folder tests. */

#include "rules.h"

#include <stdlib.h>
#include <string.h>

#include "mem.h"
#include "tap.h"

#define RULES(stage, mode, rules) "schema: traceloom-analysis-rules-v1\n" \
	stage ":\n  mode: " mode "\n  rules:\n" rules
#define CLASS(mode, rules) RULES("classification", mode, rules)
#define SYMBOL(mode, rules) RULES("symbol_normalization", mode, rules)

static inline struct tl_str
str(const char *s)
{
	return (struct tl_str){ s, strlen(s) };
}

static inline const char *
path_of(const char *name)
{
	static char path[4096];
	const char *tests = getenv("TESTS");

	snprintf(path, sizeof path, "%s/rules/%s",
	    tests != NULL ? tests : "tests", name);
	return path;
}

/* A file of tests/rules, NUL behind. */
static inline char *
slurp(const char *name, size_t *len)
{
	FILE *f = fopen(path_of(name), "r");
	size_t size = (size_t)1 << 16;
	char *p = tl_xmalloc(size);

	if (f == NULL) {
		printf("Bail out! no %s\n", path_of(name));
		exit(1);
	}
	*len = fread(p, 1, size - 1, f);
	p[*len] = '\0';
	fclose(f);
	return p;
}

static inline bool
parse(struct tl_rules *r, const char *text, struct tl_err *err)
{
	return tl_rules_parse(r, "x.yaml", text, strlen(text), err) == TL_OK;
}

/* The compiled-in rules with a file of tests/rules over them. */
static inline struct tl_rules *
with_file(const char *name)
{
	struct tl_rules *r = tl_xrules_new();
	struct tl_err err = { .msg = "" };
	size_t len;
	char *text = slurp(name, &len);

	if (tl_rules_parse(r, name, text, len, &err) != TL_OK)
		tap(false, "%s: %s", name, err.msg);
	free(text);
	return r;
}

static inline struct tl_rules_result
apply(const struct tl_rules *r, struct tl_rules_subject s)
{
	struct tl_rules_result res;

	tl_rules_apply(r, &s, &res);
	return res;
}

static inline const char *
id_of(const struct tl_rules *r, uint32_t rule)
{
	struct tl_rules_info info;

	if (rule == TL_RULES_NONE)
		return "";
	return tl_rules_info(r, rule, &info) ? info.id : "?";
}

#endif
