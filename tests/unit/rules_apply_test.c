/* rules.h: what rules say of events. Classes of the names in
 * tests/rules/names.tsv were written down by hand, from the sources that the
 * kernels come from. */
#include "rules_util.h"

static void
test_names(void)
{
	struct tl_rules *r = tl_xrules_new();
	size_t len;
	char *text = slurp("names.tsv", &len);

	for (char *line = text, *next; *line != '\0'; line = next) {
		char *name = strchr(line, '\t');
		struct tl_rules_result cuda, any;

		next = strchr(line, '\n');
		*next++ = '\0';
		if (*line == '#' || name == NULL)
			continue;
		*name++ = '\0';
		cuda = apply(r, (struct tl_rules_subject){ .provider = "cuda",
			.kind = TL_KERNEL, .name = str(name) });
		any = apply(r, (struct tl_rules_subject){ .kind = TL_KERNEL,
			.name = str(name) });
		tap(strcmp(tl_class_name(cuda.cls), line) == 0 &&
		    any.cls == cuda.cls && cuda.role == TL_ROLE_ANCHOR &&
		    cuda.symbol.n == 0 && cuda.outcome == TL_SYMBOL_IDENTITY,
		    "%s: %.60s (%s)", line, name, id_of(r, cuda.class_rule));
	}
	free(text);
	tl_rules_free(r);
}

static void
test_kinds(void)
{
	static const struct {
		enum tl_kind kind;
		const char *name;
		enum tl_class cls;
		enum tl_rules_role role;
	} t[] = {
		{ TL_KERNEL, "gemm", TL_COMPUTE, TL_ROLE_ANCHOR },
		{ TL_MEMCPY, "Memcpy PtoP (Device -> Device)", TL_COPY,
		    TL_ROLE_AUXILIARY },
		{ TL_MEMSET, "Memset (Device)", TL_COPY, TL_ROLE_AUXILIARY },
		{ TL_SYNC, "Stream Sync", TL_CLASS_SYNC, TL_ROLE_AUXILIARY },
		{ TL_TASK, "Other", TL_CLASS_OTHER, TL_ROLE_ANCHOR },
		{ TL_API, "ncclKernel", TL_HOST, TL_ROLE_ANCHOR },
		{ TL_OP, "nccl:all_reduce", TL_HOST, TL_ROLE_ANCHOR },
		{ TL_RANGE, "ncclAllReduce", TL_HOST, TL_ROLE_ANCHOR },
		{ TL_MARK, "hccl", TL_HOST, TL_ROLE_ANCHOR },
	};
	struct tl_rules *r = tl_xrules_new();

	for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
		struct tl_rules_result res = apply(r,
		    (struct tl_rules_subject){ .provider = "cuda",
			.kind = t[i].kind, .name = str(t[i].name) });

		tap(res.cls == t[i].cls && res.role == t[i].role &&
		    res.class_rule == TL_RULES_NONE, "kind %s, '%s'",
		    tl_kind_name(t[i].kind), t[i].name);
	}
	tl_rules_free(r);
}

