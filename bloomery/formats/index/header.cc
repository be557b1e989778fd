#include "bloomery/formats/index/header.h"

#include <algorithm>
#include <cstring>

#include "bloomery/base/error.h"
#include "bloomery/base/message.h"
#include "bloomery/hash/xxh.h"

namespace bloomery {
namespace {

constexpr std::size_t kShapeAt = 64;
constexpr std::size_t kReservedAt = kShapeAt + kNativeHeaderBytes;
constexpr std::size_t kChecksumAt = kIndexHeaderBytes - sizeof(std::uint64_t);

Error not_indexed(std::string sentence) { return {ErrorCode::kUnsupported, std::move(sentence)}; }

Result<NativeHeader> decode_shape(ByteView bytes) {
  constexpr std::size_t kBodyBytesAt = offsetof(NativeHeader, body_bytes);
  const auto body = load_le<std::uint64_t>(bytes.data() + kBodyBytesAt);
  if (body > UINT64_MAX - kNativeHeaderBytes)
    return malformed("the shape of the filters: the length of their body is impossible");
  auto shape = decode_native_header(bytes, body + kNativeHeaderBytes, {.max_bytes = UINT64_MAX});
  if (!shape)
    return Error{shape.error().code,
                 message("the shape of the filters, at byte 64: ", shape.error().message)};
  const auto common = indexed_shape(*shape);
  if (!common) return common.error();
  if (encode_native_header(*common) != encode_native_header(*shape))
    return malformed("the shape of the filters, at byte 64, holds what one filter alone can have");
  return shape;
}

std::string_view kind_name(NativeKind kind) {
  switch (kind) {
    case NativeKind::kClassic:
      return "classic";
    case NativeKind::kBlock:
      return "block";
    case NativeKind::kCounting:
      return "counting";
    case NativeKind::kScalable:
      return "scalable";
    case NativeKind::kLines:
      break;
  }
  return "lines";
}

}  // namespace

Result<IndexHeader> decode_index_header(ByteView first_bytes) {
  if (first_bytes.size() < kIndexHeaderBytes)
    return Error{ErrorCode::kTruncated,
                 message("an index of filters starts with a header of ", kIndexHeaderBytes,
                         " bytes, and there are ", first_bytes.size())};
  const std::byte* const bytes = first_bytes.data();
  if (std::memcmp(bytes, kIndexMagic.data(), kIndexMagic.size()) != 0)
    return malformed("an index of filters starts with the bytes BLOOMIDX, and this file does not");
  const auto version = load_le<std::uint16_t>(bytes + 8);
  if (version != kIndexVersion)
    return not_indexed(message("this is version ", version,
                               " of the index of filters, and only version 1 is known here"));
  if (load_le<std::uint64_t>(bytes + kChecksumAt) != xxh3_64(first_bytes.first(kChecksumAt)))
    return malformed("the header checksum at byte 504 does not match: the header was damaged");
  const ByteView reserved = first_bytes.subspan(kReservedAt, kChecksumAt - kReservedAt);
  const auto is_zero = [](std::byte byte) { return byte == std::byte{0}; };
  if (load_le<std::uint16_t>(bytes + 10) != 0 || load_le<std::uint32_t>(bytes + 12) != 0 ||
      !std::ranges::all_of(reserved, is_zero))
    return not_indexed(
        "a reserved byte of the header is not 0; a newer version of Bloomery made it");
  IndexHeader header;
  header.file_bytes = load_le<std::uint64_t>(bytes + 16);
  header.directory_offset = load_le<std::uint64_t>(bytes + 24);
  header.directory_bytes = load_le<std::uint64_t>(bytes + 32);
  header.directory_checksum = load_le<std::uint64_t>(bytes + 40);
  header.filters = load_le<std::uint64_t>(bytes + 48);
  header.changes = load_le<std::uint64_t>(bytes + 56);
  const auto shape = decode_shape(first_bytes.subspan(kShapeAt, kNativeHeaderBytes));
  if (!shape) return shape.error();
  header.shape = *shape;
  return header;
}

IndexHeaderBytes encode_index_header(const IndexHeader& header) {
  IndexHeaderBytes bytes{};
  std::memcpy(bytes.data(), kIndexMagic.data(), kIndexMagic.size());
  store_le(bytes.data() + 8, kIndexVersion);
  store_le(bytes.data() + 16, header.file_bytes);
  store_le(bytes.data() + 24, header.directory_offset);
  store_le(bytes.data() + 32, header.directory_bytes);
  store_le(bytes.data() + 40, header.directory_checksum);
  store_le(bytes.data() + 48, header.filters);
  store_le(bytes.data() + 56, header.changes);
  const NativeHeaderBytes shape = encode_native_header(header.shape);
  std::ranges::copy(shape, bytes.begin() + kShapeAt);
  store_le(bytes.data() + kChecksumAt, xxh3_64(ByteView{bytes}.first(kChecksumAt)));
  return bytes;
}

Result<NativeHeader> indexed_shape(const NativeHeader& header) {
  if (header.kind == NativeKind::kScalable)
    return not_indexed(
        "a scalable filter has layers of its own sizes, and an index has one row for "
        "each bit; build it with --layout block");
  if ((header.flags & kNativeSeeded) != 0)
    return not_indexed(
        "a seeded filter chooses where its bits lie block by block, so that no two "
        "share rows; build it without --seeded");
  if (header.is_open())
    return not_indexed(
        "the filter is open for writing, or the program that wrote it did not close "
        "it; an index would miss what is added later");
  if ((header.flags & ~kNativeKeyed) != 0)
    return not_indexed("the filter has flags that an index does not keep");
  NativeHeader shape = header;
  if (shape.kind == NativeKind::kCounting) shape.kind = NativeKind::kClassic;
  shape.counter_bits = 0;
  shape.set_provenance({.goal = std::nullopt, .keys_inserted = 0});
  shape.body_bytes = native_body_bytes(shape);
  shape.body_checksum = 0;
  shape.header_checksum = 0;
  return shape;
}

Status same_indexed_shape(const NativeHeader& index, const NativeHeader& filter) {
  const auto differ = [](std::string_view what, const auto& theirs, const auto& mine) -> Status {
    return not_indexed(message("its ", what, " is ", theirs, ", and that of the others is ", mine,
                               "; an index holds filters of one shape"));
  };
  if (index.kind != filter.kind)
    return differ("layout", kind_name(filter.kind), kind_name(index.kind));
  if (index.profile != filter.profile)
    return differ("hash", profile_name(static_cast<Profile>(filter.profile)),
                  profile_name(static_cast<Profile>(index.profile)));
  if (index.funnel != filter.funnel)
    return differ("funnel", funnel_name(filter.funnel), funnel_name(index.funnel));
  if (index.bits != filter.bits) return differ("number of bits", filter.bits, index.bits);
  if (index.probes != filter.probes) return differ("number of probes", filter.probes, index.probes);
  if (index.seed != filter.seed) return differ("seed", filter.seed, index.seed);
  if (index.secret_check != filter.secret_check)
    return not_indexed("it was made with another secret than the others");
  if (encode_native_header(index) != encode_native_header(filter))
    return not_indexed("its header differs from that of the others");
  return ok();
}

}  // namespace bloomery
