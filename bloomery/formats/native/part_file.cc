#include "bloomery/formats/native/part_file.h"

#include <algorithm>

#include "bloomery/base/endian.h"
#include "bloomery/base/error.h"
#include "bloomery/formats/native/body.h"
#include "bloomery/formats/native/load_file.h"
#include "bloomery/formats/native/parts.h"

namespace bloomery {
namespace {

Result<NativePart> decode_body(const NativeHeader& header, internal::BodySource source,
                               const DecodeOptions& options) {
  const auto hash = native_hash(header, options.sip_key);
  if (!hash) return hash.error();
  auto filter = BlockPart::create(header.block_shape(), header.part(), *hash);
  if (!filter) return malformed(filter.error().message);
  if (auto read = source.read(filter->bytes()); !read) return read.error();
  const ByteView body = std::as_const(*filter).bytes();
  if (internal::body_checksum(std::span{&body, 1}) != header.body_checksum)
    return internal::damaged_body();
  if (auto valid = internal::check_seeds(filter->view().seeds()); !valid) return valid.error();
  filter->set_provenance(header.provenance());
  return NativePart{std::move(*filter), header.funnel};
}

}  // namespace

Status NativePart::merge(const NativePart& other) {
  if (funnel != other.funnel)
    return invalid_argument(message("the parts were made with different funnels: ",
                                    funnel_name(funnel), " and ", funnel_name(other.funnel)));
  return filter.merge(other.filter);
}

bool looks_like_native_part(ByteView bytes) {
  constexpr std::size_t kFlagsAt = offsetof(NativeHeader, flags);
  return looks_like_native(bytes) && bytes.size() >= kFlagsAt + sizeof(std::uint32_t) &&
         (load_le<std::uint32_t>(bytes.data() + kFlagsAt) & kNativePart) != 0;
}

Result<NativePart> decode_native_part(ByteView bytes, const DecodeOptions& options) {
  const auto header = decode_native_part_header(bytes, bytes.size(), options.limits);
  if (!header) return header.error();
  return decode_body(*header, internal::BodySource{bytes.subspan(kNativeHeaderBytes)}, options);
}

Result<NativePart> load_native_part(FileName name, const DecodeOptions& options) {
  return internal::load_native_file(
      name, options,
      [&](ByteView first, std::uint64_t size, internal::BodySource body) -> Result<NativePart> {
        const auto header = decode_native_part_header(first, size, options.limits);
        if (!header) return header.error();
        return decode_body(*header, body, options);
      });
}

Description describe(const NativePart& part) {
  const BlockPart& filter = part.filter;
  const bool is_lines = filter.whole_shape().lines() > 1;
  const auto [index, parts] = filter.part();
  Description description;
  description.format = "bloomery";
  description.layout = message(is_lines ? "lines" : "block", ", part ", index, " of ", parts);
  description.dialect = is_lines ? BloomeryBlock::kLinesName : BloomeryBlock::kName;
  description.bits = filter.view().own_shape().bits();
  description.probes = filter.whole_shape().probes;
  description.bytes = filter.bytes().size();
  description.keys_inserted = filter.provenance().keys_inserted;
  description.goal = filter.provenance().goal;
  description.health = filter.health();
  description.has_checksum = true;
  const Hasher& hasher = filter.hash().hasher;
  description.notes.push_back(message("the keys are ", funnel_name(part.funnel), ", hashed with ",
                                      profile_name(hasher.profile())));
  description.notes.push_back(
      message("it holds the blocks ", filter.range().first, " to ", filter.range().end - 1, " of ",
              filter.whole_shape().blocks,
              " of a filter that only all parts together are; the goal is that of the filter"));
  return description;
}

NativeHeader native_part_header(const NativePart& part) {
  const BlockPart& filter = part.filter;
  const BlockShape shape = filter.whole_shape();
  NativeHeader header = native_header_for(filter.hash(), part.funnel);
  header.kind = shape.lines() > 1 ? NativeKind::kLines : NativeKind::kBlock;
  header.flags |= kNativePart;
  if (shape.seeded) header.flags |= kNativeSeeded;
  header.bits = shape.bits();
  header.probes = shape.probes;
  header.part_index = filter.part().index;
  header.part_count = filter.part().parts;
  header.set_provenance(filter.provenance());
  const ByteView body = filter.bytes();
  header.body_bytes = body.size();
  header.body_checksum = internal::body_checksum(std::span{&body, 1});
  return header;
}

std::vector<std::byte> encode_native_part(const NativePart& part) {
  const NativeHeaderBytes header = encode_native_header(native_part_header(part));
  std::vector<std::byte> bytes{header.begin(), header.end()};
  const ByteView body = part.filter.bytes();
  bytes.insert(bytes.end(), body.begin(), body.end());
  return bytes;
}

Status save_native_part(const NativePart& part, FileName path, const FileLock* held) {
  internal::NativeParts parts;
  parts.header = native_part_header(part);
  parts.body.push_back(part.filter.bytes());
  return internal::save_parts(parts, path, held);
}

}  // namespace bloomery