/* Tasks of an Ascend capture: type, op type, name of the collective. */
static void
test_ascend(void)
{
	static const struct {
		const char *type, *op_type, *comm_name;
		enum tl_class cls;
		enum tl_rules_role role;
		const char *symbol;
	} t[] = {
		{ "KERNEL_AICORE", "MatMulV2", "", TL_COMPUTE, TL_ROLE_ANCHOR,
		    "MatMul" },
		{ "KERNEL_AIVEC", "BroadcastTo", "", TL_COMPUTE,
		    TL_ROLE_ANCHOR, "BroadcastTo" },
		{ "AI_CORE", "", "", TL_COMPUTE, TL_ROLE_TRANSPARENT,
		    "AI_CORE" },
		{ "AI_CORE", "Add", "", TL_COMPUTE, TL_ROLE_ANCHOR, "Add" },
		{ "Notify Wait", "", "", TL_CLASS_SYNC, TL_ROLE_AUXILIARY,
		    "Notify Wait" },
		{ "Notify Wait", "", "hcom_allReduce__865_3_1", TL_COMM,
		    TL_ROLE_AUXILIARY, "hcom_allReduce__865_3_1" },
		{ "SDMA", "", "", TL_COPY, TL_ROLE_AUXILIARY, "SDMA" },
		{ "MEMCPY_ASYNC", "", "", TL_COPY, TL_ROLE_AUXILIARY,
		    "MEMCPY_ASYNC" },
		{ "EVENT_RECORD", "", "", TL_CLASS_SYNC, TL_ROLE_AUXILIARY,
		    "EVENT_RECORD" },
		{ "REDUCE_ASYNC_V2", "", "", TL_CLASS_OTHER, TL_ROLE_ANCHOR,
		    "REDUCE_ASYNC_V2" },
		{ "KERNEL_AICPU", "allreduceAicpuKernel", "", TL_COMM,
		    TL_ROLE_ANCHOR, "allreduceAicpuKernel" },
		{ "KERNEL_AIVEC", "aiv_all_reduce_910b_bigdata", "", TL_COMM,
		    TL_ROLE_ANCHOR, "AIV_AllReduce" },
		{ "KERNEL_MIX_AIC", "BatchMatMulV3_ND_int8_high_precision_1",
		    "", TL_COMPUTE, TL_ROLE_ANCHOR, "MatMul" },
		{ "MIX_AIV", "ReduceSum_0123456789abcdef0123456789abcdef_1",
		    "", TL_COMPUTE, TL_ROLE_ANCHOR, "ReduceSum" },
	};
	struct tl_rules *r = tl_xrules_new();

	for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
		struct tl_rules_result res = apply(r,
		    (struct tl_rules_subject){ .provider = "ascend",
			.kind = TL_TASK, .name = str("x"),
			.task_type = str(t[i].type),
			.op_type = str(t[i].op_type),
			.comm_name = str(t[i].comm_name) });
		bool named = t[i].op_type[0] != '\0' ||
		    t[i].comm_name[0] != '\0';

		tap(res.cls == t[i].cls && res.role == t[i].role &&
		    (!named ? res.symbol.n == 0 :
		    tl_str_is(res.symbol, t[i].symbol)),
		    "ascend %s '%s' '%s': %s %.*s", t[i].type, t[i].op_type,
		    t[i].comm_name, tl_class_name(res.cls), (int)res.symbol.n,
		    res.symbol.p);
	}
	tl_rules_free(r);
}

/* Collectives as such: op name, op type, symbol. */
static void
test_collectives(void)
{
	static const struct {
		const char *name, *type, *symbol;
	} t[] = {
		{ "hcom_allReduce__865_3_1", "hcom_allReduce_", "AllReduce" },
		{ "hcom_broadcast__1", "hcom_broadcast_", "Broadcast" },
		{ "HcclAllGather", "x", "AllGather" },
		{ "reduceScatter_1", "", "ReduceScatter" },
		{ "x", "hcom_alltoallv_", "AllToAll" },
		{ "12_3", "", "AllReduce" },
		{ "12_3", "hcom_broadcast_", "AllReduce" },
		{ "_12", "", "" }, { "12", "", "" },
		{ "hcom_send_", "hcom_send_", "" },
		{ "AllGather_reduceScatter", "", "ReduceScatter" },
	};
	struct tl_rules *r = tl_xrules_new();

	for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
		struct tl_rules_result res = apply(r,
		    (struct tl_rules_subject){ .provider = "ascend",
			.kind = TL_TASK, .communication = true,
			.name = str(t[i].name), .op_name = str(t[i].name),
			.op_type = str(t[i].type) });

		tap(res.cls == TL_COMM && res.role == TL_ROLE_ANCHOR &&
		    tl_str_is(res.symbol, t[i].symbol),
		    "collective '%s' '%s': '%s'", t[i].name, t[i].type,
		    t[i].symbol);
	}
	tl_rules_free(r);
}

/* One classification rule, and whether it matches a subject. */
static bool
matches(const char *keys, struct tl_rules_subject s)
{
	struct tl_rules *r = tl_xrules_new();
	struct tl_err err = { .msg = "" };
	struct tl_rules_result res;
	char doc[1024];

	snprintf(doc, sizeof doc, CLASS("replace",
	    "    - {rule_id: a, priority: 1, class: host, %s}\n"), keys);
	if (!parse(r, doc, &err))
		printf("# %s\n", err.msg);
	tl_rules_apply(r, &s, &res);
	tl_rules_free(r);
	return res.cls == TL_HOST;
}

