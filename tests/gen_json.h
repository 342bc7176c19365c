/* Private to gen_json*.c: one JSON event as fields, and the file it goes to. */
#ifndef GEN_JSON_H
#define GEN_JSON_H

#include "gen.h"

enum { MAX_FIELDS = 24, PY_NAMES = 5 * 7 * 977 };
enum brk { BRK_NO, BRK_LINE, BRK_SPACE_LINE, BRK_TIGHT };

struct field {
	const char *key, *val;
	uint32_t len;
	enum brk brk;	/* how it is set off from the one before */
};

struct rec {
	struct field f[MAX_FIELDS], a[MAX_FIELDS];
	int nf, na;
	bool has_args, gap;
	char num[1024];
	char *p;
};

struct js {
	struct gen_out w;
	const struct gen_opt *o;
	const struct gen_prog *g;
	struct rec r;
	char **name;	/* quoted, by symbol */
	char **py;
	int64_t end, evidx;
	bool first;
	char prev, sep; /* last byte of the header: read, written */
	struct gen_ev call;
	bool held; /* call waits for what it launched */
};

/* A field of the record, or of its args. Values must live until the end. */
void js_raw(struct rec *r, bool arg, const char *key, const char *val,
    enum brk brk);
void js_int(
    struct rec *r, bool arg, const char *key, int64_t v, enum brk brk);
void js_time(struct js *j, const char *key, int64_t ns, enum brk brk);
void js_quoted(
    struct rec *r, bool arg, const char *key, const char *s, enum brk brk);
void js_start(struct js *j);
void js_end(struct js *j);
/* Is it the form before 2022? */
bool js_old(const struct js *j);

/* What comes before the events, and behind them. */
void js_head(struct js *j);
void js_names(struct js *j);
void js_window(struct js *j);
void js_tail(struct js *j);

#endif
