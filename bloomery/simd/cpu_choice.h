// The rows of a table of kernels that a process can run, and the one it uses: the best, or the one
// that the environment variable BLOOMERY_CPU names.
#pragma once
#include <array>
#include <cstdlib>
#include <span>

namespace bloomery::simd {

// Rows that this CPU can run, best first. Without a destructor: a database's thread may still ask
// while the program ends.
template <class Row, std::size_t kMostRows>
class RunnableRows {
 public:
  void add(const Row& row) { rows_[count_++] = row; }
  std::span<const Row> all() const { return std::span{rows_}.first(count_); }

 private:
  std::array<Row, kMostRows> rows_{};
  std::size_t count_ = 0;
};

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