static void
test_matching(void)
{
	struct tl_rules_subject task = { .provider = "ascend",
		.kind = TL_TASK, .name = str("shown"), .op_type = str("OpT"),
		.op_name = str("nm/Foo"), .compute_type = str("CT"),
		.task_type = str(" Notify  Wait.") };
	struct tl_rules_subject bare = { .provider = "ascend",
		.kind = TL_TASK, .task_type = str("TT"), .name = str("TT") };
	struct tl_rules_subject kernel = { .provider = "cuda",
		.kind = TL_KERNEL, .name = str("void A::Foo<int>::bar(B::x)") };
	struct tl_rules_subject copy = { .provider = "hip",
		.kind = TL_MEMCPY, .name = str("Memcpy HtoD") };
	struct tl_rules_subject odd = { .kind = TL_KERNEL,
		.name = str("x") };
	static const struct {
		const char *keys;
		int bits; /* task, bare, kernel, copy, odd from the left */
	} t[] = {
		{ "field: operator, match: exact, pattern: OpT", 020 },
		{ "field: operator, match: exact, pattern: opt", 020 },
		{ "field: operator, match: exact, pattern: Op", 0 },
		{ "field: operator, match: contains, pattern: P", 022 },
		{ "field: operator, match: exact, pattern: nm/Foo", 0 },
		{ "field: operator, match: exact, pattern: tt", 010 },
		{ "field: task_type, match: exact, pattern: notify_wait",
		    020 },
		{ "field: task_type, match: exact, pattern: 'notify: wait!'",
		    020 },
		{ "field: task_type, match: contains, pattern: ify wa", 020 },
		{ "field: task_type, match: exact, pattern: cuda_kernel", 04 },
		{ "field: task_type, match: exact, pattern: HIP_MEMCPY_AUX",
		    02 },
		{ "field: task_type, match: contains, pattern: K", 04 },
		{ "field: blob, match: exact, "
		    "pattern: 'opt nm/foo OpT ct  notify  wait.'", 020 },
		{ "field: blob, match: contains, pattern: Opt nm/foo OPT ct",
		    020 },
		{ "field: blob, match: exact, pattern: tt tt", 010 },
		{ "field: blob, match: exact, pattern: memcpy htod "
		    "hip_memcpy_aux", 02 },
		{ "field: blob, match: exact, pattern: x", 01 },
		{ "field: blob, match: contains, pattern: shown", 0 },
		{ "field: operator, match: contains, pattern: foo<INT>", 04 },
		{ "field: operator, match: function, pattern: foo::bar", 04 },
		{ "field: operator, match: function, pattern: a::foo::b", 04 },
		{ "field: operator, match: function, pattern: a::foo", 0 },
		{ "field: operator, match: function, pattern: 'a::foo::'",
		    04 },
		{ "field: operator, match: function, pattern: 'a::'", 04 },
		{ "field: operator, match: function, pattern: ar", 0 },
		{ "field: operator, match: function, pattern: 'x|no|B'", 05 },
		{ "field: operator, match: function, pattern: void", 0 },
		{ "field: operator, match: function, pattern: Op", 020 },
		{ "field: blob, match: contains, pattern: x, "
		    "provider_scope: any", 07 },
		{ "field: blob, match: contains, pattern: x, "
		    "provider_scope: cuda", 04 },
		{ "field: blob, match: contains, pattern: m, "
		    "provider_scope: hygon", 02 },
		{ "field: task_type, match: contains, pattern: t, "
		    "concrete_identity_behavior: defer_to_identity_rules",
		    010 },
		{ "field: operator, match: contains, pattern: x, "
		    "required_fields: 'operator,task_type'", 04 },
	};
	const struct tl_rules_subject *s[] = { &task, &bare, &kernel, &copy,
		&odd };

	for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
		int got = 0;

		for (size_t j = 0; j < 5; j++)
			got |= matches(t[i].keys, *s[j]) << (4 - j);
		tap(got == t[i].bits, "%s: %02o, want %02o", t[i].keys,
		    (unsigned)got, (unsigned)t[i].bits);
	}
}

