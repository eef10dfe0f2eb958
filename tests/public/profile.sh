#!/bin/bash
# usage: profile.sh PROGRAMS EXPORTS    On a machine with a GPU and Nsight Compute: the first eight launches of each
# program that build.sh built into PROGRAMS, as tables in EXPORTS, for public.py reduce.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd); mkdir -p "$2"; out=$(cd "$2" && pwd); cd "$1"
metrics=launch__grid_size,launch__block_size,launch__registers_per_thread
metrics+=,smsp__inst_executed.sum,smsp__thread_inst_executed.sum,smsp__thread_inst_executed_pred_on.sum
for space in global shared local generic; do for op in ld st; do metrics+=,smsp__inst_executed_op_${space}_$op.sum; done; done
metrics+=,smsp__inst_executed_op_ldgsts.sum
for figure in requests sectors; do
  for op in ld st red atom; do metrics+=,l1tex__t_${figure}_pipe_lsu_mem_global_op_$op.sum; done
  for op in ld st; do metrics+=,l1tex__t_${figure}_pipe_lsu_mem_local_op_$op.sum; done
done
for space in global local; do for op in ld st; do
  metrics+=,smsp__sass_average_data_bytes_per_sector_mem_${space}_op_$op.ratio; done; done
metrics+=,smsp__sass_branch_targets.sum,smsp__sass_branch_targets_threads_divergent.sum
metrics+=,smsp__sass_branch_targets_threads_uniform.sum
tail -n +2 "$here/programs.tsv" | while IFS=$'\t' read -r _ program arguments; do
  # shellcheck disable=SC2086
  timeout 100 ncu --csv --page raw --print-units base --section LaunchStats --section SourceCounters --metrics "$metrics" \
    -c 8 --kill yes --log-file "$out/$program.csv" "./$program" $arguments >/dev/null </dev/null
done
