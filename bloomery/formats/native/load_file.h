// Reads a file of ours straight into the filter that it holds. Not for users.
#pragma once
#include <filesystem>
#include <fstream>

#include "bloomery/base/file.h"
#include "bloomery/base/message.h"
#include "bloomery/formats/native/body_source.h"

namespace bloomery::internal {

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
  std::ifstream file{path, std::ios::binary | std::ios::ate};
  const auto end = static_cast<std::streamoff>(file.tellg());  // of the file that was opened
  if (!file || end < 0 || !file.seekg(0))
    return Error{ErrorCode::kIo, message(path.string(), ": cannot open the file for reading")};
  const auto size = static_cast<std::uint64_t>(end);
  NativeHeaderBytes first;
  file.read(reinterpret_cast<char*>(first.data()), first.size());
  const auto got = static_cast<std::size_t>(file.gcount());
  return decode(ByteView{first}.first(got), size, BodySource{file});
}

}  // namespace bloomery::internal
