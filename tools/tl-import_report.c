#include "tl-import.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const char *const whys[] = {
	[IMP_BEFORE] = "already_imported",
	[IMP_REGISTERED_BEFORE] = "already_registered",
	[IMP_TWICE] = "named_twice",
};

static const char *const sentences[] = {
	[IMP_BEFORE] = "skipped: is imported already (-f does it again)",
	[IMP_REGISTERED_BEFORE] = "skipped: is registered already",
	[IMP_TWICE] = "skipped: was named before",
};

/* One kind of captures as a list. */
static void
list(struct imp_buf *b, const char *key, enum imp_state state,
    const struct imp_trace *t, size_t n)
{
	bool comma = false;

	imp_xputs(b, ", \"");
	imp_xputs(b, key);
	imp_xputs(b, "\": [");
	for (size_t i = 0; i < n; i++) {
		if (t[i].state != state)
			continue;
		imp_xputs(b, comma ? ", " : "");
		comma = true;
		if (state != IMP_FAILED) {
			imp_xputstr(b, imp_view(&t[i].summary));
			continue;
		}
		imp_xputs(b, "{\"error\": ");
		imp_xstr(b, imp_str(t[i].err.msg));
		imp_xputs(b, ", \"stream\": ");
		imp_xstr(b, imp_str(t[i].operand));
		imp_xputs(b, "}");
	}
	imp_xputs(b, "]");
}

static void
json(const struct imp_opt *o, const struct imp_trace *t, size_t n)
{
	struct imp_buf b = { 0 };
	bool comma = false;

	imp_xputs(&b, "{\"artifact\": ");
	imp_xstr(&b, imp_str(o->artifact));
	imp_xputs(&b, o->dry ? ", \"written\": false" : ", \"written\": true");
	list(&b, "added", IMP_ADDED, t, n);
	list(&b, "registered", IMP_REGISTERED, t, n);
	imp_xputs(&b, ", \"skipped\": [");
	for (size_t i = 0; i < n; i++) {
		if (t[i].state < IMP_BEFORE || t[i].state > IMP_TWICE)
			continue;
		imp_xputs(&b, comma ? ", {\"path\": " : "{\"path\": ");
		imp_xstr(&b, t[i].path);
		imp_xputs(&b, ", \"reason\": \"");
		imp_xputs(&b, whys[t[i].state]);
		imp_xputs(&b, "\"}");
		comma = true;
	}
	imp_xputs(&b, "]");
	list(&b, "failed", IMP_FAILED, t, n);
	imp_xputs(&b, ", \"warnings\": [");
	comma = false;
	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < t[i].n_notes; k++) {
			imp_xputs(&b, comma ? ", " : "");
			imp_xstr(&b, t[i].note[k]);
			comma = true;
		}
	}
	imp_xputs(&b, "]}\n");
	if (!tl_write_all(STDERR_FILENO, b.p, b.n)) {
		free(b.p);
		return; /* there is nowhere left to say it */
	}
	free(b.p);
}

/* Lines of a text, each with the capture's name before it. */
static void
lines(const struct imp_trace *t, struct tl_str text)
{
	while (text.n > 0) {
		const char *nl = memchr(text.p, '\n', text.n);
		size_t len = nl == NULL ? text.n : (size_t)(nl - text.p);

		tl_msg("%.*s: %.*s", (int)t->file.n, t->file.p, (int)len,
		    text.p);
		len += nl != NULL;
		text.p += len;
		text.n -= len;
	}
}

static void
one(const struct imp_opt *o, const struct imp_trace *t)
{
	int n = (int)t->file.n;

	switch (t->state) {
	case IMP_ADDED:
		tl_msg("%.*s: %s %llu GPU events as %llu records, %llu linked "
		    "to iterations", n, t->file.p, o->dry ? "would add" :
		    "added", (unsigned long long)t->n_events,
		    (unsigned long long)t->n_groups,
		    (unsigned long long)t->n_linked);
		lines(t, imp_view(&t->said));
		break;
	case IMP_REGISTERED:
		tl_msg("%.*s: %s, not imported: %s", n, t->file.p, o->dry ?
		    "would be registered" : "registered",
		    strcmp(t->skipped, "max_bytes") == 0 ?
		    "is larger than -m says" :
		    strcmp(t->skipped, "not_exported") == 0 ?
		    "export it (nsys export --type sqlite) and import that" :
		    "it is not read");
		break;
	case IMP_BEFORE:
	case IMP_REGISTERED_BEFORE:
	case IMP_TWICE:
		tl_msg("%.*s: %s", n, t->file.p, sentences[t->state]);
		break;
	default:
		break;
	}
	for (size_t i = 0; i < t->n_notes; i++)
		tl_msg("%.*s: note: %.*s", n, t->file.p, (int)t->note[i].n,
		    t->note[i].p);
}

void
imp_report(const struct imp_opt *o, const struct imp_trace *t, size_t n)
{
	if (o->json) {
		json(o, t, n);
		return;
	}
	for (size_t i = 0; !o->quiet && i < n; i++)
		one(o, &t[i]);
}
