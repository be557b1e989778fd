#include "bloomery/formats/native/header.h"

#include <algorithm>
#include <cassert>
#include <cstring>

#include "bloomery/base/error.h"
#include "bloomery/base/message.h"
#include "bloomery/filter/classic/counters.h"
#include "bloomery/hash/xxh.h"

namespace bloomery {
namespace {

Error unsupported(std::string sentence) { return {ErrorCode::kUnsupported, std::move(sentence)}; }

std::uint64_t checksum_of(const NativeHeaderBytes& bytes) {
  return xxh3_64(ByteView{bytes}.first(kNativeHeaderBytes - sizeof(std::uint64_t)));
}

Result<NativeHeader> read_native_header(ByteView first_bytes) {
  if (first_bytes.size() < kNativeHeaderBytes)
    return Error{ErrorCode::kTruncated,
                 message("a Bloomery file starts with a header of 128 bytes, "
                         "and there are ",
                         first_bytes.size())};
  NativeHeaderBytes bytes;
  std::copy_n(first_bytes.begin(), bytes.size(), bytes.begin());
  NativeHeader header;
  std::memcpy(&header, bytes.data(), sizeof header);
  if (header.magic != kNativeMagic)
    return malformed("a Bloomery file starts with the bytes BLOOMERY, and this one does not");
  if (header.version != kNativeVersion)
    return unsupported(message("this is version ", header.version,
                               " of the Bloomery file, and only version 1 is known here"));
  if (header.header_checksum != checksum_of(bytes))
    return malformed("the header checksum at byte 120 does not match: the header was damaged");
  return header;
}

Status check_kind(const NativeHeader& header) {
  const auto number = static_cast<std::uint16_t>(header.kind);
  if (number == 0) return malformed("the kind at byte 10 is 0, and kinds start at 1");
  if (number > static_cast<std::uint16_t>(NativeKind::kLines))
    return unsupported(message("the kind of filter ", number,
                               " is not known here; a newer version of Bloomery made the file"));
  std::uint32_t known = kNativeKeyed;
  if (header.kind == NativeKind::kClassic || header.kind == NativeKind::kLines)
    known |= kNativeOpen;
  if (header.kind == NativeKind::kBlock) known |= kNativeOpen | kNativeSeeded;
  if (header.is_blocks() && !header.is_open()) known |= kNativePart;
  if ((header.flags & ~known) != 0)
    return malformed(message("the flags at byte 12 are ", header.flags,
                             ", and this kind of filter knows only those of ", known));
  const bool has_part = header.part_index != 0 || header.part_count != 0;
  if (header.reserved0 != 0 || (has_part && !header.is_part()))
    return malformed("the reserved bytes 23 and 112 to 119 must be zero");
  return ok();
}

Status check_hash(const NativeHeader& header) {
  if ((header.profile & kForeignDialect) != 0)
    return unsupported(message("the filter hashes by the foreign dialect ",
                               header.profile & ~kForeignDialect,
                               ", which this version does not read from its own file"));
  const auto profile = static_cast<Profile>(header.profile);
  if (profile_name(profile).empty())
    return unsupported(message("the hash profile ", header.profile, " is not known here"));
  const bool keyed = (header.flags & kNativeKeyed) != 0;
  if (keyed != (profile == Profile::kSiphash))
    return malformed("a filter is keyed exactly when its hash profile is siphash");
  if (!keyed && header.secret_check != 0)
    return malformed("a filter that is not keyed has no check value at byte 48");
  if (keyed && header.seed != 0) return malformed("a keyed filter has no seed");
  if (funnel_name(header.funnel) == "unknown")
    return unsupported(
        message("the funnel ", static_cast<std::uint16_t>(header.funnel), " is not known here"));
  if (profile == Profile::kMix && header.funnel != FunnelName::kU64)
    return malformed("the profile mix hashes 64-bit integers only, and the funnel is another");
  return ok();
}

Status check_design(const NativeHeader& header) {
  const bool has_goal =
      header.goal_keys != 0 || std::bit_cast<std::uint64_t>(header.goal_rate) != 0;
  if (has_goal)
    if (auto goal = checked(Goal{header.goal_keys, header.goal_rate}); !goal)
      return malformed(message("the goal at byte 56 is none: ", goal.error().message));
  if (header.kind == NativeKind::kScalable) {
    if (!has_goal) return malformed("a scalable filter has a goal, and this one has none");
    if (auto growth = checked(header.growth_rule()); !growth)
      return malformed(message("the growth at byte 96 is none: ", growth.error().message));
    if (header.layers == 0 || header.layers > header.max_layers)
      return malformed(message("a scalable filter of at most ", header.max_layers,
                               " layers cannot have ", header.layers));
    return ok();
  }
  if (header.layers != 1)
    return malformed(
        message("only a scalable filter has layers, and this one has ", header.layers));
  if (std::bit_cast<std::uint64_t>(header.tightening) != 0 || header.growth != 0 ||
      header.max_layers != 0)
    return malformed("only a scalable filter has a growth, and the bytes 96 to 111 are not zero");
  return ok();
}

Status check_block_shape(const NativeHeader& header) {
  if (header.bits % block::kBlockBits != 0)
    return malformed(message("the bits at byte 24 must be whole blocks of ", block::kBlockBits,
                             ", and are ", header.bits));
  const bool is_lines = header.kind == NativeKind::kLines;
  if (is_lines && !block::are_lines(header.probes))
    return malformed(
        message("the probes at byte 32 must be 16, 24 or 32, and are ", header.probes));
  const auto shape =
      is_lines ? checked(header.block_shape()) : checked_one_line(header.block_shape());
  if (!shape) return malformed(message("the shape at byte 24 is none: ", shape.error().message));
  if (!header.is_part()) return ok();
  if (auto part = checked(Part{header.part_index, header.part_count}, shape->blocks); !part)
    return malformed(message("the part at byte 112 is none: ", part.error().message));
  return ok();
}

Status check_shape(const NativeHeader& header) {
  if (header.is_blocks())
    if (auto valid = check_block_shape(header); !valid) return valid;
  if (auto shape = checked(header.shape()); !shape)
    return malformed(message("the shape at byte 24 is none: ", shape.error().message));
  const unsigned counter = header.counter_bits;
  const bool right = header.kind == NativeKind::kCounting
                         ? counter == 2 || counter == 4 || counter == 8
                         : counter == 0;
  if (!right)
    return malformed(message("the counter bits at byte 22 are ", counter,
                             "; a counting filter has 2, 4 or 8 and others have 0"));
  return ok();
}

Status check_body(const NativeHeader& header, std::uint64_t file_bytes, DecodeLimits limits) {
  const std::uint64_t remaining = file_bytes - kNativeHeaderBytes;
  if (header.kind != NativeKind::kScalable && header.body_bytes != native_body_bytes(header))
    return malformed(message("the body of this shape has ", native_body_bytes(header),
                             " bytes, and the header says ", header.body_bytes));
  if (remaining < header.body_bytes)
    return Error{ErrorCode::kTruncated,
                 message("the body should have ", header.body_bytes,
                         " bytes, and the file ends after ", remaining, ": it was cut short")};
  if (remaining > header.body_bytes)
    return malformed(message("the file goes on for ", remaining - header.body_bytes,
                             " bytes after the body's end"));
  if (header.body_bytes > limits.max_bytes)
    return Error{ErrorCode::kTooLarge, message("the filter has ", header.body_bytes,
                                               " bytes, and the limit is ", limits.max_bytes)};
  return ok();
}

Result<NativeHeader> decode_any_header(ByteView first_bytes, std::uint64_t file_bytes,
                                       DecodeLimits limits) {
  auto header = read_native_header(first_bytes);
  if (!header) return header;
  for (const auto check : {check_kind, check_hash, check_design, check_shape})
    if (auto valid = check(*header); !valid) return valid.error();
  if (auto valid = check_body(*header, file_bytes, limits); !valid) return valid.error();
  return header;
}

}  // namespace

Provenance NativeHeader::provenance() const {
  Provenance provenance{.goal = std::nullopt, .keys_inserted = keys_inserted};
  if (keys_inserted == kNativeCountUnknown) provenance.keys_inserted = std::nullopt;
  if (goal_keys != 0) provenance.goal = Goal{goal_keys, goal_rate};
  return provenance;
}

void NativeHeader::set_provenance(const Provenance& provenance) {
  keys_inserted = provenance.keys_inserted.value_or(kNativeCountUnknown);
  goal_keys = provenance.goal ? provenance.goal->keys : 0;
  goal_rate = provenance.goal ? provenance.goal->false_positive_rate : 0;
}

Result<NativeHeader> decode_native_header(ByteView first_bytes, std::uint64_t file_bytes,
                                          DecodeLimits limits) {
  auto header = decode_any_header(first_bytes, file_bytes, limits);
  if (header && header->is_part())
    return unsupported(message("this is part ", header->part_index, " of ", header->part_count,
                               " of a filter, which only all parts together answer for: use the "
                               "manifest (.bloomset) of the parts, or make one file of them with "
                               "bloomery join"));
  return header;
}

Result<NativeHeader> decode_native_part_header(ByteView first_bytes, std::uint64_t file_bytes,
                                               DecodeLimits limits) {
  auto header = decode_any_header(first_bytes, file_bytes, limits);
  if (header && !header->is_part())
    return unsupported(
        "this is a whole filter, not a part of one: bloomery split cuts a filter into parts");
  return header;
}

NativeHeaderBytes encode_native_header(NativeHeader header) {
  NativeHeaderBytes bytes;
  std::memcpy(bytes.data(), &header, sizeof header);
  header.header_checksum = checksum_of(bytes);
  std::memcpy(bytes.data(), &header, sizeof header);
  return bytes;
}

Result<KeyHash> native_hash(const NativeHeader& header, const std::optional<SipKey>& sip_key) {
  const bool whole_numbers = header.funnel == FunnelName::kU64;
  const auto profile = static_cast<Profile>(header.profile);
  if (profile != Profile::kSiphash) return KeyHash{Hasher{profile, header.seed}, whole_numbers};
  if (!sip_key)
    return Error{ErrorCode::kInvalidArgument,
                 "this filter is keyed: it cannot be opened without its secret"};
  if (secret_check(*sip_key) != header.secret_check)
    return malformed("wrong secret: the filter was made with another one");
  return KeyHash{Hasher{profile, 0, *sip_key}, whole_numbers};
}

NativeHeader native_header_for(const KeyHash& hash, FunnelName funnel) {
  assert(hash.whole_numbers == (funnel == FunnelName::kU64));
  NativeHeader header;
  header.profile = static_cast<std::uint32_t>(hash.hasher.profile());
  header.funnel = funnel;
  if (hash.hasher.profile() == Profile::kSiphash) {
    header.flags = kNativeKeyed;
    header.secret_check = secret_check(hash.hasher.key());
  } else {
    header.seed = hash.hasher.seed();
  }
  return header;
}

std::uint64_t native_body_bytes(const NativeHeader& header) {
  if (header.kind == NativeKind::kClassic) return header.shape().bytes();
  if (header.is_blocks()) return part_bytes(header.block_shape(), header.part());
  if (header.kind != NativeKind::kCounting) return 0;
  if (header.counter_bits == 2) return Counters<2>::bytes_for(header.bits);
  if (header.counter_bits == 4) return Counters<4>::bytes_for(header.bits);
  return Counters<8>::bytes_for(header.bits);
}

}  // namespace bloomery
