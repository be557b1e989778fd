// Bytes of a file being made, appended piece by piece.
#pragma once
#include <vector>

#include "bloomery/base/endian.h"

namespace bloomery {

class ByteWriter {
 public:
  template <class T>
  void le(T value) {
    store_le(grow(sizeof value), value);
  }
  template <std::unsigned_integral T>
  void be(T value) {
    store_be(grow(sizeof value), value);
  }
  void put(ByteView bytes) { out_.insert(out_.end(), bytes.begin(), bytes.end()); }
  void reserve(std::size_t size) { out_.reserve(size); }
  std::size_t size() const { return out_.size(); }
  std::vector<std::byte> take() { return std::move(out_); }

 private:
  std::byte* grow(std::size_t size) {
    out_.resize(out_.size() + size);
    return out_.data() + out_.size() - size;
  }
  std::vector<std::byte> out_;
};

}  // namespace bloomery
