/* ev.h, evin.h, evout.h: events, and streams read and written. */
#include "ev.h"

#include <dirent.h>
#include <stdlib.h>
#include <unistd.h>

#include "evin.h"
#include "evout.h"
#include "tmp.h"

#include "tap.h"

static struct tl_str
str(const char *s)
{
	return (struct tl_str){ s, strlen(s) };
}

static void
test_names(void)
{
	bool ok = true;

	for (int k = 0; k < TL_N_KINDS; k++)
		ok &= tl_kind_of(str(tl_kind_name((enum tl_kind)k))) ==
		    (enum tl_kind)k;
	for (int c = 0; c < TL_N_CLASSES; c++)
		ok &= tl_class_of(str(tl_class_name((enum tl_class)c))) ==
		    (enum tl_class)c;
	tap(ok, "names of kinds and classes lead back");
	tap(tl_kind_of(str("end")) == TL_OTHER &&
	    tl_kind_of(str("")) == TL_OTHER &&
	    tl_kind_of(str("kernels")) == TL_OTHER &&
	    tl_kind_of(str("kerne")) == TL_OTHER, "other words are no kinds");
	tap(tl_class_of(str("Compute")) == TL_N_CLASSES &&
	    tl_class_of(str("")) == TL_N_CLASSES, "other words are no classes");
	tap(tl_kind_on_device(TL_TASK) && !tl_kind_on_device(TL_API) &&
	    tl_kind_is_event(TL_COUNTER) && !tl_kind_is_event(TL_LAUNCH),
	    "groups of kinds");
}

static void
test_parse(void)
{
	static const char line[] = "kernel\t7\t-5\t20\tp\t0\tc\ts 1\t9\tcomm\t"
	    "a\\tb\tE:12\tgrid=1,1,1\tsym=x";
	struct tl_ev ev;
	struct tl_err err;

	tap(tl_ev_parse(&ev, TL_KERNEL, line, sizeof line - 1, &err) == TL_OK,
	    "an event is read");
	tap(ev.kind == TL_KERNEL && ev.id == 7 && ev.start_ns == -5 &&
	    ev.dur_ns == 20 && ev.cls == TL_COMM, "its numbers");
	tap(tl_str_is(ev.process, "p") && tl_str_is(ev.device, "0") &&
	    tl_str_is(ev.context, "c") && tl_str_is(ev.lane, "s 1") &&
	    tl_str_is(ev.correlation, "9") && tl_str_is(ev.name, "a\\tb") &&
	    tl_str_is(ev.place, "E:12"), "its texts");
	tap(tl_str_is(ev.keys, "grid=1,1,1\tsym=x"), "its keys");
	tap(tl_str_is(tl_key(ev.keys, "grid"), "1,1,1") &&
	    tl_str_is(tl_key(ev.keys, "sym"), "x") &&
	    tl_key(ev.keys, "s").p == NULL &&
	    tl_key(ev.keys, "gri").p == NULL &&
	    tl_key(ev.keys, "block").p == NULL, "a key is found by its name");
	tap(tl_key((struct tl_str){ NULL, 0 }, "a").p == NULL,
	    "there is no key in nothing");
}

static void
test_fields(void)
{
	struct tl_str f[3];

	tap(tl_fields(f, 3, "a\t\tb", 4) == 3 && f[0].n == 1 && f[1].n == 0 &&
	    f[2].n == 1, "an empty field is a field");
	tap(tl_fields(f, 3, "", 0) == 1 && f[0].n == 0, "nothing is a field");
	tap(tl_fields(f, 3, "a\t", 2) == 2 && f[1].n == 0,
	    "a tab at the end begins a field");
	tap(tl_fields(f, 2, "a\tb\tc\td", 7) == 4, "more than max are counted");
}

static void
test_place(void)
{
	struct tl_str tag;
	uint64_t n;

	tap(tl_place_split(str("E:0"), &tag, &n) && tl_str_is(tag, "E") &&
	    n == 0, "a place");
	tap(tl_place_split(str("KX:18446744073709551615"), &tag, &n) &&
	    n == UINT64_MAX, "a great place");
	tap(!tl_place_split(str("."), &tag, &n) &&
	    !tl_place_split(str(":1"), &tag, &n) &&
	    !tl_place_split(str("E"), &tag, &n) &&
	    !tl_place_split(str("E:"), &tag, &n) &&
	    !tl_place_split(str("E:01"), &tag, &n) &&
	    !tl_place_split(str("E:1:2"), &tag, &n), "no places");
}

static void
test_order(void)
{
	/* in the order of tl-ev(5), written by hand */
	static const struct {
		int64_t start, dur;
		const char *place;
	} t[] = {
		{ INT64_MIN, 0, "E:1" }, { -1, 5, "E:1" }, { 0, 9, "A:10" },
		{ 0, 9, "AB:2" }, { 0, 9, "B:9" }, { 0, 9, "B:10" },
		{ 0, 8, "A:1" }, { 0, 0, "A:1" }, { 0, TL_NONE, "A:1" },
		{ 1, 1, "A:0" }, { INT64_MAX, 0, "A:0" },
	};
	const size_t n = sizeof t / sizeof *t;
	bool ok = true;

	for (size_t i = 0; i < n; i++) {
		for (size_t j = 0; j < n; j++) {
			struct tl_ev a = { .start_ns = t[i].start,
				.dur_ns = t[i].dur,
				.place = str(t[i].place) };
			struct tl_ev b = { .start_ns = t[j].start,
				.dur_ns = t[j].dur,
				.place = str(t[j].place) };
			int c = tl_ev_cmp(&a, &b);

			ok &= (c < 0) == (i < j) && (c == 0) == (i == j);
		}
	}
	tap(ok, "order of events");
}

