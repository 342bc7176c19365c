/* tl-recover_core.h: what tests/recover.py does not see: the parts, large
 * sequences, and the members of the tree. */
#include "recover.h"

#include <inttypes.h>

#include "tap.h"

static uint64_t state = 88172645463325252;

static uint32_t
below(uint32_t n)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (uint32_t)(state >> 32) % n;
}

/* -1, 0, 1 as suffix a is before, equal to or behind suffix b. */
static int
order(const uint32_t *s, size_t n, size_t a, size_t b)
{
	for (; a < n && b < n; a++, b++)
		if (s[a] != s[b])
			return s[a] < s[b] ? -1 : 1;
	return a == n ? (b == n ? 0 : -1) : 1;
}

static bool
right_suffixes(const uint32_t *s, size_t n, uint32_t top)
{
	uint32_t sa[80], lcp[80], len;
	size_t i;

	rec_suffixes(s, n, top, sa, lcp);
	for (i = 1; i < n; i++) {
		if (order(s, n, sa[i - 1], sa[i]) >= 0)
			return false;
		for (len = 0; sa[i - 1] + len < n && sa[i] + len < n &&
		    s[sa[i - 1] + len] == s[sa[i] + len]; len++)
			;
		if (len != lcp[i])
			return false;
	}
	return true;
}

static void
test_suffixes(void)
{
	uint32_t s[80], k, i, bad = 0, turn;
	size_t n;

	for (turn = 0; turn < 5000; turn++) {
		n = 1 + below(80);
		k = 1 + below(6);
		for (i = 0; i < n; i++)
			s[i] = below(k);
		bad += !right_suffixes(s, n, k - 1);
	}
	tap(bad == 0, "suffix arrays of %" PRIu32 " words", turn);
}

static void
test_log(void)
{
	struct rec_chance c;
	uint32_t i, bad = 0;

	rec_chance_init(&c, NULL, 0);
	for (i = 0; i < 63; i++)
		bad += rec_chance_log(&c, UINT64_C(1) << i) != i << 16;
	tap(bad == 0, "log2 of powers");
	/* 65536 * log2(x) is 103872.0, 217705.7 and 1306235.0 */
	tap(rec_chance_log(&c, 3) == 103872 &&
	    rec_chance_log(&c, 10) == 217705 &&
	    1306235 - rec_chance_log(&c, 1000003) < 32, "log2 of others");
	rec_chance_free(&c);
}

static void
test_texts(void)
{
	uint32_t *s = tl_xcalloc(20000, sizeof(*s)), i, bad = 0;
	struct rec_text t;
	size_t a, b, len;

	for (i = 0; i < 20000; i++)
		s[i] = i < 7000 ? below(3) : s[i - 7000];
	s[15000] += 3;
	rec_text_init(&t, s, 20000);
	for (i = 0; i < 20000; i++) {
		a = below(10000);
		b = below(2) ? a + 7000 : a + 1 + below(9000);
		for (len = 0; b + len < 20000 && s[a + len] == s[b + len];)
			len++;
		bad += rec_text_lce(&t, a, b, 20000) != len;
		for (len = 0; len < a && s[a - 1 - len] == s[b - 1 - len];)
			len++;
		bad += rec_text_lcs(&t, a, b, 0) != len;
		if (b < 13000)
			bad += (rec_text_hash(&t, a, 7000) ==
			    rec_text_hash(&t, b, 7000)) !=
			    rec_text_same(&t, a, b, 7000);
	}
	tap(bad == 0, "common prefixes and suffixes");
	rec_text_free(&t);
	free(s);
}

/* The tree of n events, its form checked. */
static struct rec_tree
tree_of(const uint32_t *s, size_t n, uint32_t n_sym, const char *what)
{
	struct rec_seq seq = {.n = n, .sym = s, .n_sym = n_sym};
	struct rec_tree tree;
	const char *why;

	rec_recover(&tree, &seq);
	why = recover_wrong(&tree, &seq);
	tap(why == NULL, "%s: %s", what, why != NULL ? why : "sound");
	return tree;
}

