/* rules.h: documents that are wrong, modes, counts, provenance. The places in
 * tests/rules/bad.txt were counted by hand. */
#include "sha256.h"

#include "rules_util.h"

/* All that can be seen of rules, to compare before and after. */
static void
dump(const struct tl_rules *r, char *out, size_t size)
{
	struct tl_rules_info info;
	struct tl_rules_source src;
	size_t n = 0;

	out[0] = '\0';
	for (uint32_t i = 0; tl_rules_info(r, i, &info) && n < size; i++)
		n += (size_t)snprintf(out + n, size - n, "%d %s %s:%u\n",
		    (int)info.stage, info.id, info.origin,
		    (unsigned)info.line);
	for (size_t i = 0; n < size && tl_rules_source(r, i, &src); i++)
		n += (size_t)snprintf(out + n, size - n, "%d %s %s\n",
		    (int)src.stage, src.digest, src.origin);
}

static void
one_bad(const char *name, const char *want, const char *text, size_t len)
{
	static char before[65536], after[65536];
	struct tl_rules *r = with_file("base.yaml");
	struct tl_err err = { .msg = "" };
	char msg[600];
	bool ok;

	dump(r, before, sizeof before);
	snprintf(msg, sizeof msg, "bad.yaml:%s", want);
	ok = tl_rules_parse(r, "bad.yaml", text, len, &err) == TL_ERR &&
	    strcmp(err.msg, msg) == 0 &&
	    err.line == strtoul(want, NULL, 10);
	dump(r, after, sizeof after);
	ok = ok && strcmp(before, after) == 0;
	if (!tap(ok, "%s", name))
		printf("# want %s\n# got  %s\n", msg, err.msg);
	tl_rules_free(r);
}

/* The cases of bad.txt, whose format it tells itself. */
static void
test_bad(void)
{
	size_t len;
	char *text = slurp("bad.txt", &len);

	for (char *p = strstr(text, "\n== "); p != NULL;) {
		char *name = p + 4, *want = strstr(name, "\n> ");
		char *doc, *next;

		if (want == NULL || (doc = strchr(want + 3, '\n')) == NULL)
			break;
		next = strstr(doc, "\n== ");
		*want = *doc = '\0';
		doc++;
		one_bad(name, want + 3, doc, next == NULL ? strlen(doc) :
		    (size_t)(next + 1 - doc));
		p = next;
	}
	free(text);
}

/* Documents with bytes that a text file had better not hold. */
static void
test_bad_bytes(void)
{
	static const char head[] = "schema: traceloom-analysis-rules-v1\n";
	char doc[256];

	snprintf(doc, sizeof doc, "%s# \xc3\xa4 \xff", head);
	one_bad("byte that begins no UTF-8",
	    "2:5: byte '\\xFF': invalid leading UTF-8 octet", doc,
	    strlen(doc));
	snprintf(doc, sizeof doc, "%sab: \xe2\x82", head);
	one_bad("UTF-8 that is cut short",
	    "2:5: byte '\\xE2': incomplete UTF-8 octet sequence", doc,
	    strlen(doc));
	snprintf(doc, sizeof doc, "%sab: \x01", head);
	one_bad("control character",
	    "2:5: byte '\\x01': control characters are not allowed", doc,
	    strlen(doc));
	one_bad("UTF-16", "1:1: byte '\\xFF': invalid leading UTF-8 octet",
	    "\xff\xfes\0c\0", 6);
	one_bad("NUL", "1:3: byte '\\x00': control characters are not allowed",
	    "ab\0cd", 5);
	one_bad("BOM does not shift columns",
	    "1:1: key 'x': not known in rules", "\xef\xbb\xbfx: y\n", 8);
	one_bad("no bytes at all", "1:1: rules: no document", "", 0);
}

