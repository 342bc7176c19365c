# tl: see README.md. GNU make. A sanitizer build is the same file with another
# BUILD: make BUILD=build/asan EXTRA_CFLAGS=-fsanitize=address,undefined

PREFIX ?= /usr/local
BINDIR ?= $(PREFIX)/bin
MANDIR ?= $(PREFIX)/share/man
RULESDIR ?= $(PREFIX)/share/tl/rules
BUILD ?= build
CC ?= cc
CFLAGS ?= -O2 -g
EXTRA_CFLAGS ?=

WARN = -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes \
	-Wmissing-prototypes -Wold-style-definition -Wpointer-arith \
	-Wcast-qual -Wwrite-strings -Wformat=2 -Wundef -Wvla -Wconversion \
	-Wnull-dereference -Wdouble-promotion -Wimplicit-fallthrough
BASE = -std=c11 -D_XOPEN_SOURCE=700 -D_FILE_OFFSET_BITS=64 $(WARN) \
	-fstack-protector-strong
COMPILE = $(CC) $(BASE) -Icommon $(CFLAGS) $(EXTRA_CFLAGS) -MMD -MP

# The tools. A new one: tools/NAME.c (and tools/NAME_*.c), man/NAME.1, a word
# here, and what it links beside libtl.
TOOLS = tl-kineto2ev tl-msprof2ev tl-nsys2ev tl-context tl-recover tl-replay tl-cut tl-check tl-tree tl-perfetto tl-ev2db tl-db2ev tl-query tl-import
SCRIPTS = traceloom
LIBS_tl-kineto2ev = -lyajl -lyaml
LIBS_tl-msprof2ev = -lsqlite3 -lyaml
LIBS_tl-nsys2ev = -lsqlite3 -lyaml
LIBS_tl-import = -lyajl
LIBS_tl-ev2db = -lsqlite3
LIBS_tl-db2ev = -lsqlite3
LIBS_tl-query = -lsqlite3
LIBS_tl-context = -lyajl
LIBS_tl-recover = -lyaml

MAN1 = $(wildcard man/*.1)
MAN5 = $(wildcard man/*.5)
MAN7 = $(wildcard man/*.7)
RULES = $(wildcard rules/*.yaml)
MAN_DIRS = man1 man5 man7
VERSION = $(shell sed -n 's/.*TL_VERSION "\(.*\)"/\1/p' common/version.h)

COMMON_OBJ = $(patsubst common/%.c,$(BUILD)/common/%.o,$(wildcard common/*.c)) \
	$(BUILD)/default_rules.o
LIBTL = $(BUILD)/libtl.a
PROGRAMS = $(TOOLS:%=$(BUILD)/%) $(SCRIPTS:%=$(BUILD)/%)
GEN = $(BUILD)/gen
GEN_ASCEND = $(BUILD)/gen_ascend
UNITS = $(patsubst tests/unit/%.c,$(BUILD)/unit/%,$(wildcard tests/unit/*.c))

.DELETE_ON_ERROR:
.SUFFIXES:
.PHONY: all check bench demo install uninstall dist clean deps deps-test \
	check-asan check-tiny lint fuzz fuzz-regress golden seeds

all: $(PROGRAMS)

$(BUILD)/common/%.o: common/%.c
	@mkdir -p $(@D)
	$(COMPILE) -c -o $@ $<

$(BUILD)/tools/%.o: tools/%.c
	@mkdir -p $(@D)
	$(COMPILE) -c -o $@ $<

$(BUILD)/default_rules.c: rules/default.yaml
	@mkdir -p $(@D)
	{ printf '#include "rules.h"\nconst char tl_default_rules[] = {\n'; \
	od -An -v -tu1 $< | tr -s ' ' '\n' | sed -n 's/[0-9][0-9]*/&,/p'; \
	printf '};\nconst size_t tl_default_rules_len = '; \
	printf 'sizeof tl_default_rules;\n'; } >$@

$(BUILD)/query_recipes.c: tools/tl-query.sql
	@mkdir -p $(@D)
	{ printf '#include "tl-query.h"\nconst char recipe_text[] = {\n'; \
	od -An -v -tu1 $< | tr -s ' ' '\n' | sed -n 's/[0-9][0-9]*/&,/p'; \
	printf '};\nconst size_t recipe_text_len = sizeof recipe_text;\n'; } >$@

$(BUILD)/default_rules.o: $(BUILD)/default_rules.c
	$(COMPILE) -c -o $@ $<

$(BUILD)/query_recipes.o: $(BUILD)/query_recipes.c
	$(COMPILE) -Itools -c -o $@ $<

$(BUILD)/tl-query: $(BUILD)/query_recipes.o

# SQL that is compiled into tl-ev2db, in the order in which it is run: the
# tables, then, when they are filled, all else.
EV2DB_SQL = tools/tl-ev2db.sql tools/tl-ev2db_index.sql \
	$(sort $(wildcard tools/tl-ev2db_people*.sql)) \
	$(sort $(wildcard tools/tl-ev2db_compat*.sql))
