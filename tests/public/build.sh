#!/bin/bash
# usage: build.sh FOLDER    Fetches the public programs of programs.tsv by commit and builds them into FOLDER, with nvcc
# of CUDA 13.0: another compiler makes other machine code than was measured. Unchanged but for PolyBench's sizes.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd); out=$1; mkdir -p "$out/src" "$out/data"; cd "$out"
fetch() {  # NAME URL COMMIT
  [ -d "src/$1" ] || { git clone -q --filter=blob:none --no-checkout "$2" "src/$1" && git -C "src/$1" checkout -q "$3"; }
}
fetch HeCBench https://github.com/zjin-lcf/HeCBench f27000a
fetch cuda-samples https://github.com/NVIDIA/cuda-samples c94ff36
fetch PolyBench-GPU https://github.com/sgrauerg/polybenchGpu 5584aaa
flags="-O3 -lineinfo -arch=sm_90 -std=c++17 -cudart shared"
{ echo "#include <cuda.h>"; echo "#include <cuda_runtime.h>"
  for size in N M NI NJ NK NX NY NL NM; do echo "#define $size 256"; done
  echo "#define TSTEPS 4"; echo "#define TMAX 4"; echo "#define cudaThreadSynchronize cudaDeviceSynchronize"; } >sizes.h
while IFS=$'\t' read -r collection program arguments; do
  name=${program#*.}
  case $collection in
    HeCBench) from=src/HeCBench/src/$name-cuda; options="-I$from -Isrc/HeCBench/src/include" ;;
    cuda-samples) from=$(echo src/cuda-samples/Samples/*/"$name"); options="-Isrc/cuda-samples/Common" ;;
    PolyBench-GPU) from=src/PolyBench-GPU/CUDA/$name; options="-include sizes.h -Isrc/PolyBench-GPU/common" ;;
    *) continue ;;
  esac
  [ -x "$program" ] && continue
  # shellcheck disable=SC2086,SC2046
  nvcc $flags $options -o "$program" $(ls "$from"/*.cu "$from"/*.cpp 2>/dev/null | grep -v "/test_\|reference_main") ||
    echo "not built: $program" >&2
done <"$here/programs.tsv"
cp src/cuda-samples/Samples/0_Introduction/simpleTexture/data/*.pgm data/
