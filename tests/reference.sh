#!/usr/bin/env bash
# The database under the eyes of the program whose relations it offers: its
# Python class must open the file and answer every query, and what both see
# alike must be equal. Needs a package registry once; what was installed is kept
# in the folder of the build. Says skipped where there is none.
set -u
. "$(dirname "$0")/helper.bash"
venv=$BUILD/reference
python=$venv/bin/python

if ! "$python" -c 'import traceloom' 2>/dev/null; then
	rm -rf "$venv"
	if ! python3 -m venv "$venv" ||
	    ! timeout 120 "$venv/bin/pip" install -q --retries 1 --timeout 20 \
	    --disable-pip-version-check traceloom==0.1.4; then
		rm -rf "$venv"
		echo 'reference: skipped: the package cannot be installed'
		exit 0
	fi
fi
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failed=0

# both NAME EXPORT: the same export by both.
both() {
	tl-nsys2ev -q "$2" 2>/dev/null | tl-replay -q | tl-recover -q >"$1.ev" ||
	    return 1
	tl-ev2db -qPfo "$1.db" "$1.ev" || return 1
	"$venv/bin/traceloom" "$2" --output "$1-theirs.db" >/dev/null 2>&1 ||
	    return 1
	"$python" "$TESTS/views.py" queries "$1.db" traceloom || return 1
	"$python" "$TESTS/reference.py" "$1.db" "$1-theirs.db"
}

gen=$BUILD/gen
"$gen" -n 12 -l 4 -e 0,2 -c 1 -C 1,2 -f nsys -o loops.sqlite
"$gen" -n 9 -l 3 -g layer -f nsys -o graphs.sqlite
"$python" "$TESTS/reference_graph.py" nodes.sqlite
for f in loops.sqlite graphs.sqlite nodes.sqlite "$TRACES"/nsys/pipit*.sqlite \
    "$TRACES"/nsys/nsysai*.sqlite; do
	[[ -r $f ]] || continue
	name=$(basename "$f" .sqlite)
	echo "reference: $name"
	both "$name" "$f" || { echo "reference: $name: differs"; failed=1; }
done
exit $failed
