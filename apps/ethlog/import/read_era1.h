// Reads the history archives: era1 (before the merge) and ere files, one block at a time.
#pragma once
#include "apps/ethlog/import/era_layout.h"
#include "apps/ethlog/model/chain.h"
#include "bloomery/base/limits.h"

namespace bloomery::ethlog {

class EraReader {
 public:
  // Reads all headers before the first block is given: numbers and parents must follow each other
  // and the accumulator, where there is one, must be theirs. The limit is that of one block's
  // header, body or receipts. The file may change meanwhile: that is an error at most.
  static Result<EraReader> open(ReadAt file, DecodeLimits limits = {64 << 20});
  // The bytes must outlive the reader.
  static Result<EraReader> open(ByteView file, DecodeLimits limits = {64 << 20}) {
    return open(ReadAt{file}, limits);
  }

  // Nothing after the last block. Not yet checked: check_block does that.
  Result<std::optional<ImportedBlock>> next();

  std::uint64_t first_block() const { return layout_.first_block; }
  std::size_t blocks() const { return layout_.blocks.size(); }
  const std::optional<Hash>& accumulator() const { return accumulator_; }

 private:
  EraReader(ReadAt file, EraLayout layout, DecodeLimits limits)
      : file_{std::move(file)}, layout_{std::move(layout)}, limits_{limits} {}
  Status check_headers();
  Status check_accumulator(std::span<const Hash> hashes);
  Result<ImportedBlock> read_block(std::size_t index) const;

  ReadAt file_;
  EraLayout layout_;
  DecodeLimits limits_;
  std::size_t next_ = 0;
  std::optional<Hash> accumulator_;
};

}  // namespace bloomery::ethlog
