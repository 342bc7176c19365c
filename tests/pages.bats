#!/usr/bin/env bats
# Manual pages, options and the words of the repository.
load helper
load battery

# The options that a tool's page documents: the items of its lists of options.
page_options() {
	sed -n '/^\.Sh DESCRIPTION/,$ s/^\.It Fl \(.*\)/\1/p' "$1" |
	    awk '{
		# "-q , v" and "-o Ar file": letters up to the argument
		for (i = 1; i <= NF; i++) {
			if ($i == "Ar")
				break
			if ($i ~ /^[A-Za-z0-9]$/)
				print $i
		}
	    }' | sort -u
}

every_tool() {
	battery_table | awk '{ print $1 }'
}

@test "pages: every tool of the Makefile is in the battery and has a page" {
	local t

	for t in $(sed -n 's/^TOOLS = //p; s/^SCRIPTS = //p' "$ROOT/Makefile"); do
		every_tool | grep -qx "$t" || fail "$t is not in battery.bash"
		[[ -e $ROOT/man/$t.1 ]] || fail "$t has no page"
	done
}

@test "pages: mandoc finds nothing" {
	need mandoc
	mandoc -T lint -W warning "$ROOT"/man/*.[1-9]
}

@test "pages: programs' pages have their sections" {
	local p s

	for p in "$ROOT"/man/*.1; do
		for s in NAME SYNOPSIS DESCRIPTION 'EXIT STATUS' EXAMPLES \
		    'SEE ALSO'; do
			grep -qx "\.Sh $s" "$p" || fail "$p: no section $s"
		done
	done
}

@test "pages: every option is in the page and the other way round" {
	for TOOL in $(every_tool); do
		diff <(options | tr -d : | sort) \
		    <(page_options "$ROOT/man/$TOOL.1") >&2 ||
		    fail "$TOOL: < has, > documents"
	done
}

@test "pages: an option of the synopsis is one, and the other way round" {
	local usage

	for TOOL in $(every_tool); do
		usage=$("$TOOL" -h | head -n 1)
		# "[-kqt] [-S size] -o file": letters behind a dash
		diff <(options | tr -d : | grep -v '[hV]' | sort) \
		    <(grep -o '[[ ]-[A-Za-z0-9]*' <<<"$usage" | tr -d '[ -' |
		    grep -o . | grep -v '[hV]' | sort -u) >&2 ||
		    fail "$TOOL: < has, > usage line"
	done
}

# h V q v o P t k r F n f S mean one thing everywhere, so that they have an
# argument everywhere or nowhere; traceloom(7) lists them.
@test "pages: a letter that tools share has an argument in all or in none" {
	local c

	for c in h V q v P t k n f; do
		for TOOL in $(every_tool); do
			! options | grep -qx "$c:" ||
			    fail "$TOOL: -$c takes an argument"
		done
	done
	for c in o r F S; do
		for TOOL in $(every_tool); do
			! options | grep -qx "$c" ||
			    fail "$TOOL: -$c takes no argument"
		done
	done
}

@test "pages: every tool has -h and -V" {
	for TOOL in $(every_tool); do
		options | grep -qx h
		options | grep -qx V
	done
}

@test "pages: traceloom(7) names every tool and every common option" {
	local t c page=$ROOT/man/traceloom.7

	for t in $(every_tool); do
		grep -q "$t" "$page" || fail "$t"
	done
	for c in h V q v o P t k r F n f S; do
		grep -Eq "^\.It Fl (. , )*$c( |$)" "$page" || fail "-$c"
	done
}

@test "pages: cross references lead somewhere" {
	local p name section

	for p in "$ROOT"/man/*.[1-9]; do
		while read -r _ name section _; do
			[[ $name == tl-* || $name == traceloom ]] || continue
			[[ -e $ROOT/man/$name.$section ]] ||
			    fail "${p##*/}: $name($section)"
		done < <(grep '^\.Xr' "$p")
	done
}

# The project speaks of itself only.
@test "repository: no path of a machine, no word of how it was made" {
	local hits

	hits=$(cd "$ROOT" && grep -rnIE --exclude-dir=.git --exclude=.git --exclude-dir=build \
	    -e '/(work|root|home/[a-z]+)/' -e '/tmp/brief' \
	    -e '\b([Ss]ub-?agent|[Cc]laude|OpenAI|Anthropic)\b' \
	    -e 'deb\.debian\.org|pypi\.org|registry\.npmjs' \
	    -e '\b(TODO|FIXME|XXX)\b' . |
	    grep -v '^\./tests/pages\.bats:' || :)
	[[ -z $hits ]] || fail "$hits"
}

@test "repository: no space at the end of a line, none before a tab" {
	local hits

	hits=$(cd "$ROOT" && grep -rnIE --exclude-dir=.git --exclude-dir=build \
	    --exclude-dir=corpus --include='*.[chyk1-9]' --include='*.sh' \
	    --include='*.bash' --include='*.bats' --include='*.py' \
	    --include='*.md' --include='*.mk' --include='*.yaml' \
	    --include=Makefile -e '[[:blank:]]$' -e " $(printf '\t')" . || :)
	[[ -z $hits ]] || fail "$hits"
}

# What others own is read where it is, never kept here.
@test "repository: no capture is in it" {
	local f

	while read -r f; do
		[[ $(wc -c <"$f") -lt 300000 ]] || fail "$f is large"
	done < <(cd "$ROOT" && find "$PWD" -path ./.git -prune -o -type f \
	    ! -path '*/.git/*' ! -path '*/build/*' -print)
}

# numbered FILE LETTER LAST TOOL: rows from 01 to LAST, and cases by their name.
numbered() {
	local i dir name

	for i in $(seq -w 1 "$3"); do
		grep -q "^| $2$i |" "$1" || fail "$1: no row $2$i"
	done
	for dir in "$TESTS/cases/$4"/"${2,}"[0-9]*/; do
		[[ -e $dir ]] || continue
		name=$(basename "$dir")
		grep -q "^| ${2}${name:1:2} |" "$1" ||
		    fail "$1: no row for the case $name"
	done
}

@test "repository: every known deviation of producers has its row" {
	numbered "$TESTS/producers-kineto.md" K 40 tl-kineto2ev
	numbered "$TESTS/producers-nsys.md" N 26 tl-nsys2ev
	numbered "$TESTS/producers-msprof.md" A 11 tl-msprof2ev
}
