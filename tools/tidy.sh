#!/usr/bin/env bash
# clang-tidy over the library and the programs, with the flags of the Clang build.
set -euo pipefail
cd "$(dirname "$0")/.."
cmake --preset tidy >build/reports/tidy-configure.log
git ls-files 'bloomery/*.cc' 'apps/*.cc' |
  xargs -P "$(nproc)" -n 4 clang-tidy -p build/tidy --quiet >build/reports/tidy.log 2>build/reports/tidy-errors.log || {
  grep -E 'error|warning:' build/reports/tidy.log | sort -u | head -n 60
  exit 1
}
