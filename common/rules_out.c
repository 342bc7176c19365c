/* What a stream keeps of rules: records rules and rule, tl-ev(5). */

#include "rules_out.h"

#include <stdlib.h>

#include "keys.h"
#include "rules_set.h"

/* Most of a document in one record. */
#define PIECE ((size_t)64 << 10)

static bool
is_own(const struct tl_rules_doc *d)
{
	return strcmp(d->origin, "default") != 0;
}

void
tl_xrules_put_document(struct tl_evout *o, const struct tl_rules_source *src)
{
	struct tl_str rest = src->text;

	for (uint64_t n = 1; rest.n > 0; n++) {
		const char *nl = memchr(rest.p, '\n', rest.n);
		size_t len = nl != NULL ? (size_t)(nl - rest.p) + 1 : rest.n;

		if (len > PIECE)
			for (len = PIECE; len > PIECE - 4 &&
			    ((unsigned char)rest.p[len] & 0xC0) == 0x80; len--)
				;
		tl_xevout_word(o, "rules");
		tl_xevout_raw(o, (struct tl_str){ src->digest,
		    strlen(src->digest) });
		tl_xevout_u64(o, n);
		tl_xevout_text(o, (struct tl_str){ rest.p, len });
		tl_xevout_eol(o);
		rest.p += len;
		rest.n -= len;
	}
}

static const char *
digest_of(const struct tl_rules *r, const struct tl_rule *rule)
{
	const struct tl_rules_doc *d = r->doc;

	while (d->origin != rule->origin)
		d = d->next;
	return d->digest;
}

static void
put_rule(const struct tl_rules *r, struct tl_evout *o, unsigned stage,
    const struct tl_rule *rule, struct tl_keys *keys)
{
	const char *name = tl_rules_stage_name(stage);
	const char *digest = digest_of(r, rule);
	struct tl_str all;

	tl_keys_reset(keys);
	for (const struct tl_node *k = rule->node->child; k != NULL;
	    k = k->next->next)
		if (!tl_str_is(k->text, "rule_id") &&
		    !tl_str_is(k->text, "priority"))
			tl_xkeys_add(keys, k->text.p, k->next->text);
	all = tl_xkeys_done(keys);
	tl_xevout_word(o, "rule");
	tl_xevout_raw(o, (struct tl_str){ name, strlen(name) });
	tl_xevout_text(o, (struct tl_str){ rule->id, strlen(rule->id) });
	tl_xevout_u64(o, rule->hits);
	tl_xevout_i64(o, rule->priority);
	tl_xevout_raw(o, (struct tl_str){ digest, strlen(digest) });
	tl_xevout_u64(o, rule->line);
	/* such a pattern is in the document all the same */
	if (all.n > 0 && all.n < TL_RULES_MAX / 2)
		tl_xevout_raw(o, all);
	tl_xevout_eol(o);
}

void
tl_xrules_put(const struct tl_rules *r, struct tl_evout *o)
{
	struct tl_keys keys = { .n = 0 };
	bool any = false;

	for (const struct tl_rules_doc *d = r->doc; d != NULL; d = d->next) {
		bool live = false;

		for (unsigned s = 0; s < TL_RULES_MACRO; s++)
			live |= d->stage[s].live;
		if (!is_own(d) || !live)
			continue;
		any = true;
		tl_xrules_put_document(o, &(struct tl_rules_source){
		    .digest = d->digest, .text = d->text });
	}
	for (unsigned s = 0; s < TL_RULES_MACRO; s++)
		for (size_t i = 0; i < r->set[s].n; i++) {
			const struct tl_rule *x = &r->set[s].rule[i];

			if (x->hits > 0 ? any || s == TL_RULES_RECONCILIATION :
			    strcmp(x->origin, "default") != 0)
				put_rule(r, o, s, x, &keys);
		}
	tl_keys_free(&keys);
}
