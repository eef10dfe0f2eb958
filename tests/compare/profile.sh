#!/bin/bash
# usage: profile.sh FOLDER    Makes the tables beside this file again, on a machine with a GPU and Nsight Compute: one profile
# a program, exported in every form. The tests keep of them the columns that hold counts, without those of the device. The runs are
#   warplens run --json kernels.run.json ./kernels
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd); out=$1; mkdir -p "$out"
metrics=launch__registers_per_thread,launch__shared_mem_per_block_static,launch__shared_mem_per_block_dynamic
metrics+=,smsp__inst_executed.sum,smsp__thread_inst_executed.sum,smsp__thread_inst_executed_pred_on.sum
for space in global shared local; do for op in ld st; do metrics+=,smsp__inst_executed_op_${space}_$op.sum; done; done
for op in ld st red atom; do
  metrics+=,l1tex__t_requests_pipe_lsu_mem_global_op_$op.sum,l1tex__t_sectors_pipe_lsu_mem_global_op_$op.sum; done
for op in ld st; do
  metrics+=,l1tex__t_requests_pipe_lsu_mem_local_op_$op.sum,l1tex__t_sectors_pipe_lsu_mem_local_op_$op.sum
  metrics+=,smsp__sass_average_data_bytes_per_sector_mem_global_op_$op.ratio
  metrics+=,smsp__sass_average_data_bytes_per_sector_mem_local_op_$op.ratio; done
metrics+=,smsp__sass_branch_targets.sum,smsp__sass_branch_targets_threads_divergent.sum
metrics+=,smsp__sass_branch_targets_threads_uniform.sum
nvcc -O3 -arch=sm_90 -lineinfo --extended-lambda -cudart static -o "$out/kernels" "$here/kernels.cu"
cd "$out"
ncu --section LaunchStats --section SourceCounters --metrics $metrics --import-source yes -f -o kernels ./kernels
ncu -i kernels.ncu-rep --page raw --csv --print-units base >kernels.raw.csv
ncu -i kernels.ncu-rep --page raw --csv --print-units auto >kernels.units.csv
ncu -i kernels.ncu-rep --page raw --csv --print-fp >kernels.fp.csv
ncu -i kernels.ncu-rep --page details --csv --print-metric-name name >kernels.details.csv
ncu -i kernels.ncu-rep --page source --csv --print-units base >kernels.source.csv
ncu -i kernels.ncu-rep --page source --csv --print-source cuda,sass >kernels.lines.csv
ncu --csv --metrics smsp__inst_executed.sum,memory_l2_theoretical_sectors_global ./kernels >kernels.printed.csv 2>&1
