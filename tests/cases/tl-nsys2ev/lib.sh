# shellcheck shell=bash
# make_export FILE...: in.sqlite, of base.sql and then these files.
make_export() {
	rm -f in.sqlite
	cat "$TESTS/cases/tl-nsys2ev/base.sql" "$@" | sqlite3 in.sqlite
}

# stream OPTION...: the stream of in.sqlite without the lines that say where
# and by which version it was made.
stream() {
	tl-nsys2ev -P "$@" in.sqlite |
	    grep -Ev '^#(tl-ev|source|place|rules|order)'
}

# With an argument the lines of the stream that begin with it.
lines() {
	grep "^$1"
}
