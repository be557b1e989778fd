#!/usr/bin/env bash
# clang-tidy over the library and the programs, with the flags of the Clang build. The path-sensitive analyzer
# takes most of the time and runs with --full only.
set -euo pipefail
cd "$(dirname "$0")/.."
checks=(--checks=-clang-analyzer-*)
[ "${1:-}" != --full ] || checks=()
mkdir -p build/reports
cmake --preset tidy >build/reports/tidy-configure.log
git ls-files 'bloomery/*.cc' 'apps/*.cc' |
  xargs -P "$(nproc)" -n 6 clang-tidy -p build/tidy --quiet "${checks[@]}" \
    >build/reports/tidy.log 2>build/reports/tidy-errors.log || {
  grep -E 'error:|warning:' build/reports/tidy.log | sort -u | head -n 60
  exit 1
}
