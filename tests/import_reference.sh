#!/usr/bin/env bash
# import_reference.sh CAPTURE...: imports each at both details, lets stormlog
# do the same, and compares record by record; ends with status 1 where they
# differ. TL_STORMLOG is a python3 that has stormlog 0.4.3, TL_ORACLE its
# oracle (default: ../shared/reference/stormlog_oracle.py). TL_SCHEMA may name
# the artifact's JSON schema.
set -u
tests=$(cd "$(dirname "$0")" && pwd)
oracle=${TL_ORACLE:-$tests/../../shared/reference/stormlog_oracle.py}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0
for capture; do
	case $capture in
	*.sqlite) convert=tl-nsys2ev ;;
	*) convert=tl-kineto2ev ;;
	esac
	# the reference passes over all events of these, and says nothing
	if gzip -cdf "$capture" | grep -qm1 '"cat": *"Kernel"'; then
		echo "${capture##*/}: set aside: categories of 2020"
		continue
	fi
	for detail in launch kernel; do
		rm -f "$work"/*
		python3 "$tests/oracle/import.py" artifact "$work/run.jsonl"
		cp "$work/run.jsonl" "$work/before.jsonl"
		"$convert" -q "$capture" |
		    tl-import -q -d "$detail" -a "$work/run.jsonl" || bad=1
		"${TL_STORMLOG:-python3}" "$oracle" "$work/before.jsonl" \
		    "$work/run.jsonl" --trace "$capture" --detail "$detail" \
		    --ids strict --times exact --order --bytes \
		    --ignore context.source_version \
		    --ignore summary.graph_gpu_events \
		    ${TL_SCHEMA:+--schema "$TL_SCHEMA"} >"$work/out" 2>&1
		case $? in
		0) verdict=same ;;
		2) verdict='the reference refuses it' ;;
		*) verdict=DIFFERENT bad=1 ;;
		esac
		printf '%s, %s: %s\n' "${capture##*/}" "$detail" "$verdict"
		[[ $verdict != DIFFERENT ]] || head -n 5 "$work/out"
	done
done
exit $bad
