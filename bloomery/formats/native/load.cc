#include <filesystem>
#include <fstream>

#include "bloomery/base/file.h"
#include "bloomery/formats/native/body_source.h"

namespace bloomery {

Result<NativeFilter> load_native(FileName name, const DecodeOptions& options) {
  const std::filesystem::path path{name.view()};
  std::error_code failed;
  if (!std::filesystem::is_regular_file(path, failed)) {  // a pipe, or an error worth its sentence
    DecodeLimits limits = options.limits;
    limits.max_bytes += kNativeHeaderBytes;
    const auto bytes = read_file(path, limits);
    if (!bytes) return bytes.error();
    return decode_native(*bytes, options);
  }
  const std::uint64_t size = std::filesystem::file_size(path, failed);
  std::ifstream file{path, std::ios::binary};
  if (failed || !file)
    return Error{ErrorCode::kIo, message(path.string(), ": cannot open the file for reading")};
  NativeHeaderBytes first;
  file.read(reinterpret_cast<char*>(first.data()), first.size());
  const auto got = static_cast<std::size_t>(file.gcount());
  const auto header = decode_native_header(ByteView{first}.first(got), size, options.limits);
  if (!header) return header.error();
  return internal::decode_body(*header, internal::BodySource{file}, options.sip_key);
}

}  // namespace bloomery
