// The keys of a batch of records, by several threads.
#pragma once
#include <memory>
#include <vector>

#include "apps/cli/records/keys.h"

namespace bloomery::cli {

// As KeyReader, whose options it takes; the keys do not depend on the number of threads.
// Precondition: the reader outlives it, and is not used meanwhile.
class KeyThreads {
 public:
  KeyThreads(KeyReader& reader, std::uint32_t threads);

  Result<std::span<const ByteView>> keys(std::span<const ByteView> records);
  std::size_t failed() const { return failed_; }
  std::span<const ByteView> keys_before() const { return keys_; }
  std::span<const std::uint8_t> has_key() const { return has_key_; }

 private:
  Result<std::span<const ByteView>> join(std::span<const Status> done, std::size_t share,
                                         std::size_t records);

  KeyReader& first_;
  std::vector<std::unique_ptr<KeyReader>> others_;
  std::size_t failed_ = 0;
  std::vector<ByteView> joined_;
  std::vector<std::uint8_t> joined_has_key_;
  std::span<const ByteView> keys_;
  std::span<const std::uint8_t> has_key_;
};

}  // namespace bloomery::cli
