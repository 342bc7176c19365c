#!/bin/sh
# deps.sh build|test: sees to what the build, or the tests as well, need. What
# is there is found out by trying it. What is missing is said, with the reason;
# where apt-get is, it is then installed, else the packages are named.
set -u
cc=${CC:-cc}
missing='' apt='' dnf='' apk='' brew=''

# lacks WHY APT DNF APK BREW: names of packages; - where none is needed
lacks() {
	missing="$missing  $2: $1
"
	apt="$apt $2" dnf="$dnf $3" apk="$apk $4" brew="$brew $5"
}

# A program in C that includes the header and links the library.
links() {
	printf '#include <stddef.h>\n#include <%s>\nint main(void){return 0;}\n' \
	    "$1" >"$dir/t.c"
	# shellcheck disable=SC2086
	$cc -o "$dir/t" "$dir/t.c" $2 >"$dir/log" 2>&1
}

has() {
	command -v "$1" >/dev/null 2>&1
}

look() {
	has "${cc%% *}" || lacks 'C compiler' gcc gcc build-base gcc
	has "${cc%% *}" && ! links stdio.h '' &&
	    lacks 'C library to build with' libc6-dev glibc-devel musl-dev -
	links zlib.h -lz || lacks 'compressed traces and streams' \
	    zlib1g-dev zlib-devel zlib-dev zlib
	links yajl/yajl_parse.h -lyajl || lacks 'JSON of Kineto traces' \
	    libyajl-dev yajl-devel yajl-dev yajl
	links sqlite3.h -lsqlite3 || lacks 'Nsight Systems exports' \
	    libsqlite3-dev sqlite-devel sqlite-dev sqlite
	links yaml.h -lyaml || lacks 'files of rules' \
	    libyaml-dev libyaml-devel yaml-dev libyaml
	has gzip || lacks 'streams kept as files' gzip gzip gzip gzip
	has awk || lacks 'scripts' mawk gawk gawk gawk
	[ "$1" = test ] || return 0
	has bash || lacks 'the tests are in it' bash bash bash bash
	has bats || lacks 'runs the tests' bats bats bats bats-core
	has prove || lacks 'runs and counts the tests' \
	    perl perl-Test-Harness perl-utils perl
	has python3 || lacks 'answers found by other means' \
	    python3 python3 python3 python3
	has sqlite3 || lacks 'databases that tests make' \
	    sqlite3 sqlite sqlite sqlite
	has jq || lacks 'lines of artifacts, in tests' jq jq jq jq
	has mandoc || lacks 'form of the manual pages' \
	    mandoc mandoc mandoc mandoc
}

as_root() {
	if [ "$(id -u)" = 0 ]; then
		"$@"
	elif has sudo; then
		sudo "$@"
	else
		echo 'deps: neither root nor sudo' >&2
		return 1
	fi
}

install() {
	# a list of packages may be missing or old: then it is fetched first
	# shellcheck disable=SC2086
	as_root env DEBIAN_FRONTEND=noninteractive apt-get install -qq -y \
	    --no-install-recommends $apt >"$dir/log" 2>&1 && return
	# shellcheck disable=SC2086
	as_root apt-get update -qq >"$dir/log" 2>&1 &&
	    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -qq -y \
	    --no-install-recommends $apt >"$dir/log" 2>&1
}

name_packages() {
	if has dnf; then
		echo "deps: they come with: dnf install$dnf"
	elif has apk; then
		echo "deps: they come with: apk add$apk"
	elif has brew; then
		echo "deps: they come with: brew install$brew"
	else
		echo "deps: on Debian they are the packages$apt"
	fi | sed 's/ - / /; s/ -$//'
}

case ${1-} in
build | test) ;;
*)	echo 'usage: deps.sh build|test' >&2
	exit 2 ;;
esac
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
trap 'exit 1' HUP INT TERM
look "$1"
[ -n "$missing" ] || exit 0
printf 'deps: missing:\n%s' "$missing"
if ! has apt-get; then
	name_packages
	exit 1
fi
echo "deps: installing with apt-get:$apt"
if ! install; then
	tail -n 5 "$dir/log" >&2
	echo "deps: not installed; by hand: apt-get install$apt" >&2
	exit 1
fi
missing=
look "$1"
[ -z "$missing" ] || { printf 'deps: still missing:\n%s' "$missing" >&2
	exit 1; }
echo 'deps: installed'
