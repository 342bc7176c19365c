#!/usr/bin/env bats
load helper

# A PATH with what deps.sh itself needs, and a compiler that finds all
# libraries but those named in the file lacking.
setup() {
	tl_setup
	mkdir bin
	for p in sh mktemp rm sed id env tail cat gzip awk bash bats prove \
	    python3 sqlite3 jq mandoc; do
		ln -s "$(type -P $p || type -P true)" bin/$p
	done
	: >lacking
	cat >bin/cc <<-'END'
		#!/bin/sh
		for a; do
			while read -r l; do [ "$a" != "$l" ] || exit 1; done <lacking
		done
	END
	chmod +x bin/cc
}

deps() {
	try env PATH="$PWD/bin" "$ROOT/tests/deps.sh" "$@"
}

@test "deps: nothing is missing: silence" {
	for what in build test; do
		deps $what
		expect 0
		expect_silent
		[[ ! -s $TRY/out ]]
	done
}

@test "deps: what is missing is named with its reason, where apt-get is not" {
	printf '%s\n' -lyajl -lyaml >lacking
	rm bin/mandoc
	deps build
	expect 1
	[[ $(<"$TRY/out") == 'deps: missing:
  libyajl-dev: JSON of Kineto traces
  libyaml-dev: files of rules
deps: on Debian they are the packages libyajl-dev libyaml-dev' ]]
	deps test
	expect 1
	grep -q '^  mandoc: form of the manual pages$' "$TRY/out"
	for pm in 'dnf install yajl-devel libyaml-devel' \
	    'apk add yajl-dev yaml-dev' 'brew install yajl libyaml'; do
		ln -s "$(type -P true)" bin/${pm%% *}
		deps build
		expect 1
		[[ $(tail -n 1 "$TRY/out") == "deps: they come with: $pm" ]]
		rm bin/${pm%% *}
	done
}

@test "deps: apt-get installs, after an update where it has to" {
	echo -lsqlite3 >lacking
	cat >bin/apt-get <<-'END'
		#!/bin/sh
		echo "$DEBIAN_FRONTEND apt-get $*" >>calls
		case $1 in
		update) : >updated ;;
		install) [ -e updated ] && : >lacking ;;
		esac
	END
	printf '#!/bin/sh\necho "sudo $*" >>calls\nexec "$@"\n' >bin/sudo
	printf '#!/bin/sh\necho 1000\n' >bin/myid
	chmod +x bin/*
	ln -sf myid bin/id
	deps build
	expect 0
	expect_silent
	[[ $(<"$TRY/out") == 'deps: missing:
  libsqlite3-dev: Nsight Systems exports
deps: installing with apt-get: libsqlite3-dev
deps: installed' ]]
	grep -q '^sudo .*apt-get update' calls
	grep -q '^noninteractive apt-get install .*libsqlite3-dev$' calls
	# root needs no sudo
	rm calls updated
	echo -lz >lacking
	printf '#!/bin/sh\necho 0\n' >bin/myid
	deps build
	expect 0
	! grep -q sudo calls || fail "sudo was called"
	# installed, and still not there
	rm updated
	echo -lz >lacking
	sed -i 's/\[ -e updated.*/exit 0 ;;/' bin/apt-get
	deps build
	expect 1
	grep -q '^deps: still missing:$' "$TRY/err"
	# not to be had
	printf '#!/bin/sh\necho no such package >&2\nexit 100\n' >bin/apt-get
	deps build
	expect 1
	grep -q '^no such package$' "$TRY/err"
	grep -q '^deps: not installed; by hand: apt-get install zlib1g-dev$' \
	    "$TRY/err"
}

@test "deps: wrong usage" {
	deps
	expect 2 '^usage: '
	deps all
	expect 2 '^usage: '
}

@test "make install: programs and pages, by DESTDIR and PREFIX; uninstall" {
	need make install
	# -o all: what is built is there already
	make -s -C "$ROOT" -o all BUILD="$BUILD" DESTDIR="$PWD/d" \
	    PREFIX=/opt/x install >log 2>&1 || fail "$(<log)"
	for p in $(sed -n 's/^TOOLS = //p' "$ROOT/Makefile") traceloom; do
		[[ -x d/opt/x/bin/$p ]] || fail "$p is not installed"
	done
	[[ -s d/opt/x/share/man/man7/traceloom.7 ]]
	[[ -s d/opt/x/share/man/man5/tl-ev.5 ]]
	[[ -s d/opt/x/share/tl/rules/scheduler-step.yaml ]]
	# what is installed runs on its own
	"$BUILD/gen" -n 2 -o k.json
	try env PATH="$PWD/d/opt/x/bin:/usr/bin:/bin" traceloom -q k.json
	expect 0
	make -s -C "$ROOT" BUILD="$BUILD" DESTDIR="$PWD/d" PREFIX=/opt/x \
	    uninstall
	[[ -z $(find d -type f) ]]
}
