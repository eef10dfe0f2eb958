#!/bin/bash
# startup.sh WARPLENS PROGRAM [RUNS]: what a whole run of a small program costs, first with nothing cached, then with the
# compiled code on disk. Wall time is what a user waits; CPU time does not depend on what else the machine does.
set -euo pipefail
warplens=$1 program=$2 runs=${3:-7}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export XDG_CACHE_HOME=$folder TIMEFORMAT='%R s wall, %U + %S s CPU'
for run in $(seq "$runs"); do
  printf 'run %s: ' "$run"
  { time "$warplens" run --json "$folder/report.json" "$program" >"$folder/out" 2>"$folder/errors"; } 2>&1 | tr '\n' ' '
  grep -m1 '"compile_seconds"' "$folder/report.json"
done
