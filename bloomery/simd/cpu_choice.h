// Which row of a table of kernels a process uses: the best it can run, or the one that the
// environment variable BLOOMERY_CPU names.
#pragma once
#include <cstdlib>
#include <span>

namespace bloomery::simd {

// Rows are sorted best first. A name that is no row, or one this CPU cannot run, falls back to the
// best. Precondition: there is a row.
template <class Row>
const Row& chosen_row(std::span<const Row> rows) {
  if (const char* wanted = std::getenv("BLOOMERY_CPU"); wanted != nullptr)
    for (const Row& row : rows)
      if (row.name == wanted) return row;
  return rows.front();
}

}  // namespace bloomery::simd
