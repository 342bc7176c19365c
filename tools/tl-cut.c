/*
 * tl-cut: takes a part of a stream.
 *
 * In: a stream. Out: the events asked for, and the findings as far as they are
 * about these. Kept: 24 bytes an event, and the findings; their lines, with -i
 * those of events too, in a spool that goes to a file past 128 MiB. Without -i,
 * events go out as they come.
 */
#include "tl-cut.h"

#include <stdlib.h>
#include <unistd.h>

#include "mem.h"
#include "num.h"
#include "opt.h"

#define BUDGET ((uint64_t)128 << 20)
#define ALL_KINDS ((1U << TL_N_EVENTS) - 1)

static const struct tl_tool tool = {
	.name = "tl-cut",
	.optstring = ":d:e:hi:o:PqtVvw:x:",
	.usage = "[-hVqvPt] [-w start..end] [-i loop/iterations] [-d device] "
	    "[-e kinds] [-x kinds] [-o file] [stream]",
	.help =
	    "Takes a part of a stream.\n"
	    "  -w START..END  window, in milliseconds from the first event\n"
	    "  -i N003/17     iteration of a loop; N003/17..20 several;\n"
	    "                 N003#18 an occurrence; SCOPE/N003/17\n"
	    "  -d DEVICE      of device events those on this device\n"
	    "  -e KINDS       only these kinds: kernel,memcpy; device, host\n"
	    "  -x KINDS       all but these\n"
	    "  -o FILE        write to FILE, whole or not at all\n"
	    "  -P             leave out the #prog line\n"
	    "  -t             take a stream without its end record\n"
	    "  -q, -v         say less, say more on standard error\n"
	    "  -h, -V         this help, the version\n",
};

static const char *out_path;
static bool tolerate, verbose;

TL_NORETURN static void
bad(char letter, const char *what, const char *arg, const char *why)
{
	char q[TL_QUOTE_SIZE];

	tl_die_opt(&tool, "option '-%c': bad %s '%s': %s", letter, what,
	    tl_quote(q, sizeof q, arg, strlen(arg)), why);
}

static void
add_device(struct cut_opt *o, const char *arg)
{
	o->device = tl_xreallocarray(o->device, o->n_devices + 1,
	    sizeof *o->device);
	o->device_there = tl_xreallocarray(o->device_there, o->n_devices + 1,
	    sizeof *o->device_there);
	o->device_there[o->n_devices] = false;
	o->device[o->n_devices++] = arg;
}

static void
set(struct cut *c, int letter, const char *arg)
{
	struct cut_opt *o = &c->opt;
	uint32_t kinds;

	o->any = true;
	switch (letter) {
	case 'd':
		add_device(o, arg);
		break;
	case 'e':
	case 'x':
		if (!cut_kinds(arg, &kinds))
			bad((char)letter, "kinds", arg, "must be kinds of "
			    "events, device or host, with commas between");
		o->kinds &= letter == 'e' ? kinds : ~kinds;
		break;
	case 'i':
		if (!cut_iterations(o, arg))
			bad('i', "iterations", arg, "must be like N003/17 or "
			    "N003/17..20, SCOPE/ may stand before");
		break;
	case 'w':
		if (!cut_window(o, arg))
			bad('w', "window", arg, "must be like 1.5..20, in "
			    "milliseconds, at most six decimals, not empty");
		break;
	}
}

static void
options(struct cut *c, int argc, char **argv)
{
	int letter;

	while ((letter = tl_xgetopt(&tool, argc, argv)) != -1) {
		switch (letter) {
		case 'o':
			out_path = optarg;
			break;
		case 'P':
			c->no_prog = true;
			break;
		case 'q':
			break;
		case 't':
			tolerate = true;
			break;
		case 'v':
			verbose = true;
			break;
		default:
			set(c, letter, optarg);
			break;
		}
	}
	if (argc - optind > 1)
		tl_die_opt(&tool, "one stream at a time");
}

/* Milliseconds as -w takes them. */
static const char *
put_ms(char *buf, uint64_t ns)
{
	size_t n = tl_num_put_u64(buf, ns / 1000000), below = ns % 1000000;

	buf[n++] = '.';
	for (size_t unit = 100000; unit > 0 && below > 0; unit /= 10) {
		buf[n++] = (char)('0' + below / unit);
		below %= unit;
	}
	n -= buf[n - 1] == '.';
	buf[n] = '\0';
	return buf;
}

