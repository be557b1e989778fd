// The fingerprints of suspected repeats, and the position of the first record of each: open
// addressing in two flat arrays, because the table must stay far smaller than the keys.
#pragma once
#include <optional>

#include "bloomery/base/buffer.h"
#include "bloomery/base/result.h"

namespace bloomery::cli {

class SuspectTable {
 public:
  // Refuses to grow beyond max_bytes.
  explicit SuspectTable(std::uint64_t max_bytes) : max_bytes_{max_bytes} {}

  Status insert(std::uint64_t fingerprint);
  std::uint64_t size() const { return size_; }
  // The most that a table takes while this many suspects are put into it, and with their places.
  static std::uint64_t peak_bytes(std::uint64_t suspects);

  // After the last insert: room for the places.
  void make_places();
  // Where the place of this suspect is kept, 0 until it is set; null for a fingerprint that is no
  // suspect's. Precondition: make_places().
  std::uint64_t* place_of(std::uint64_t fingerprint);
  void prefetch(std::uint64_t fingerprint) const;

 private:
  // A fingerprint of 0 would look like an empty slot.
  static std::uint64_t stored(std::uint64_t fingerprint) {
    return fingerprint == 0 ? 1 : fingerprint;
  }
  std::size_t home(std::uint64_t fingerprint) const;
  std::size_t find(std::uint64_t fingerprint) const;  // its slot, or the empty one for it
  Status grow();
  std::uint64_t* slots() const;
  Error too_large(std::uint64_t bytes) const;

  std::uint64_t max_bytes_;
  std::size_t slot_count_ = 0;
  std::uint64_t size_ = 0;
  mutable Buffer slots_;
  Buffer places_;
};

}  // namespace bloomery::cli