/* One symbol rule on a task; the symbol, "" for none of its own. */
static void
symbol(const char *keys, const char *op_type, const char *want)
{
	struct tl_rules *r = tl_xrules_new();
	struct tl_err err = { .msg = "" };
	struct tl_rules_result res;
	char doc[1024];

	snprintf(doc, sizeof doc, SYMBOL("replace", "    - {rule_id: a, "
	    "priority: 1, provider_scope: ascend, source_domain: task, "
	    "%s}\n"), keys);
	if (!parse(r, doc, &err))
		printf("# %s\n", err.msg);
	res = apply(r, (struct tl_rules_subject){ .provider = "ascend",
		.kind = TL_TASK, .name = str(op_type),
		.op_type = str(op_type), .op_name = str("nm"),
		.comm_name = str("cn"), .task_type = str("TT"),
		.compute_type = str("CT"), .linked_name = str("ln") });
	if (!tap(tl_str_is(res.symbol, want), "%s, '%s': '%s'", keys, op_type,
	    want))
		printf("# got '%.*s'\n", (int)res.symbol.n, res.symbol.p);
	tl_rules_free(r);
}

#define S "structural_symbol: S, field: "
#define BASE "field: selected, structural_symbol: '{kernel_base}', " \
	"match: ascend_decorated_kernel, pattern: '*'"
#define HEX "0123456789abcdef0123456789ABCDEF"

static void
test_symbols(void)
{
	static const char *const t[][3] = {
		{ S "selected, match: exact, pattern: OpT", "OpT", "S" },
		{ S "selected, match: exact, pattern: opt", "OpT", "" },
		{ S "selected, match: exact, pattern: OpT|x", "OpT", "" },
		{ S "selected, match: exact_any, pattern: x|OpT", "OpT", "S" },
		{ S "selected, match: exact_any, pattern: x|nm", "OpT", "" },
		{ S "any_identity, match: exact_any, pattern: x|nm", "OpT",
		    "S" },
		{ S "any_identity, match: exact, pattern: CT", "OpT", "S" },
		{ S "any_identity, match: exact, pattern: TT", "OpT", "S" },
		{ S "any_identity, match: exact, pattern: cn", "OpT", "S" },
		{ S "any_identity, match: exact, pattern: ln", "OpT", "" },
		{ S "op_name, match: exact, pattern: nm", "OpT", "S" },
		{ S "op_type, match: exact, pattern: nm", "OpT", "" },
		{ S "comm_name, match: exact, pattern: cn", "OpT", "S" },
		{ S "task_type, match: exact, pattern: TT", "OpT", "S" },
		{ S "compute_task_type, match: exact, pattern: CT", "OpT",
		    "S" },
		{ S "linked_task_name, match: exact, pattern: ln", "OpT",
		    "" },
		{ S "selected, match: contains_ci, pattern: PT", "xOpTx",
		    "S" },
		{ S "selected, match: contains_ci, pattern: a|p", "xOpTx",
		    "" },
		{ S "selected, match: contains_any_ci, pattern: a|p", "xOpTx",
		    "S" },
		{ S "selected, match: opaque_numeric_instance, pattern: _",
		    "12_3", "S" },
		{ S "selected, match: opaque_numeric_instance, pattern: _",
		    "1_2_", "S" },
		{ S "selected, match: opaque_numeric_instance, pattern: _",
		    "_12", "" },
		{ S "selected, match: opaque_numeric_instance, pattern: _",
		    "12", "" },
		{ S "selected, match: opaque_numeric_instance, pattern: _",
		    "1_a", "" },
		{ BASE, "Add_" HEX, "Add" }, { BASE, "Add_" HEX "_x", "Add" },
		{ BASE, "Add_" HEX "0", "" }, { BASE, "Add_x_" HEX, "" },
		{ BASE, "_" HEX, "" },
		{ BASE, "Foo_x_high_performance_y", "Foo" },
		{ BASE, "Foo_x_high_performance", "" },
		{ BASE, "Foo__optional_", "Foo" },
		{ BASE, "MatMulV2_ND_x", "MatMulV2" },
		{ BASE, "BatchMatMulV3_NZ", "BatchMatMulV3" },
		{ BASE, "MatMulV2_FP16_ND", "" }, { BASE, "MatMul_ND", "" },
		{ BASE, "Foo_ND", "" },
		{ S "selected, match: ascend_kernel_base_exact_any, "
		    "pattern: Foo|MatMulV2", "MatMulV2", "S" },
		{ S "selected, match: ascend_kernel_base_exact_any, "
		    "pattern: Foo|MatMulV2", "MatMulV2_NZ_1", "S" },
		{ S "selected, match: ascend_kernel_base_exact_any, "
		    "pattern: Foo|MatMulV2", "MatMulV2_1", "" },
		{ S "selected, match: ascend_kernel_base_exact_any, "
		    "pattern: Foo|MatMulV2", "Foo_" HEX, "S" },
		{ S "selected, match: ascend_kernel_base_exact_any, "
		    "pattern: Foo_" HEX, "Foo_" HEX, "" },
	};

	for (size_t i = 0; i < sizeof t / sizeof *t; i++)
		symbol(t[i][0], t[i][1], t[i][2]);
}

