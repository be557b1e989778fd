// Where the decoder of a file of ours reads its body from. Not for users.
#pragma once
#include <cstring>
#include <filesystem>
#include <fstream>

#include "bloomery/base/byte_reader.h"
#include "bloomery/base/file.h"
#include "bloomery/base/message.h"
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

// Reads a file of ours straight into what decode(the bytes of its header, its size, its body) makes
// of it. A pipe, which has no size, is read into memory first.
template <class Decode>
auto load_native_file(FileName name, const DecodeOptions& options, Decode decode)
    -> decltype(decode(ByteView{}, std::uint64_t{}, BodySource{ByteView{}})) {
  const std::filesystem::path path{name.view()};
  std::error_code failed;
  if (!std::filesystem::is_regular_file(path, failed)) {  // a pipe, or an error worth its sentence
    DecodeLimits limits = options.limits;
    limits.max_bytes += kNativeHeaderBytes;
    const auto bytes = read_file(path, limits);
    if (!bytes) return bytes.error();
    const std::size_t head = std::min(bytes->size(), kNativeHeaderBytes);
    const ByteView all{*bytes};
    return decode(all.first(head), all.size(), BodySource{all.subspan(head)});
  }
  const std::uint64_t size = std::filesystem::file_size(path, failed);
  std::ifstream file{path, std::ios::binary};
  if (failed || !file)
    return Error{ErrorCode::kIo, message(path.string(), ": cannot open the file for reading")};
  NativeHeaderBytes first;
  file.read(reinterpret_cast<char*>(first.data()), first.size());
  const auto got = static_cast<std::size_t>(file.gcount());
  return decode(ByteView{first}.first(got), size, BodySource{file});
}

}  // namespace bloomery::internal
