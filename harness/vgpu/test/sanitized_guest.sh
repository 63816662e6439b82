#!/usr/bin/env bash
# sanitized_guest.sh KFDVM RESULTS PROGRAM [ARGS]: runs PROGRAM on the two virtual GPUs of a sanitizer build, and fails
# where the program fails or a sanitizer said anything in a virtual GPU's or the launcher's own output.
set -euo pipefail

kfdvm=$1 results=$2
shift 2
[ -x "$1" ] || {
  printf 'no program %s: build the preset release first\n' "$1" >&2
  exit 2
}
rm -rf "$results"
mkdir -p "$results"
status=0
"$kfdvm" run --machine vega10x2 --timeout 900 --results "$results" -- "$@" >"$results/output" 2>&1 || status=$?
tail -n 15 "$results/output"
if grep -nE 'Sanitizer|runtime error:' "$results/output" "$results"/gpu*.log; then
  printf 'a sanitizer complained\n' >&2
  exit 1
fi
exit "$status"
