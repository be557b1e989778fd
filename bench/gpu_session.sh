#!/usr/bin/env bash
# Tests and measures filters on a GPU whose machine has little else: no network, no packages.
#   bench/gpu_session.sh build           where nvcc is: programs that need nothing but a driver, in build/gpu_carry
#   bench/gpu_session.sh test            on the device: all tests, then the sanitizers on the small half
#   bench/gpu_session.sh bench [MODE]    on the device: the tables (all, or one of those of gpu_bench)
# Reports go to $OUT, or to the current folder.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
out=${OUT:-.}
carry=build/gpu_carry
case ${1:-} in
build)
  # Whatever is not in every system's C library is linked statically.
  cmake -S . -B build/gpu -G Ninja -DCMAKE_BUILD_TYPE=Release -DBLOOMERY_UNITY=ON -DBLOOMERY_GPU=ON \
    -DBLOOMERY_BUILD_BENCH=ON -DCMAKE_CXX_COMPILER_LAUNCHER="${BLOOMERY_LAUNCHER:-}" \
    -Dpkgcfg_lib_xxhash_xxhash="$(pkg-config --variable=libdir libxxhash)/libxxhash.a" \
    -DCMAKE_EXE_LINKER_FLAGS="-static-libstdc++ -static-libgcc" > /dev/null || exit 1
  cmake --build build/gpu -j"${JOBS:-2}" --target gpu_device_tests gpu_bench || exit 1
  mkdir -p $carry
  cp build/gpu/tests/gpu/gpu_device_tests build/gpu/bench/gpu/gpu_bench $carry/ && strip $carry/*
  ls -l $carry
  ;;
test)
  nvidia-smi | tee "$out/nvidia-smi.txt" | head -20
  timeout 200 $carry/gpu_device_tests 2>&1 | tee "$out/tests.txt"
  status=${PIPESTATUS[0]}
  for tool in memcheck racecheck initcheck; do
    (time timeout 130 compute-sanitizer --tool $tool --error-exitcode 9 $carry/gpu_device_tests small) \
      > "$out/$tool.txt" 2>&1
    echo "$tool: status $?: $(grep -E 'SUMMARY|real' "$out/$tool.txt" | tr '\n' ' ')"
  done
  exit "$status"
  ;;
bench)
  nvidia-smi --query-gpu=name,driver_version,power.draw,clocks.sm,clocks.mem,temperature.gpu --format=csv,noheader
  $carry/gpu_bench "${@:2}" 2>&1 | tee "$out/bench.txt"
  ;;
*)
  sed -n 2,6p "$0"
  exit 2
  ;;
esac
