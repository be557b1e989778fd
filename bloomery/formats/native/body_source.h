// Where the decoder of a file of ours reads its body from. Not for users.
#pragma once
#include <cstring>
#include <istream>

#include "bloomery/base/byte_reader.h"
#include "bloomery/formats/native/native.h"

namespace bloomery::internal {

// Where a body comes from: bytes in memory, or a file that is read straight into the filter.
class BodySource {
 public:
  explicit BodySource(ByteView bytes) : bytes_{bytes} {}
  explicit BodySource(std::istream& file) : file_{&file} {}

  Status read(ByteSpan into) {
    if (file_ != nullptr) {
      file_->read(reinterpret_cast<char*>(into.data()), static_cast<std::streamsize>(into.size()));
      return *file_ ? ok() : Error{ErrorCode::kIo, "the file ended or failed while it was read"};
    }
    const ByteView taken = bytes_.take(into.size());
    if (bytes_.failed()) return bytes_.truncated("a Bloomery file");
    if (!taken.empty()) std::memcpy(into.data(), taken.data(), taken.size());
    return ok();
  }

 private:
  ByteReader bytes_{{}};
  std::istream* file_ = nullptr;
};

// The filter whose header this is. Checks the body's checksum, its layers and its padding.
Result<NativeFilter> decode_body(const NativeHeader& header, BodySource source,
                                 const std::optional<SipKey>& sip_key);

}  // namespace bloomery::internal
