/*
 * tl-import: appends the device work of streams to an inference artifact.
 *
 * In: streams, an artifact and its envelope. Out: both, grown, each put in
 * place whole by a rename, the envelope first. Kept: one capture at a time, a
 * group for each record and a row for each call; of the artifact its contexts
 * and the paths of its captures.
 */
#include "tl-import.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "num.h"
#include "opt.h"
#include "tmp.h"

static const struct tl_tool tool = {
	.name = "tl-import",
	.optstring = ":a:d:e:fhjkm:nqR:tu:Vvx:",
	.usage = "-a artifact [-fjknqtv] [-d launch|kernel] [-e envelope] "
	    "[-m size] [-R file] [-u [trace:]index=uuid] [-x folder] "
	    "[stream ...]",
	.help =
	    "  -a artifact  append to this inference artifact (JSON lines)\n"
	    "  -d detail    a record for each launch (default) or kernel\n"
	    "  -e envelope  the run envelope, if not beside the artifact\n"
	    "  -f           import again what was imported before\n"
	    "  -h           this help\n"
	    "  -j           say what was done as JSON\n"
	    "  -k           keep going: import the good ones of several\n"
	    "  -m size      only register captures that are larger\n"
	    "  -n           say what would be added, write nothing\n"
	    "  -q           say only why it failed\n"
	    "  -R file      register a file that cannot be read, repeatable\n"
	    "  -t           take a stream without its end record\n"
	    "  -u [trace:]index=uuid\n"
	    "               UUID of a device, repeatable\n"
	    "  -V           version\n"
	    "  -v           say how much was read\n"
	    "  -x folder    logs of vLLM's workers, which know their GPUs\n",
};

static struct imp_opt opt;
static struct imp_trace *trace;
static size_t n_traces, traces_cap;

static struct imp_trace *
add_trace(const char *operand)
{
	trace = tl_xgrow(trace, n_traces, &traces_cap, sizeof *trace);
	trace[n_traces] = (struct imp_trace){ .operand = operand,
		.rank = -1, .world_size = -1 };
	return &trace[n_traces++];
}

static void
detail(const char *arg)
{
	char q[TL_QUOTE_SIZE];

	opt.kernel = strcmp(arg, "kernel") == 0;
	if (!opt.kernel && strcmp(arg, "launch") != 0)
		tl_die_opt(&tool, "option '-d': bad detail '%s': must be "
		    "launch or kernel", tl_quote(q, sizeof q, arg,
		    strlen(arg)));
}

static void
size_limit(const char *arg)
{
	char q[TL_QUOTE_SIZE];

	opt.has_max = true;
	if (!tl_num_size(arg, &opt.max))
		tl_die_opt(&tool, "option '-m': bad size '%s'", tl_quote(q,
		    sizeof q, arg, strlen(arg)));
}

static void
options(int argc, char **argv)
{
	int c;

	while ((c = tl_xgetopt(&tool, argc, argv)) != -1) {
		switch (c) {
		case 'a': opt.artifact = optarg; break;
		case 'd': detail(optarg); break;
		case 'e': opt.envelope = optarg; break;
		case 'f': opt.redo = true; break;
		case 'j': opt.json = true; break;
		case 'k': opt.keep_going = true; break;
		case 'm': size_limit(optarg); break;
		case 'n': opt.dry = true; break;
		case 'q': opt.quiet = true; break;
		case 'R': add_trace(optarg)->only_register = true; break;
		case 't': opt.tolerate = true; break;
		case 'u': imp_xuuid_parse(&tool, &opt, optarg); break;
		case 'v': opt.verbose = true; break;
		case 'x': opt.hooks = optarg; break;
		}
	}
	if (opt.artifact == NULL)
		tl_die_opt(&tool, "option '-a': no artifact named");
	if (opt.envelope != NULL && *opt.envelope == '\0')
		tl_die_opt(&tool, "option '-e': is empty");
	for (int i = optind; i < argc; i++)
		add_trace(argv[i]);
	if (optind == argc && n_traces == 0)
		add_trace("-");
}

static void
failed(struct imp_trace *t)
{
	if (!opt.keep_going)
		tl_die("%s", t->err.msg);
	tl_msg("%s", t->err.msg);
	t->state = IMP_FAILED;
	imp_trace_close(t);
}

static void
heads(void)
{
	for (size_t i = 0; i < n_traces; i++) {
		struct imp_trace *t = &trace[i];

		if (t->only_register ? imp_file(t) != TL_OK :
		    imp_head(t, opt.tolerate) != TL_OK)
			failed(t);
	}
}

