#include "bloomery/formats/native/mapped.h"

#include "bloomery/filter/block/health.h"
#include "bloomery/formats/native/body.h"

namespace bloomery {

Result<MappedNative> MappedNative::open(const std::filesystem::path& path,
                                        const DecodeOptions& options) {
  auto file = MappedFile::open(path);
  if (!file) return file.error();
  const std::uint64_t size = file->bytes().size();
  const auto header = decode_native_header(file->bytes(), size, {.max_bytes = size});
  if (!header) return header.error();
  if (header->kind != NativeKind::kClassic && header->kind != NativeKind::kBlock)
    return Error{
        ErrorCode::kUnsupported,
        "a counting or scalable filter cannot be asked where it lies in its file: load it"};
  const auto hash = native_hash(*header, options.sip_key);
  if (!hash) return hash.error();
  MappedNative mapped{std::move(*file), *header, *hash};
  if (mapped.is_block())
    if (auto valid = internal::check_seeds(mapped.block_.seeds()); !valid) return valid.error();
  return mapped;
}

MappedNative::MappedNative(MappedFile file, const NativeHeader& header, const KeyHash& hash)
    : file_{std::move(file)}, header_{header}, modulus_{header.bits}, hash_{hash} {
  if (is_block()) block_ = {header_.block_shape(), bytes(), hash_};
}

Status MappedNative::verify() const {
  if (was_open())
    return Error{ErrorCode::kMalformed,
                 "the file was left open for writing: its body checksum is not valid"};
  const ByteView body = bytes();
  if (internal::body_checksum(std::span{&body, 1}) != header_.body_checksum)
    return internal::damaged_body();
  if (!is_block() && !internal::zero_past(body, header_.bits)) return internal::dirty_end();
  return ok();
}

Health MappedNative::health() const {
  if (is_block()) return block_health(block_.shape(), block_.blocks(), provenance().goal);
  return classic_health(shape(), count_ones(bytes()), provenance().goal);
}

Provenance MappedNative::provenance() const {
  Provenance provenance = header_.provenance();
  if (was_open()) provenance.keys_inserted = std::nullopt;
  return provenance;
}

Description describe(const MappedNative& mapped) {
  const bool is_block = mapped.kind() == NativeKind::kBlock;
  Description description;
  description.format = "bloomery";
  description.layout = is_block ? "block" : "classic";
  description.dialect = is_block ? BloomeryBlock::kName : BloomeryClassic::kName;
  description.bits = mapped.shape().bits;
  description.probes = mapped.shape().probes;
  description.bytes = mapped.bytes().size();
  description.keys_inserted = mapped.provenance().keys_inserted;
  description.goal = mapped.provenance().goal;
  description.health = mapped.health();
  return description;
}

}  // namespace bloomery