static void
test_size(void)
{
	static const char head[] = "schema: traceloom-analysis-rules-v1\n#";
	struct tl_rules *r = tl_xrules_new();
	char *text = tl_xmalloc(TL_RULES_MAX + 1);
	struct tl_err err = { .msg = "" };

	memset(text, '#', TL_RULES_MAX + 1);
	memcpy(text, head, sizeof head - 1);
	tap(tl_rules_parse(r, "big.yaml", text, TL_RULES_MAX, &err) == TL_OK,
	    "a document of 1 MiB");
	tap(tl_rules_parse(r, "big.yaml", text, TL_RULES_MAX + 1, &err) ==
	    TL_ERR && strcmp(err.msg,
	    "big.yaml: rules: longer than 1048576 bytes") == 0,
	    "a document of 1 MiB and a byte");
	free(text);
	tl_rules_free(r);
}

static void
test_files(void)
{
	char want[4200];
	struct tl_rules *r = tl_xrules_new();
	struct tl_err err = { .msg = "" };

	snprintf(want, sizeof want, "%s: open: No such file or directory",
	    path_of("none"));
	tap(tl_rules_load(r, path_of("none"), &err) == TL_ERR &&
	    (strlen(want) > 200 || strcmp(err.msg, want) == 0),
	    "a file that is not there");
	snprintf(want, sizeof want, "%s: open: is a directory", path_of(""));
	tap(tl_rules_load(r, path_of(""), &err) == TL_ERR &&
	    (strlen(want) > 200 || strcmp(err.msg, want) == 0), "a folder");
	tap(tl_rules_load(r, path_of("full.yaml"), &err) == TL_OK,
	    "every key of every stage: %s", err.msg);
	tl_rules_free(r);
}

/* Rules that hold nothing. */
static struct tl_rules *
none(void)
{
	struct tl_rules *r = tl_xrules_new();
	struct tl_err err = { .msg = "" };

	if (!parse(r, "schema: traceloom-analysis-rules-v1\n"
	    "classification: {mode: replace, rules: []}\n"
	    "symbol_normalization: {mode: replace, rules: []}\n", &err))
		printf("# %s\n", err.msg);
	return r;
}

/* Counts of what hostile text gave: documents, messages, messages without a
 * place. */
struct outcome {
	size_t good, bad, odd;
};

static void
feed(struct tl_rules **r, const char *text, size_t len, struct outcome *o)
{
	struct tl_err err = { .msg = "" };
	char *copy = tl_xmalloc(len); /* ends where the text does */
	unsigned line, col;

	memcpy(copy, text, len);
	if (tl_rules_parse(*r, "odd", copy, len, &err) == TL_OK) {
		o->good++;
		tl_rules_free(*r);
		*r = none();
	} else if (sscanf(err.msg, "odd:%u:%u: ", &line, &col) == 2) {
		o->bad++;
	} else {
		o->odd++;
	}
	free(copy);
}

/* Every beginning of the compiled-in rules: good or a message with a place,
 * never a crash. */
static void
test_truncated(void)
{
	struct tl_rules *r = none();
	struct outcome o = { 0 };

	for (size_t len = 0; len < tl_default_rules_len;
	    len += len < 3000 || len + 500 > tl_default_rules_len ? 1 : 3)
		feed(&r, tl_default_rules, len, &o);
	feed(&r, tl_default_rules, tl_default_rules_len, &o);
	tap(o.odd == 0 && o.bad > 0 && o.good > 0,
	    "rules cut short: %zu messages, %zu documents", o.bad, o.good);
	tl_rules_free(r);
}

/* Every byte of a document that has all keys put out of place. */
static void
test_mutated(void)
{
	static const char with[] = { '\0', '\n', ' ', ':', '"', '{', ']', '|',
		'&', '*', '!', '-', '\t', '\x80', '\xff', '9', 'a' };
	struct tl_rules *r = none();
	struct outcome o = { 0 };
	size_t len;
	char *text = slurp("full.yaml", &len);

	for (size_t i = 0; i < len; i++) {
		char keep = text[i];

		text[i] = with[i % sizeof with];
		feed(&r, text, len, &o);
		text[i] = keep;
	}
	tap(o.odd == 0 && o.bad > 0 && o.good > 0,
	    "each byte replaced once: %zu messages, %zu documents", o.bad,
	    o.good);
	free(text);
	tl_rules_free(r);
}

