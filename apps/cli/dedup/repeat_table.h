// A number for the fingerprint of every repeated key: open addressing in one flat array, which
// grows with the number of such keys and not with the number of records.
#pragma once
#include "bloomery/base/buffer.h"
#include "bloomery/base/result.h"

namespace bloomery::cli {

class RepeatTable {
 public:
  // Refuses to grow beyond max_bytes.
  explicit RepeatTable(std::uint64_t max_bytes) : max_bytes_{max_bytes} {}

  // The number of this fingerprint, 0 where it is new. Valid until the next call.
  Result<std::uint64_t*> put(std::uint64_t fingerprint);
  // Null where the fingerprint was never put.
  std::uint64_t* find(std::uint64_t fingerprint);
  void prefetch(std::uint64_t fingerprint) const;
  std::uint64_t size() const { return size_; }
  std::uint64_t bytes() const { return slots_.size(); }
  // The most that a table takes while this many fingerprints are put into it.
  static std::uint64_t peak_bytes(std::uint64_t fingerprints);

 private:
  struct Slot {
    std::uint64_t fingerprint;  // 0: empty
    std::uint64_t number;
  };
  // A fingerprint of 0 would look like an empty slot.
  static std::uint64_t stored(std::uint64_t fingerprint) {
    return fingerprint == 0 ? 1 : fingerprint;
  }
  Slot* slots() const;
  std::size_t home(std::uint64_t fingerprint) const;
  std::size_t place_of(std::uint64_t fingerprint) const;  // its slot, or the empty one for it
  Status grow();

  std::uint64_t max_bytes_;
  std::size_t slot_count_ = 0;
  std::uint64_t size_ = 0;
  mutable Buffer slots_;
};

}  // namespace bloomery::cli