static void
test_conflict(void)
{
	struct tl_rules *r = tl_xrules_new();
	struct tl_err err = { .msg = "" };
	struct tl_rules_subject s = { .kind = TL_KERNEL, .name = str("abc") };
	struct tl_rules_result res;

	if (!parse(r, SYMBOL("replace",
	    "    - {rule_id: low, priority: 1, provider_scope: any, "
	    "source_domain: task, field: selected, match: exact, "
	    "pattern: abc, structural_symbol: L}\n"
	    "    - {rule_id: a, priority: 5, provider_scope: any, "
	    "source_domain: task, field: selected, match: contains_ci, "
	    "pattern: a, structural_symbol: S}\n"
	    "    - {rule_id: b, priority: 5, provider_scope: any, "
	    "source_domain: task, field: selected, match: contains_ci, "
	    "pattern: b, structural_symbol: S}\n"), &err))
		printf("# %s\n", err.msg);
	res = apply(r, s);
	tap(res.outcome == TL_SYMBOL_CONFLICT && res.symbol.n == 0 &&
	    res.symbol_rule == TL_RULES_NONE,
	    "two rules of one priority: the symbol stays");
	s.name = str("a");
	res = apply(r, s);
	tap(res.outcome == TL_SYMBOL_CANONICALIZED &&
	    tl_str_is(res.symbol, "S") &&
	    strcmp(id_of(r, res.symbol_rule), "a") == 0, "one of them");
	s.kind = TL_OP;
	res = apply(r, s);
	tap(res.outcome == TL_SYMBOL_IDENTITY && res.symbol.n == 0,
	    "host events have no symbol");
	tl_rules_free(r);
}

/* The example of the page, and what the page says of function names. */
static void
test_page(void)
{
	static const char *const yes[] = { "reduce", "red",
		"ns::(anonymous namespace)::r", "ns::" };
	static const char *const no[] = { "duce", "ns" };
	struct tl_rules_subject s = { .kind = TL_KERNEL, .name = str("void "
	    "ns::(anonymous namespace)::reduce<float, 4>(ns::Data*)") };
	struct tl_rules *r = tl_xrules_new();
	struct tl_err err = { .msg = "" };
	size_t len;
	char *page = slurp("../../man/tl-rules.5", &len), keys[256];
	char *from = strstr(page, "\nschema:"), *to = NULL;

	if (from != NULL && (to = strstr(from, "\n.Ed")) != NULL)
		to[1] = '\0';
	tap(to != NULL && parse(r, from + 1, &err), "the page's example %s",
	    err.msg);
	tl_rules_free(r);
	free(page);
	for (size_t i = 0; i < 6; i++) {
		const char *pat = i < 4 ? yes[i] : no[i - 4];

		snprintf(keys, sizeof keys, "field: operator, match: function,"
		    " pattern: '%s'", pat);
		tap(matches(keys, s) == (i < 4), "the page's function: %s",
		    pat);
	}
	s.name = str("_ZN2ns6reduceIfEEvv");
	tap(matches("field: operator, match: function, pattern: ns::red", s),
	    "the page's mangled name");
}

int
main(void)
{
	test_names();
	test_kinds();
	test_ascend();
	test_collectives();
	test_matching();
	test_symbols();
	test_conflict();
	test_page();
	return tap_done();
}