static void
test_modes(void)
{
	struct tl_rules *r = with_file("base.yaml");
	struct tl_err err = { .msg = "" };
	struct tl_rules_subject k = { .kind = TL_KERNEL,
		.name = str("one two three") };
	struct tl_rules_result res = apply(r, k);
	struct tl_rules_source src;
	size_t n = 0;

	tap(res.role == TL_ROLE_AUXILIARY && res.cls == TL_COMM &&
	    strcmp(id_of(r, res.role_rule), "one") == 0 &&
	    strcmp(id_of(r, res.class_rule), "two") == 0,
	    "role and class from different rules");
	tap(parse(r, CLASS("extend",
	    "    - {rule_id: three, priority: 10, field: operator, "
	    "match: contains, pattern: three, class: copy, role: anchor}\n"
	    "    - {rule_id: four, priority: 9, field: operator, "
	    "match: contains, pattern: o, class: sync, role: transparent}\n"),
	    &err), "extend: %s", err.msg);
	res = apply(r, k);
	tap(res.role == TL_ROLE_AUXILIARY && res.cls == TL_COMM,
	    "of one priority, the rule that was there first");
	tap(parse(r, CLASS("override",
	    "    - {rule_id: one, priority: 10, field: operator, "
	    "match: contains, pattern: ONE, class: other}\n"), &err),
	    "override: %s", err.msg);
	res = apply(r, k);
	tap(res.cls == TL_CLASS_OTHER && res.role == TL_ROLE_ANCHOR &&
	    strcmp(id_of(r, res.class_rule), "one") == 0 &&
	    strcmp(id_of(r, res.role_rule), "three") == 0,
	    "override replaces the whole rule and keeps its turn");
	tap(parse(r, CLASS("extend",
	    "    - {rule_id: five, priority: 11, field: operator, "
	    "match: exact, pattern: One Two three, class: host}\n"), &err) &&
	    apply(r, k).cls == TL_HOST, "higher priority goes first");
	while (tl_rules_source(r, n, &src))
		n++;
	tap(n == 6, "four documents of classification, one each of two more: "
	    "%zu", n);
	tap(parse(r, "schema: traceloom-analysis-rules-v1\n"
	    "classification: {mode: replace, rules: []}\n", &err) &&
	    apply(r, k).cls == TL_COMPUTE, "replace by nothing");
	tap(tl_rules_source(r, 1, &src) &&
	    src.stage == TL_RULES_CLASSIFICATION &&
	    strcmp(src.origin, "x.yaml") == 0 &&
	    tl_rules_source(r, 2, &src) && src.stage == TL_RULES_SYMBOL &&
	    strcmp(src.origin, "default") == 0 && !tl_rules_source(r, 3, &src),
	    "documents that were replaced are no longer told of");
	tl_rules_free(r);
}

