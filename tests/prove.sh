#!/usr/bin/env bash
# prove.sh FILE.bats...: runs them, two at a time; shows what fails, and prove's
# summary.
set -o pipefail
prove --norc -j2 -f -o --exec 'bats --tap' "$@" |
    grep -av -e '\.\. ok$' -e '\.\. $'