/* A window that does not meet the capture. */
static void
check_window(const struct cut *c)
{
	uint64_t length = (uint64_t)c->end_ns - (uint64_t)c->first_ns;
	char q[TL_QUOTE_SIZE], ms[40];

	if (c->opt.window && (uint64_t)c->opt.from_ns > length)
		tl_die("%s: window '%s': outside the capture, which is 0..%s",
		    c->name, tl_quote(q, sizeof q, c->opt.window_text,
		    strlen(c->opt.window_text)), put_ms(ms, length));
}

/* The scopes of the capture, the first ones. */
static void
list_scopes(const struct cut *c, char *list, size_t size)
{
	bool *seen = tl_xcalloc(c->text.n + 1, sizeof *seen);
	size_t n = 0;

	for (size_t i = 0; i < c->n_ev; i++) {
		uint32_t t = c->ev[i].scope;
		struct tl_str s;

		if (t == CUT_NO || seen[t])
			continue;
		seen[t] = true;
		s = tl_intern_str(&c->text, t);
		if (n + s.n + 6 > size) {
			memcpy(list + n, " ...", 4);
			n += 4;
			break;
		}
		list[n++] = ' ';
		memcpy(list + n, s.p, s.n);
		n += s.n;
	}
	list[n] = '\0';
	free(seen);
}

/* Devices that are asked for, but nowhere in the capture. */
static void
check_devices(const struct cut *c)
{
	char q[TL_QUOTE_SIZE], list[200];

	for (size_t i = 0; i < c->opt.n_devices; i++) {
		const char *d = c->opt.device[i];

		if (c->opt.device_there[i])
			continue;
		list_scopes(c, list, sizeof list);
		tl_die("%s: device '%s': there is none%s%s", c->name,
		    tl_quote(q, sizeof q, d, strlen(d)),
		    list[0] == '\0' ? "" : ", but", list);
	}
}

static void
check_left(const struct cut *c)
{
	if (c->opt.any && c->n_ev == 0)
		tl_die("%s: no events", c->name);
	if (c->opt.any && c->n_kept == 0)
		tl_die("%s: nothing is left", c->name);
}

static void
free_all(struct cut *c)
{
	void *own[] = { c->ev, c->more, c->occ, c->pos, c->scope, c->real,
		c->launch, c->member, c->real_first, c->real_at, c->unit_less,
		c->unit_kept, c->value, c->opt.device,
		c->opt.device_there };

	for (size_t i = 0; i < sizeof own / sizeof *own; i++)
		free(own[i]);
	tl_evids_free(&c->ids);
	tl_intern_free(&c->text);
	tl_arena_free(&c->arena);
	tl_spool_free(c->lines);
}

int
main(int argc, char **argv)
{
	struct cut c = { .opt = { .kinds = ALL_KINDS }, .argc = argc,
		.argv = argv };
	struct tl_err err;
	const char *in_path;

	tl_xstart(&tool);
	options(&c, argc, argv);
	in_path = argv[optind];
	tl_xout_not_input(out_path, in_path);
	if (tl_evin_open(&c.in, in_path, tolerate, &err) != TL_OK)
		tl_die("%s", err.msg);
	c.name = c.in.in.name;
	tl_xevout_open(&c.out, out_path);
	c.lines = tl_xspool_new(BUDGET);
	cut_xread(&c);
	if (c.n_ev > 0) {
		check_devices(&c);
		check_window(&c);
	}
	if (c.opt.iterations)
		cut_xpick(&c);
	check_left(&c);
	cut_settle(&c);
	cut_xwrite(&c);
	if (c.in.cut)
		tl_xevout_note(&c.out, TL_WARN, "no_end_record", TL_NONE,
		    "%s: the stream ended without a right end record; events "
		    "may be missing", tl_prog);
	tl_evin_close(&c.in);
	tl_xevout_end(&c.out);
	if (verbose)
		tl_msg("%llu of %zu events taken",
		    (unsigned long long)c.n_kept, c.n_ev);
	free_all(&c);
	return 0;
}