/* Reads a stream and writes it again, events column by column. False where
 * the reader does not take it. */
static bool
copy_stream(const char *from, const char *to)
{
	struct tl_evin in;
	struct tl_evout out;
	struct tl_rec rec;
	struct tl_err err;
	enum tl_status st;
	uint64_t ids = 0;

	if (tl_evin_open(&in, from, false, &err) != TL_OK)
		return false;
	tl_xevout_open(&out, to);
	while ((st = tl_evin_next(&in, &rec, &err)) == TL_OK) {
		if (rec.kind >= TL_N_EVENTS) {
			tl_xevout_line(&out, rec.line);
			continue;
		}
		/* the writer counts ids itself */
		ids = rec.ev.id;
		out.n_events = ids - 1;
		tl_xevout_event(&out, &rec.ev);
	}
	tl_evin_close(&in);
	if (st != TL_EOF) {
		tl_tmp_remove(out.out.tmp);
		free(out.out.buf);
		return false;
	}
	tl_xevout_end(&out);
	return true;
}

/* A stream of one event with a lane and a name of these lengths and a key:
 * "kernel\\t1\\t10\\t5\\t7\\t0\\t1\\tLANE\\t3\\tcompute\\tNAME\\tE:1\\tk=v" has 39
 * bytes beside them. Answers how long the line of the event is, 0 if there is
 * none; the number in the note on dropped ones goes to *dropped. */
#define REST 39

static size_t
long_event(size_t lane, size_t name, const char *path, int *dropped)
{
	char *text = malloc(lane + name + 1), *line = NULL;
	struct tl_ev ev = { .kind = TL_KERNEL, .start_ns = 10, .dur_ns = 5,
		.process = TL_LIT("7"), .device = TL_LIT("0"),
		.context = TL_LIT("1"), .correlation = TL_LIT("3"),
		.place = TL_LIT("E:1"), .keys = TL_LIT("k=v") };
	struct tl_evout out;
	size_t cap = 0, len = 0;
	FILE *f;

	if (text == NULL)
		exit(1);
	memset(text, 'x', lane + name);
	ev.lane = (struct tl_str){ text, lane };
	ev.name = (struct tl_str){ text, name };
	tl_xevout_open(&out, path);
	tl_xevout_version(&out);
	tl_xevout_event(&out, &ev);
	tl_xevout_end(&out);
	free(text);
	*dropped = 0;
	f = fopen(path, "r");
	if (f == NULL)
		exit(1);
	for (ssize_t n; (n = getline(&line, &cap, f)) > 0;) {
		if (strncmp(line, "kernel\t1\t", 9) == 0)
			len = (size_t)n - 1;
		sscanf(line, "note\twarn\tdropped_long_line\t%d", dropped);
	}
	free(line);
	fclose(f);
	return len;
}

static void
test_long(void)
{
	static const struct {
		size_t lane, name;
	} t[] = {
		{ 4, 9 }, { 3900, 9 }, { 5000, 9 }, { 9, 5000 },
		{ 70000, 70000 }, { 4, TL_LINE_MAX - REST - 4 },
		{ TL_LINE_MAX - REST - 4, 4 },
	};
	char path[512];
	const char *tmp = getenv("TMPDIR");
	bool ok = true, over = true;
	int dropped;

	snprintf(path, sizeof path, "%s/long.ev", tmp != NULL ? tmp : "/tmp");
	for (size_t i = 0; i < sizeof t / sizeof *t; i++)
		ok &= long_event(t[i].lane, t[i].name, path, &dropped) ==
		    t[i].lane + t[i].name + REST && dropped == 0;
	tap(ok, "tokens and names of any length, lines of 1 MiB");
	for (size_t i = 5; i < sizeof t / sizeof *t; i++)
		over &= long_event(t[i].lane, t[i].name + 1, path,
		    &dropped) == 0 && dropped == 1;
	tap(over, "a line of one byte more is dropped and counted");
	remove(path);
}

static bool
same_files(const char *a, const char *b)
{
	FILE *fa = fopen(a, "r"), *fb = fopen(b, "r");
	int ca = 0, cb = 0;

	if (fa != NULL && fb != NULL)
		do {
			ca = getc(fa);
			cb = getc(fb);
		} while (ca == cb && ca != EOF);
	if (fa != NULL)
		fclose(fa);
	if (fb != NULL)
		fclose(fb);
	return fa != NULL && fb != NULL && ca == cb;
}

static void
test_corpus(void)
{
	char dir[512], path[1024], copy[512];
	const char *tests = getenv("TESTS"), *tmp = getenv("TMPDIR");
	struct dirent *e;
	DIR *d;
	size_t n = 0;

	if (tests == NULL || tmp == NULL) {
		tap(true, "corpus # SKIP no TESTS and TMPDIR");
		return;
	}
	snprintf(dir, sizeof dir, "%s/corpus/ev/pass", tests);
	snprintf(copy, sizeof copy, "%s/copy.ev", tmp);
	d = opendir(dir);
	while (d != NULL && (e = readdir(d)) != NULL) {
		if (e->d_name[0] == '.')
			continue;
		snprintf(path, sizeof path, "%s/%s", dir, e->d_name);
		n++;
		tap(copy_stream(path, copy) && same_files(path, copy),
		    "%s is written as it was read", e->d_name);
	}
	if (d != NULL)
		closedir(d);
	tap(n > 30, "the corpus is there (%zu)", n);
}

int
main(void)
{
	test_names();
	test_parse();
	test_fields();
	test_place();
	test_order();
	test_corpus();
	test_long();
	return tap_done();
}
