# What tests: included by the Makefile.
#
#	check         everything, on the plain build; under five minutes
#	check-asan    the same on a build with ASan and UBSan
#	check-tiny    the same on a build with 64-byte buffers, so that every line
#	              crosses a refill
#	lint          warnings of both compilers, pages, scripts
#	fuzz-regress  the fuzzers' entry points over the corpus, ordinary compiler
#	fuzz          clang's libFuzzer, FUZZ_SECONDS for each entry point
#	check-reference  the database beside the program whose relations it has
#	seeds         loops with noise, 100 seeds of each kind; half an hour
#	bench         ratios to baselines of the same run
#	import-reference
#	              tl-import against the reference's import, over all captures
#	              (TL_TRACES) at both details; TL_STORMLOG is a python that has
#	              stormlog 0.4.3
#	golden        CASE=TOOL/NAME: rewrites the case's expected output

TESTS_BATS ?= $(wildcard tests/*.bats)
# Files that pass are not named, what fails in the others is shown.
PROVE = tests/prove.sh
SANITIZE = -fsanitize=address,undefined -fno-sanitize-recover=all \
	-fno-omit-frame-pointer
ABS_BUILD = $(abspath $(BUILD))

# Entry points of fuzzers; what one needs beside libtl.
FUZZ = ev line num esc rules kineto context
FUZZ_SRC_kineto = $(wildcard tools/tl-kineto2ev_*.c)
FUZZ_SRC_context = tools/tl-context_json.c
FUZZ_REGRESS = $(FUZZ:%=$(BUILD)/fuzz/%)
FUZZ_SECONDS ?= 60
FUZZ_SEEDS = tests/corpus/ev/pass tests/corpus/ev/fail tests/battery rules
FUZZ_CC = clang
FUZZ_FLAGS = -g -O1 -fsanitize=fuzzer,address,undefined \
	-fno-sanitize-recover=all -Icommon -Itools -Itests/fuzz
LIBS_ALL = -lsqlite3 -lyajl -lyaml -lz

.PHONY: check-build check-run check-reference import-reference seeds

# Everything the tests run.
check-build: all $(UNITS) $(GEN) $(GEN_ASCEND) $(BUILD)/preload.so $(FUZZ_REGRESS)

$(BUILD)/preload.so: tests/preload.c
	@mkdir -p $(@D)
	$(CC) $(BASE) $(CFLAGS) -shared -fPIC -o $@ $< -ldl

define fuzz_rule
$(BUILD)/fuzz/$(1): tests/fuzz/$(1).c tests/fuzz/main.c tests/fuzz/file.c \
	$(FUZZ_SRC_$(1):tools/%.c=$(BUILD)/tools/%.o) $(LIBTL)
	@mkdir -p $$(@D)
	$$(CC) $$(BASE) -Icommon -Itools $$(CFLAGS) $$(EXTRA_CFLAGS) -o $$@ \
	    $$^ $$(LIBS_ALL)

$(BUILD)/fuzzer/$(1): tests/fuzz/$(1).c tests/fuzz/file.c \
	$(FUZZ_SRC_$(1)) $(BUILD)/default_rules.c $(wildcard common/*.c)
	@mkdir -p $$(@D)
	$$(FUZZ_CC) $$(BASE) $$(FUZZ_FLAGS) -o $$@ $$^ $$(LIBS_ALL)
endef
$(foreach f,$(FUZZ),$(eval $(call fuzz_rule,$(f))))

fuzz-regress: $(FUZZ_REGRESS)
	@tests/mkbats.sh $(ABS_BUILD)/bats
	@BUILD=$(ABS_BUILD) $(PROVE) tests/fuzz.bats

# What a run finds is kept beside the programs; a crash stops it.
fuzz: $(FUZZ:%=$(BUILD)/fuzzer/%)
	@for f in $(FUZZ); do \
	    echo "fuzz: $$f, $(FUZZ_SECONDS) s"; \
	    mkdir -p $(BUILD)/fuzzer/found/$$f; \
	    $(BUILD)/fuzzer/$$f -max_total_time=$(FUZZ_SECONDS) \
		-max_len=65536 -print_final_stats=0 -verbosity=0 \
		-artifact_prefix=$(BUILD)/fuzzer/$$f- \
		$(BUILD)/fuzzer/found/$$f $(FUZZ_SEEDS) || exit 1; \
	done

# The messages of make and compilers are shown only when something fails. What
# cannot be installed is skipped by the tests that need it.
check:
	@$(MAKE) -s --no-print-directory deps-test || :
	@$(MAKE) -s --no-print-directory check-build
	@$(MAKE) -s --no-print-directory check-run

check-run:
	@tests/mkbats.sh $(ABS_BUILD)/bats
	@BUILD=$(ABS_BUILD) TL_VARIANT=$(TL_VARIANT) tests/missing.sh
	@BUILD=$(ABS_BUILD) TL_VARIANT=$(TL_VARIANT) \
	    $(PROVE) $(TESTS_BATS) $(ABS_BUILD)/bats/*.bats

check-asan:
	@$(MAKE) --no-print-directory check BUILD=$(BUILD)/asan \
	    TL_VARIANT=asan EXTRA_CFLAGS="$(SANITIZE)" CFLAGS="-O1 -g"

check-tiny:
	@$(MAKE) --no-print-directory check BUILD=$(BUILD)/tiny \
	    TL_VARIANT=tiny EXTRA_CFLAGS=-DTL_BUFSZ=64

check-reference: all $(GEN)
	@BUILD=$(ABS_BUILD) tests/reference.sh

# gcc and clang with their warnings as errors, then what reads sources.
lint: all
	@tests/lint.sh $(ABS_BUILD)/lint "$(BASE) -Icommon -Itools -Itests/unit \
	    -Itests/fuzz" $(ABS_BUILD)

$(BUILD)/bench_run: tests/bench_run.c
	@mkdir -p $(@D)
	$(CC) $(BASE) -D_DEFAULT_SOURCE -O2 -o $@ $<

$(BUILD)/bench_yajl: tests/bench_yajl.c
	@mkdir -p $(@D)
	$(CC) $(BASE) -O2 -o $@ $< -lyajl

bench: all $(GEN) $(GEN_ASCEND) $(BUILD)/bench_run $(BUILD)/bench_yajl
	@tests/bench.sh $(ABS_BUILD)

seeds: all $(GEN)
	@python3 tests/near.py $(ABS_BUILD) 100

TL_TRACES ?= ../shared/traces
import-reference: all
	@PATH=$(ABS_BUILD):$$PATH tests/import_reference.sh \
	    $(TL_TRACES)/kineto/* $(TL_TRACES)/nsys/*

golden:
	@test -n "$(CASE)" || { echo 'usage: make golden CASE=TOOL/NAME'; exit 2; }
	@$(MAKE) -s --no-print-directory all
	@BUILD=$(ABS_BUILD) bash -c '. tests/helper.bash; golden_case "$(CASE)"'