static void
test_counts(void)
{
	struct tl_rules *r = with_file("base.yaml");
	struct tl_rules_subject s = { .kind = TL_KERNEL,
		.name = str("one two") };
	struct tl_rules_result res = apply(r, s);
	struct tl_rules_info info;
	struct tl_err err = { .msg = "" };

	tl_rules_hit(r, &res, 40);
	tl_rules_hit(r, &res, 2);
	tap(tl_rules_info(r, 0, &info) && info.hits == 42 &&
	    strcmp(info.id, "one") == 0 && info.line == 5 &&
	    strcmp(info.origin, "base.yaml") == 0 &&
	    info.stage == TL_RULES_CLASSIFICATION, "hits of the first rule");
	tap(tl_rules_info(r, 1, &info) && info.hits == 42 && info.line == 11,
	    "hits of the second rule");
	tap(tl_rules_info(r, 2, &info) && info.hits == 0 &&
	    info.stage == TL_RULES_SYMBOL, "then rules for symbols");
	s.name = str("no");
	res = apply(r, s);
	tl_rules_hit(r, &res, 1);
	tap(tl_rules_info(r, 0, &info) && info.hits == 42,
	    "no rule, no hit");
	tl_rules_free(r);

	r = tl_xrules_new();
	if (!parse(r, CLASS("replace", "    - {rule_id: a, priority: 1, "
	    "field: blob, match: contains, pattern: o, role: anchor, "
	    "class: comm}\n"), &err))
		printf("# %s\n", err.msg);
	res = apply(r, s);
	tl_rules_hit(r, &res, 3);
	tap(tl_rules_info(r, 0, &info) && info.hits == 3,
	    "a rule for role and class counts once");
	tl_rules_free(r);
}

static void
test_sources(void)
{
	struct tl_rules *r = with_file("full.yaml");
	struct tl_rules_source src;
	char got[256] = "", digest[TL_SHA256_HEX];
	struct tl_err err = { .msg = "" };

	for (size_t i = 0; tl_rules_source(r, i, &src); i++) {
		strncat(got, tl_rules_stage_name(src.stage), 30);
		strncat(got, *src.origin == 'd' ? "-d " : "-f ", 4);
	}
	tap(strcmp(got, "event_reconciliation-d event_reconciliation-f "
	    "classification-d classification-f symbol_normalization-d symbol_normalization-f "
	    "macro_matching-f structure-f ") == 0,
	    "documents by stage: %s", got);
	tl_sha256_hex(tl_default_rules, tl_default_rules_len, digest);
	tap(tl_rules_source(r, 2, &src) && strcmp(src.digest, digest) == 0,
	    "digest of the compiled-in rules");
	tap(parse(r, "schema: traceloom-analysis-rules-v1\n"
	    "macro_matching: {}\n", &err) && tl_rules_source(r, 6, &src) &&
	    src.stage == TL_RULES_MACRO && strcmp(src.origin, "x.yaml") == 0 &&
	    tl_rules_source(r, 7, &src) && src.stage == TL_RULES_STRUCTURE,
	    "the last macro_matching counts");
	/* printf 'schema: traceloom-analysis-rules-v1\nmacro_matching: {}\n' |
	 * sha256sum */
	tap(tl_rules_source(r, 6, &src) && strcmp(src.digest,
	    "904fef219e10cf2e96e34118519a3b17"
	    "98e1adeaa42bcb1785b752c8f04c0720") == 0,
	    "digest of a document");
	tl_rules_free(r);
}

static void
test_env(void)
{
	struct tl_rules *r;
	const char *over[1];
	struct tl_rules_subject s = { .kind = TL_KERNEL,
		.name = str("one two") };
	char env[4096];

	snprintf(env, sizeof env, "%s", path_of("base.yaml"));
	setenv("TL_RULES", env, 1);
	r = tl_xrules_open(NULL, 0);
	tap(apply(r, s).cls == TL_COMM, "TL_RULES names a file");
	tl_rules_free(r);
	over[0] = path_of("full.yaml");
	r = tl_xrules_open(over, 1);
	tap(apply(r, s).cls == TL_COMM &&
	    strcmp(id_of(r, 3), "full.class") == 0,
	    "files are read after TL_RULES");
	tl_rules_free(r);
	setenv("TL_RULES", "", 1);
	r = tl_xrules_open(NULL, 0);
	tap(apply(r, s).cls == TL_COMPUTE, "TL_RULES empty");
	tl_rules_free(r);
	unsetenv("TL_RULES");
}

int
main(void)
{
	unsetenv("TL_RULES");
	test_bad();
	test_bad_bytes();
	test_size();
	test_files();
	test_truncated();
	test_mutated();
	test_modes();
	test_counts();
	test_sources();
	test_env();
	return tap_done();
}
