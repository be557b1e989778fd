// A cursor over bytes from outside. It never reads past the end: a read that would fail returns
// zero and the reader stays failed, so a decoder may read a whole header and ask once.
#pragma once
#include "bloomery/base/endian.h"
#include "bloomery/base/message.h"
#include "bloomery/base/result.h"

namespace bloomery {

class ByteReader {
 public:
  explicit ByteReader(ByteView bytes) : bytes_{bytes} {}

  template <class T>
  T le() {
    const ByteView taken = take(sizeof(T));
    return taken.size() == sizeof(T) ? load_le<T>(taken.data()) : T{};
  }
  template <std::unsigned_integral T>
  T be() {
    const ByteView taken = take(sizeof(T));
    return taken.size() == sizeof(T) ? load_be<T>(taken.data()) : T{};
  }
  // The next `size` bytes, or none and failed.
  ByteView take(std::uint64_t size) {
    if (failed_ || size > remaining()) {
      if (!failed_) wanted_ = size;
      failed_ = true;
      return {};
    }
    const ByteView taken = bytes_.subspan(position_, static_cast<std::size_t>(size));
    position_ += taken.size();
    return taken;
  }
  ByteView rest() { return take(remaining()); }

  bool failed() const { return failed_; }
  std::size_t position() const { return position_; }
  std::size_t remaining() const { return bytes_.size() - position_; }

  // Precondition: failed().
  Error truncated(std::string_view what) const {
    return {ErrorCode::kTruncated, message(what, ": the bytes end at ", bytes_.size(), ", but ",
                                           wanted_, " more are needed at byte ", position_)};
  }

 private:
  ByteView bytes_;
  std::size_t position_ = 0;
  std::uint64_t wanted_ = 0;
  bool failed_ = false;
};

}  // namespace bloomery