/* What is to be done with each capture. */
static void
decide(const struct imp_artifact *a)
{
	for (size_t i = 0; i < n_traces; i++) {
		struct imp_trace *t = &trace[i];

		if (t->state == IMP_FAILED)
			continue;
		if (!t->only_register && opt.has_max && t->has_size &&
		    t->size > opt.max) {
			t->only_register = true;
			t->skipped = "max_bytes";
		}
		t->state = t->only_register ? IMP_REGISTERED : IMP_NEW;
		for (size_t k = 0; k < i; k++)
			if (trace[k].state != IMP_FAILED &&
			    tl_str_eq(trace[k].path, t->path))
				t->state = IMP_TWICE;
		if (t->state == IMP_TWICE)
			continue;
		if (tl_intern_find(&a->imported, t->path) != UINT32_MAX &&
		    (t->only_register || !opt.redo))
			t->state = IMP_BEFORE;
		else if (t->only_register &&
		    tl_intern_find(&a->registered, t->path) != UINT32_MAX)
			t->state = IMP_REGISTERED_BEFORE;
		else if (t->state == IMP_NEW && !opt.redo &&
		    tl_intern_find(&a->attachments, t->id) != UINT32_MAX) {
			tl_err_set(&t->err, "%s: has records of '%.*s' without "
			    "saying that it is imported (-f replaces them)",
			    a->path, (int)t->id.n, t->id.p);
			failed(t);
		}
	}
}

/* True if there is something to add. */
static bool
anything(void)
{
	for (size_t i = 0; i < n_traces; i++)
		if (trace[i].state <= IMP_REGISTERED)
			return true;
	return false;
}

/* One after the other: a capture's records are written when all of its stream
 * was read and is good. With -f old records are gone from the copy already, so
 * that nothing can be kept. */
static void
import_all(struct imp_artifact *a, struct tl_out *out)
{
	for (size_t i = 0; i < n_traces; i++) {
		struct imp_trace *t = &trace[i];

		if (t->state == IMP_REGISTERED)
			imp_xsummary_registered(t);
		if (t->state != IMP_NEW) {
			imp_drain(t);
			continue;
		}
		if (imp_gather(t, opt.kernel) != TL_OK) {
			opt.keep_going &= !opt.redo;
			failed(t);
		} else {
			t->state = IMP_ADDED;
			imp_xrecords(&opt, a, t, i, out);
		}
		imp_work_free(t->work);
		t->work = NULL;
	}
}

/* What new ids are made from: the run, how large the artifact was and what is
 * appended. */
static char *
salt(const struct imp_artifact *a)
{
	struct imp_buf b = { 0 };

	imp_xputstr(&b, a->run);
	imp_xputs(&b, "\n");
	imp_xputstr(&b, a->session);
	imp_xputs(&b, "\n");
	imp_xu64(&b, (uint64_t)a->st.st_size);
	for (size_t i = 0; i < n_traces; i++) {
		imp_xputs(&b, "\n");
		imp_xputstr(&b, imp_view(&trace[i].summary));
	}
	imp_xput(&b, "", 1);
	return b.p;
}

static void
sync_folder(const char *path)
{
	char *real = realpath(path, NULL);
	int fd;

	if (real == NULL)
		return;
	*strrchr(real, '/') = '\0';
	fd = open(*real == '\0' ? "/" : real, O_RDONLY | O_CLOEXEC);
	/* some file systems cannot; the rename itself has been done */
	if (fd >= 0) {
		fsync(fd);
		close(fd);
	}
	free(real);
}

/* All is written under other names before the first of them is put in place. */
static void
put_in_place(struct imp_artifact *a, struct imp_envelope *e,
    struct tl_out *out)
{
	struct tl_err err;

	tl_xout_flush(out);
	if (fchown(out->fd, a->st.st_uid, a->st.st_gid) == 0)
		fchmod(out->fd, a->st.st_mode & 0777);
	if (fsync(out->fd) != 0)
		tl_die("%s: write: %s", a->path, strerror(errno));
	if (e->changed) {
		tl_xout_flush(&e->out);
		imp_xartifact_same(a);
		tl_xout_close(&e->out);
		sync_folder(e->path);
	}
	imp_xartifact_same(a);
	/* from here on it is the new one, and no failure says otherwise */
	if (tl_tmp_publish(out->fd, out->tmp, a->path, &err) != TL_OK)
		tl_die("%s", err.msg);
	sync_folder(a->path);
}

static void
append(struct imp_artifact *a)
{
	struct imp_envelope e = { .path = NULL };
	struct tl_out out;
	char *ids_from;

	if (anything()) {
		tl_xout_open(&out, opt.dry ? "/dev/null" : opt.artifact);
		if (!opt.dry)
			imp_xartifact_copy(a, &out, trace, n_traces);
	}
	import_all(a, &out);
	imp_xuuid_check(&opt);
	if (!anything())
		return;
	ids_from = salt(a);
	imp_xcapabilities(a, trace, n_traces, ids_from, &out);
	imp_xenvelope(&e, &opt, a, trace, n_traces);
	if (!opt.dry)
		put_in_place(a, &e, &out);
	free(ids_from);
	free(e.path);
}

int
main(int argc, char **argv)
{
	struct imp_artifact a;
	int status = 0;

	tl_xstart(&tool);
	options(argc, argv);
	heads();
	imp_xuuid_bind(&opt, trace, n_traces);
	if (opt.hooks != NULL)
		imp_xhello_read(opt.hooks, opt.quiet);
	imp_xartifact_open(&a, opt.artifact, opt.dry);
	if (opt.verbose)
		tl_msg("%s: %llu lines, %zu contexts", opt.artifact,
		    (unsigned long long)a.n_lines, a.contexts.n);
	decide(&a);
	append(&a);
	imp_report(&opt, trace, n_traces);
	for (size_t i = 0; i < n_traces; i++)
		status |= trace[i].state == IMP_FAILED;
	return status;
}