/* 50 steps of p, 40 layers of 9 kernels, e. */
static void
test_members(void)
{
	enum { STEPS = 50, LAYERS = 40, KERNELS = 9 };
	enum { STEP = LAYERS * KERNELS + 2 };
	uint32_t s[STEPS * STEP], i, x;
	const struct rec_body *body;
	struct rec_tree t;

	for (i = 0; i < STEPS * STEP; i++) {
		x = i % STEP;
		s[i] = x == 0 || x == STEP - 1 ? x == 0 : 2 + (x - 1) % KERNELS;
	}
	t = tree_of(s, STEPS * STEP, 100, "steps of layers");
	tap(t.n_tok == 1 && t.tok[0].first == 0 && t.tok[0].n == STEPS * STEP &&
	    t.tok[0].head == 0 && t.tok[0].tail == 0, "one token");
	tap(t.n_def == 2 && t.n_body == 2 && t.n_sym == 100 &&
	    t.tok[0].def == 101 && t.def[1].count == STEPS &&
	    t.def[1].len == STEPS * STEP && t.def[0].count == LAYERS &&
	    t.def[0].len == LAYERS * KERNELS, "two loops");
	body = &t.body[t.def[1].body];
	tap(body->n_item == 3 && body->len == STEP && body->depth == 2 &&
	    body->item[0] == 1 && body->item[1] == 100 && body->item[2] == 0 &&
	    t.body[t.def[0].body].depth == 1, "a body of three");
	tap(t.stat.n_loop == 2 && t.stat.n_block == 0 && t.stat.n_top == 1 &&
	    t.stat.depth == 2 && t.stat.phase[REC_PHASE_NONE] == 2 &&
	    t.stat.budget == 0, "counts");
	rec_tree_free(&t);
}

/* Steps cut at both ends, between events that occur once; the phase and what
 * it rests on. */
static void
test_phases(void)
{
	enum { N = 95, P = 10 };
	uint32_t s[N], i;
	int64_t gap[N];
	uint8_t mark[N];
	struct rec_seq seq = {.n = N, .sym = s, .n_sym = P};
	struct rec_tree t;

	for (i = 0; i < N; i++) {
		s[i] = i % P;
		gap[i] = i % P == 3 ? 500 : 20;
		mark[i] = i % P == 2;
	}
	rec_recover(&t, &seq);
	tap(t.n_tok == 1 && t.tok[0].head == 0 && t.tok[0].tail == 5 &&
	    t.stat.phase[REC_PHASE_LEFT] == 1, "the leftmost phase");
	rec_tree_free(&t);
	seq.gap_ns = gap;
	rec_recover(&t, &seq);
	tap(t.n_tok == 1 && t.tok[0].head == 3 && t.tok[0].tail == 2 &&
	    t.body[0].phase == REC_PHASE_GAP, "the phase of the gaps");
	rec_tree_free(&t);
	seq.mark = mark;
	rec_recover(&t, &seq);
	tap(t.n_tok == 1 && t.tok[0].head == 2 && t.tok[0].tail == 3 &&
	    t.body[0].phase == REC_PHASE_MARK, "the phase of the marks");
	rec_tree_free(&t);
	for (i = 0; i < N; i++)
		mark[i] = i % P == 7;
	rec_recover(&t, &seq);
	tap(t.tok[0].head == 3, "marks that would lose an iteration");
	rec_tree_free(&t);
}

/* Strings full of repetitions: the tree has to stand, and to be small. */
static void
test_strings(void)
{
	enum { N = 200000 };
	uint32_t *s = tl_xcalloc(N, sizeof(*s)), i, a = 1, b = 2, n;
	struct rec_tree t;

	s[1] = 1;
	for (; b < N; n = a + b, a = b, b = n)
		for (i = b; i < a + b && i < N; i++)
			s[i] = s[i - b];
	t = tree_of(s, N, 2, "a Fibonacci word");
	tap(t.n_tok < 100 && t.stat.depth <= 36, "in few tokens");
	rec_tree_free(&t);
	for (i = 0; i < N; i++) {
		for (s[i] = 0, n = i; n > 0; n &= n - 1)
			s[i] ^= 1;
	}
	t = tree_of(s, N, 2, "a Thue-Morse word");
	tap(t.n_tok < N / 100 && t.stat.depth <= 36, "in few tokens");
	rec_tree_free(&t);
	for (i = 0; i < N; i++)
		s[i] = i < N / 2 ? below(300) : s[i - N / 2];
	t = tree_of(s, N, 300, "one half twice");
	tap(t.n_tok == 1 && t.body[0].len == N / 2 &&
	    t.body[0].n_item == N / 2, "is a loop of two");
	rec_tree_free(&t);
	/* each ramp is most of the next */
	for (i = a = 0; i < N; a = (a + 1) % 300)
		for (b = 0; b <= a && i < N; b++)
			s[i++] = b;
	t = tree_of(s, N, 300, "ramps");
	tap(t.n_tok < 10 && t.stat.depth <= 4 * 17, "are not one in the next");
	rec_tree_free(&t);
	for (i = 0; i < N; i++)
		s[i] = below(7);
	t = tree_of(s, N, 7, "noise");
	tap(t.n_tok == N && t.n_def == 0, "is noise");
	rec_tree_free(&t);
	free(s);
}

int
main(void)
{
	test_suffixes();
	test_log();
	test_texts();
	test_members();
	test_phases();
	test_strings();
	return tap_done();
}
