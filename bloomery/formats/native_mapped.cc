#include "bloomery/formats/native_mapped.h"

#include "bloomery/formats/native_body.h"

namespace bloomery {

Result<MappedNative> MappedNative::open(const std::filesystem::path& path,
                                        const DecodeOptions& options) {
  auto file = MappedFile::open(path);
  if (!file) return file.error();
  const std::uint64_t size = file->bytes().size();
  const auto header = decode_native_header(file->bytes(), size, {.max_bytes = size});
  if (!header) return header.error();
  if (header->kind != NativeKind::kClassic)
    return Error{ErrorCode::kUnsupported,
                 "only a classic filter can be asked where it lies in its file: load this one"};
  const auto dialect = native_dialect(*header, options.sip_key);
  if (!dialect) return dialect.error();
  return MappedNative{std::move(*file), *header, *dialect};
}

Status MappedNative::verify() const {
  if ((header_.flags & kNativeOpen) != 0)
    return Error{ErrorCode::kMalformed,
                 "the file was left open for writing: its body checksum is not valid"};
  const ByteView body = bytes();
  if (internal::body_checksum(std::span{&body, 1}) != header_.body_checksum)
    return internal::damaged_body();
  if (!internal::zero_past(body, header_.bits)) return internal::dirty_end();
  return ok();
}

Health MappedNative::health() const {
  return classic_health(shape(), count_ones(bytes()), provenance().goal);
}

}  // namespace bloomery