EV2DB_MORE = tools/tl-ev2db_more.sql
$(BUILD)/ev2db_sql.c: $(EV2DB_SQL) $(EV2DB_MORE)
	@mkdir -p $(@D)
	{ printf '#include "tl-ev2db.h"\n'; n=0; \
	for f in $(EV2DB_SQL) $(EV2DB_MORE); do n=$$((n + 1)); \
	    printf 'static const char text%d[] = {\n' $$n; \
	    od -An -v -tu1 $$f | tr -s ' ' '\n' | sed -n 's/[0-9][0-9]*/&,/p'; \
	    printf '0 };\n'; done; \
	printf 'const char *const db_sql[] = {\n'; \
	m=1; while [ $$m -lt $$n ]; do printf 'text%d, ' $$m; m=$$((m + 1)); \
	    done; \
	printf '};\nconst size_t db_n_sql = sizeof db_sql / sizeof *db_sql;\n'; \
	printf 'const char *const db_sql_more = text%d;\n' $$n; } >$@

$(BUILD)/ev2db_sql.o: $(BUILD)/ev2db_sql.c
	$(COMPILE) -Itools -c -o $@ $<

$(BUILD)/tl-ev2db: $(BUILD)/ev2db_sql.o

$(LIBTL): $(COMMON_OBJ)
	rm -f $@
	$(AR) rcs $@ $^

# A tool is its own file and the files tools/NAME_*.c.
define tool_rule
$(BUILD)/$(1): $$(patsubst tools/%.c,$(BUILD)/tools/%.o,tools/$(1).c \
	$$(wildcard tools/$(1)_*.c)) $(LIBTL)
	$$(CC) $$(CFLAGS) $$(EXTRA_CFLAGS) $$(LDFLAGS) -o $$@ $$^ \
	    $$(LIBS_$(1)) -lz
endef
$(foreach t,$(TOOLS),$(eval $(call tool_rule,$(t))))

$(SCRIPTS:%=$(BUILD)/%): $(BUILD)/%: tools/%
	@mkdir -p $(@D)
	cp $< $@
	chmod +x $@

$(GEN): $(wildcard tests/gen*.c) $(wildcard tests/gen*.h)
	@mkdir -p $(@D)
	$(CC) $(BASE) -O2 -g $(EXTRA_CFLAGS) -o $@ $(filter %.c,$^) -lsqlite3 -lz

$(GEN_ASCEND): tests/ascend/gen.c
	@mkdir -p $(@D)
	$(CC) $(BASE) -O2 -g $(EXTRA_CFLAGS) -o $@ $< -lsqlite3

$(BUILD)/unit/%: tests/unit/%.c $(LIBTL) $(wildcard tools/*.c)
	@mkdir -p $(@D)
	$(COMPILE) -Itools -o $@ $< $(LIBTL) -lsqlite3 -lyajl -lyaml -lz

# What is missing is said, with the reason, and installed where apt-get is.
deps:
	@CC="$(CC)" tests/deps.sh build

deps-test:
	@CC="$(CC)" tests/deps.sh test

# From a fresh checkout to a loop tree, on a capture made here.
DEMO = $(BUILD)/demo
DEMO_CAPTURE = $(DEMO)/demo.pt.trace.json.gz
demo:
	@$(MAKE) -s --no-print-directory deps
	@echo 'demo: building'
	@$(MAKE) -s --no-print-directory all $(GEN)
	@mkdir -p $(DEMO)
	@echo 'demo: making a capture of ten steps: $(DEMO_CAPTURE)'
	@$(GEN) -p demo -o $(DEMO_CAPTURE)
	@echo 'demo: $(BUILD)/traceloom -o $(DEMO) $(DEMO_CAPTURE)'
	@$(BUILD)/traceloom -o $(DEMO) $(DEMO_CAPTURE)
	@echo
	@echo 'demo: ask the database: $(BUILD)/tl-query -F table $(DEMO)/demo.db @loops'
	@$(BUILD)/tl-query -F table $(DEMO)/demo.db @loops
	@echo "demo: more to ask: $(BUILD)/tl-query @"

install: all
	install -d $(DESTDIR)$(BINDIR) $(MAN_DIRS:%=$(DESTDIR)$(MANDIR)/%) \
	    $(DESTDIR)$(RULESDIR)
	install -m 755 $(PROGRAMS) $(DESTDIR)$(BINDIR)
	install -m 644 $(MAN1) $(DESTDIR)$(MANDIR)/man1
	install -m 644 $(MAN5) $(DESTDIR)$(MANDIR)/man5
	install -m 644 $(MAN7) $(DESTDIR)$(MANDIR)/man7
	install -m 644 $(RULES) $(DESTDIR)$(RULESDIR)

uninstall:
	rm -f $(PROGRAMS:$(BUILD)/%=$(DESTDIR)$(BINDIR)/%) \
	    $(MAN1:man/%=$(DESTDIR)$(MANDIR)/man1/%) \
	    $(MAN5:man/%=$(DESTDIR)$(MANDIR)/man5/%) \
	    $(MAN7:man/%=$(DESTDIR)$(MANDIR)/man7/%) \
	    $(RULES:rules/%=$(DESTDIR)$(RULESDIR)/%)

# A release is a commit: the same commit, the same bytes.
dist:
	@mkdir -p $(BUILD)
	git archive --prefix=tl-$(VERSION)/ -o $(BUILD)/tl-$(VERSION).tar HEAD
	gzip -nf $(BUILD)/tl-$(VERSION).tar

clean:
	rm -rf $(BUILD)

include tests/check.mk

-include $(wildcard $(BUILD)/*/*.d $(BUILD)/*.d)
