/* evids.h: ids of events with and without gaps; positions, occurrences. */
#include "evids.h"

#include "tap.h"

static struct tl_str
str(const char *s)
{
	return (struct tl_str){ s, strlen(s) };
}

static void
test_ids(uint64_t first, uint64_t step, size_t gap_at)
{
	struct tl_evids ids = { .n = 0 };
	uint64_t id = first;
	size_t bad = 0;

	for (size_t i = 0; i < 100; i++) {
		tl_xevids_add(&ids, id);
		id += step + (i == gap_at);
	}
	id = first;
	for (size_t i = 0; i < 100; i++) {
		bad += tl_evids_find(&ids, id) != i;
		if (step + (i == gap_at) > 1)
			bad += tl_evids_find(&ids, id + 1) != TL_NO_EVENT;
		id += step + (i == gap_at);
	}
	bad += tl_evids_find(&ids, id) != TL_NO_EVENT;
	bad += tl_evids_find(&ids, first - 1) != TL_NO_EVENT;
	bad += tl_evids_find(&ids, 0) != TL_NO_EVENT;
	tap(bad == 0, "from %llu by %llu, gap at %zu: %zu bad",
	    (unsigned long long)first, (unsigned long long)step, gap_at, bad);
	tap((ids.id == NULL) == (step == 1 && gap_at > 98),
	    "no list without a gap");
	tl_evids_free(&ids);
}

static void
test_names(void)
{
	static const struct {
		const char *text;
		uint32_t number, n;
	} good[] = {
		{ "N001#1", 1, 1 }, { "N012#7", 12, 7 },
		{ "N999#4294967294", 999, 4294967294U },
		{ "N1000#12", 1000, 12 }, { "N4294967294#1", 4294967294U, 1 },
	};
	static const char *const bad[] = {
		"", ".", "N", "N1", "N01", "N000", "N0001", "M001", "N00a",
		"N001#", "N001#0", "N001#01", "N001#x", "#1", "N001 #1",
		"N4294967295", "N99999999999999999999", "N001#4294967295",
		"n001", "N001#1#1", "N-01",
	};
	uint32_t number, n;

	for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
		struct tl_str s = str(good[i].text), pos = s;

		pos.n = (size_t)(strchr(s.p, '#') - s.p);
		tap(tl_occ_parse(s, &number, &n) && n == good[i].n &&
		    number == good[i].number, "%s", good[i].text);
		tap(tl_pos_parse(pos, &number) && number == good[i].number,
		    "its position");
		tap(!tl_pos_parse(s, &number) && !tl_occ_parse(pos, &number,
		    &n), "neither is the other");
	}
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		tap(!tl_pos_parse(str(bad[i]), &number) &&
		    !tl_occ_parse(str(bad[i]), &number, &n), "no '%s'", bad[i]);
}

int
main(void)
{
	struct tl_evids none = { .n = 0 };

	tap(tl_evids_find(&none, 1) == TL_NO_EVENT &&
	    tl_evids_find(&none, 0) == TL_NO_EVENT, "nothing in nothing");
	test_ids(1, 1, 1000);
	test_ids(7, 1, 1000);
	test_ids(1, 1, 0);
	test_ids(5, 1, 50);
	test_ids(1, 1, 98);
	test_ids(3, 4, 1000);
	test_names();
	return tap_done();
}
