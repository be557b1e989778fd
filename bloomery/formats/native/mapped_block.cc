#include "bloomery/formats/native/mapped_block.h"

#include "bloomery/filter/block/health.h"
#include "bloomery/formats/native/body.h"

namespace bloomery {
namespace {

ByteView body_of(const WritableMappedFile& file) {
  return file.bytes().subspan(kNativeHeaderBytes);
}

std::uint64_t checksum_of(ByteView body) { return internal::body_checksum(std::span{&body, 1}); }

}  // namespace

Result<MappedBlock> MappedBlock::open(FileName path, const DecodeOptions& options) {
  auto file = WritableMappedFile::open(path);
  if (!file) return file.error();
  const std::uint64_t size = file->bytes().size();
  const auto header = decode_native_header(file->bytes(), size, {.max_bytes = size});
  if (!header) return header.error();
  if (!header->is_blocks())
    return Error{ErrorCode::kUnsupported,
                 "only a block filter grows in its file: load this one, and save it"};
  const auto hash = native_hash(*header, options.sip_key);
  if (!hash) return hash.error();
  if (!header->is_open() && checksum_of(body_of(*file)) != header->body_checksum)
    return internal::damaged_body();
  MappedBlock mapped{std::move(*file), *header, *hash};
  if (auto valid = internal::check_seeds(mapped.view_.seeds()); !valid) return valid.error();
  if (auto marked = mapped.mark_open(); !marked) return marked.error();
  return mapped;
}

MappedBlock::MappedBlock(WritableMappedFile file, const NativeHeader& header, const KeyHash& hash)
    : file_{std::move(file)},
      header_{header},
      view_{header.block_shape(), file_.bytes().subspan(kNativeHeaderBytes), hash},
      was_open_{header.is_open()} {}

Status MappedBlock::mark_open() {
  if (was_open_)
    header_.keys_inserted = static_cast<std::uint64_t>(std::llround(health().estimated_keys));
  header_.flags |= kNativeOpen;
  return file_.replace_start(encode_native_header(header_));
}

// The body first: a header that vouches for it must never be on disk before it.
Status MappedBlock::close() {
  assert(header_.is_open());
  header_.body_checksum = checksum_of(body_of(file_));
  if (auto synced = file_.sync(); !synced) return synced;
  NativeHeader closed = header_;
  closed.flags &= ~kNativeOpen;
  if (auto written = file_.replace_start(encode_native_header(closed)); !written) return written;
  header_ = closed;
  return ok();
}

Health MappedBlock::health() const {
  return block_health(view_.shape(), view_.blocks(), provenance().goal);
}

}  // namespace bloomery
