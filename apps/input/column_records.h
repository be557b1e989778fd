// The values of one column of a Parquet file as records: text for numbers, the bytes themselves for
// strings and byte arrays.
#pragma once
#include <string>
#include <vector>

#include "apps/input/input.h"
#include "bloomery/base/limits.h"

namespace bloomery::input {

// Some values that follow one another. They and the places are valid until the next call.
struct ColumnBatch {
  std::span<const ByteView> records = {};
  std::uint64_t first_number = 1;  // of the first value or null considered, in the column, from 1
  // Places behind the first; empty: one after the other, there are no nulls.
  std::span<const std::size_t> places = {};
};

class ColumnRecords {
 public:
  // The column options.column of the file at this path ("-" is stdin). A plain regular file is
  // mapped; anything else is copied to TMPDIR first. kInvalidArgument where the file is no Parquet
  // file or has no such column; all errors name the file.
  static Result<ColumnRecords> open(const std::string& path, const InputOptions& options);
  ColumnRecords(ColumnRecords&&) noexcept;
  ColumnRecords& operator=(ColumnRecords&&) noexcept;
  ~ColumnRecords();

  // The next values; no records at the end. Nulls are left out. Errors name file, column, row group
  // and page.
  Result<ColumnBatch> next();

  const std::string& name() const;  // for messages: the path, or "standard input"
  // As the footer counts them; nulls are among them where no statistics count those.
  std::uint64_t values() const;
  std::uint64_t nulls() const;           // so far
  std::uint64_t consumed_bytes() const;  // of the file
  ByteView mapping() const;              // of the file

 private:
  struct State;
  explicit ColumnRecords(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace bloomery::input
