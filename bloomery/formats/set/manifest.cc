#include "bloomery/formats/set/manifest.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <locale>
#include <sstream>

#include "bloomery/base/error.h"
#include "bloomery/base/message.h"
#include "bloomery/formats/set/manifest_text.h"
#include "bloomery/hash/xxh.h"

namespace bloomery {
namespace {

using internal::hex_text;

// The text ends with a line of this length: `  "checksum": "0123456789abcdef"`, then `}`.
constexpr std::string_view kChecksumStart = "  \"checksum\": \"";
constexpr std::string_view kChecksumEnd = "\"\n}\n";
constexpr std::size_t kTailBytes = kChecksumStart.size() + 16 + kChecksumEnd.size();

std::string tail_of(std::string_view text) {
  return message(kChecksumStart, hex_text(xxh3_64(bytes_of(text))), kChecksumEnd);
}

std::string goal_text(const SetManifest& manifest) {
  const auto goal = manifest.whole.provenance().goal;
  if (!goal) return "null, \"rate\": null";
  std::ostringstream out;
  throw_on_failure(out);
  out.imbue(std::locale::classic());
  out.precision(17);
  out << goal->keys << ", \"rate\": " << goal->false_positive_rate;
  return std::move(out).str();
}

// That the fields make a filter is what its own header would be checked for.
Status check_whole(const SetManifest& manifest) {
  const NativeHeader& whole = manifest.whole;
  const NativeHeaderBytes bytes = encode_native_header(whole);
  const auto valid =
      decode_native_header(bytes, kNativeHeaderBytes + whole.body_bytes, {.max_bytes = UINT64_MAX});
  if (!valid) return malformed(message("the filter of the manifest: ", valid.error().message));
  if (!whole.is_blocks()) return malformed("the filter of the manifest is neither block nor lines");
  if (whole.bits > kMaxBits) return malformed("the filter of the manifest is too large");
  if (auto part = checked(Part{0, manifest.count()}, manifest.shape().blocks); !part)
    return malformed(message("the parts of the manifest: ", part.error().message));
  return ok();
}

Status check_parts(const SetManifest& manifest) {
  for (std::uint32_t i = 0; i < manifest.count(); ++i) {
    const ManifestPart& part = manifest.parts[i];
    if (!is_part_file_name(part.file))
      return malformed(message("part ", i,
                               ": the file name must be relative to the manifest, "
                               "without \"..\" and control characters"));
    const std::uint64_t bytes =
        kNativeHeaderBytes + part_bytes(manifest.shape(), {i, manifest.count()});
    if (part.bytes != bytes)
      return malformed(
          message("part ", i, " has ", bytes, " bytes, and the manifest says ", part.bytes));
  }
  return ok();
}

std::optional<std::uint64_t> sum_of_parts(const SetManifest& manifest) {
  std::optional<std::uint64_t> sum = 0;
  for (const ManifestPart& part : manifest.parts) sum = sum_of_keys(sum, part.keys_inserted);
  return sum;
}

std::string count_text(std::uint64_t keys) {
  return keys == kNativeCountUnknown ? "null" : message(keys);
}

}  // namespace

bool looks_like_manifest(ByteView bytes) {
  const std::string_view start = internal::kManifestStart;
  return bytes.size() >= start.size() && text_of(bytes.first(start.size())) == start;
}

Result<SetManifest> decode_manifest(ByteView bytes, DecodeLimits limits) {
  const std::uint64_t most = std::min(limits.max_bytes, kMostManifestBytes);
  if (bytes.size() > most)
    return Error{ErrorCode::kTooLarge,
                 message("the manifest has ", bytes.size(), " bytes, and the limit is ", most)};
  const std::string_view text = text_of(bytes);
  if (!looks_like_manifest(bytes))
    return malformed(
        "a manifest of parts begins with its format, \"bloomery-set\", and this text does not");
  if (text.size() < kTailBytes || !text.ends_with(kChecksumEnd) ||
      !text.substr(text.size() - kTailBytes).starts_with(kChecksumStart))
    return Error{ErrorCode::kTruncated,
                 "the manifest does not end with its checksum: it is cut short, or was edited; "
                 "write it again from its parts (bloomery join --manifest)"};
  const std::string_view covered = text.substr(0, text.size() - kTailBytes);
  if (text.substr(covered.size()) != tail_of(covered))
    return malformed(
        "the checksum of the manifest does not match its text: it was damaged or edited; write it "
        "again from its parts (bloomery join --manifest)");
  auto manifest = internal::parse_manifest(text);
  if (!manifest) return manifest;
  manifest->whole.body_bytes = manifest->shape().bytes();
  for (const auto check : {check_whole, check_parts})
    if (auto valid = check(*manifest); !valid) return valid.error();
  return manifest;
}

std::string encode_manifest(const SetManifest& manifest) {
  const NativeHeader& whole = manifest.whole;
  std::ostringstream out;
  throw_on_failure(out);
  out.imbue(std::locale::classic());
  out << internal::kManifestStart << ",\n  \"version\": " << kManifestVersion
      << ",\n  \"filter\": {\"layout\": \""
      << (whole.kind == NativeKind::kLines ? "lines" : "block")
      << "\", \"seeded\": " << (manifest.shape().seeded ? "true" : "false")
      << ", \"bits\": " << whole.bits << ", \"probes\": " << whole.probes << ",\n    \"hash\": \""
      << profile_name(static_cast<Profile>(whole.profile)) << "\", \"seed\": " << whole.seed
      << ", \"secret_check\": \"" << hex_text(whole.secret_check) << "\", \"funnel\": \""
      << (whole.funnel == FunnelName::kUser ? "user" : funnel_name(whole.funnel))
      << "\",\n    \"keys\": " << goal_text(manifest)
      << ", \"keys_inserted\": " << count_text(whole.keys_inserted) << "},\n  \"parts\": [";
  std::string_view between = "\n";
  for (const ManifestPart& part : manifest.parts) {
    out << between << "    {\"file\": \"" << internal::escaped(part.file)
        << "\", \"bytes\": " << part.bytes << ", \"checksum\": \"" << hex_text(part.body_checksum)
        << "\", \"keys_inserted\": " << count_text(part.keys_inserted.value_or(kNativeCountUnknown))
        << '}';
    between = ",\n";
  }
  out << "\n  ],\n";
  const std::string covered = std::move(out).str();
  return covered + tail_of(covered);
}

NativeHeader whole_header(NativeHeader part) {
  part.flags &= ~kNativePart;
  part.part_index = part.part_count = 0;
  part.keys_inserted = kNativeCountUnknown;
  part.body_bytes = part.block_shape().bytes();
  part.body_checksum = 0;
  part.header_checksum = 0;
  return part;
}

NativeHeader part_header(const SetManifest& manifest, std::uint32_t index) {
  const ManifestPart& part = manifest.parts[index];
  NativeHeader header = manifest.whole;
  header.flags |= kNativePart;
  header.part_index = index;
  header.part_count = manifest.count();
  header.keys_inserted = part.keys_inserted.value_or(kNativeCountUnknown);
  header.body_bytes = part.bytes - kNativeHeaderBytes;
  header.body_checksum = part.body_checksum;
  return header;
}

namespace {

// What differs between two headers of parts of what should be one filter; empty if nothing does.
std::string_view difference(const NativeHeader& a, const NativeHeader& b) {
  if (a.kind != b.kind || ((a.flags ^ b.flags) & kNativeSeeded) != 0) return "layout";
  if (a.bits != b.bits) return "size";
  if (a.probes != b.probes) return "number of probes";
  if (a.profile != b.profile || a.seed != b.seed) return "hash";
  if (a.secret_check != b.secret_check) return "secret";
  if (a.funnel != b.funnel) return "funnel";
  return {};
}

}  // namespace

Status check_part(const SetManifest& manifest, std::uint32_t index, const NativeHeader& header) {
  const NativeHeader wanted = part_header(manifest, index);
  if (!header.is_part()) return malformed("it is a whole filter, not a part");
  if (header.part() != wanted.part())
    return malformed(message("it is part ", header.part_index, " of ", header.part_count,
                             ", and the manifest wants part ", index, " of ", manifest.count()));
  if (const auto what = difference(header, wanted); !what.empty())
    return malformed(
        message("it is a part of another filter: its ", what, " is not that of the manifest"));
  if (header.body_checksum != wanted.body_checksum)
    return malformed(
        "it is from another build than the manifest (the checksums of its body differ): write the "
        "manifest again, if the part is the newer one, or build the part again");
  return ok();
}

Result<SetManifest> manifest_of(std::vector<PartHeader> parts) {
  if (parts.empty()) return invalid_argument("no parts are given");
  for (const PartHeader& part : parts)
    if (!part.header.is_part())
      return invalid_argument(message(part.file, ": it is a whole filter, not a part"));
  std::ranges::stable_sort(parts, {},
                           [](const PartHeader& part) { return part.header.part_index; });
  const PartHeader& first = parts.front();
  SetManifest manifest{whole_header(first.header), {}};
  for (const PartHeader& part : parts) {
    const auto index = static_cast<std::uint32_t>(manifest.parts.size());
    if (part.header.part_count != first.header.part_count)
      return invalid_argument(message(part.file, ": it is one of ", part.header.part_count,
                                      " parts, and ", first.file, " is one of ",
                                      first.header.part_count));
    if (const auto what = difference(part.header, first.header); !what.empty())
      return invalid_argument(message(part.file, ": it is a part of another filter than ",
                                      first.file, ": its ", what, " differs"));
    if (part.header.goal_keys != first.header.goal_keys ||
        part.header.goal_rate != first.header.goal_rate)
      return invalid_argument(message(part.file, ": it is a part of another filter than ",
                                      first.file, ": it was made for another goal"));
    if (index > 0 && part.header.part_index == parts[index - 1].header.part_index)
      return invalid_argument(message(part.file, ": part ", part.header.part_index,
                                      " is there twice; ", parts[index - 1].file,
                                      " is the other one"));
    if (part.header.part_index != index)
      return invalid_argument(message("part ", index, " of ", first.header.part_count,
                                      " is missing; build it, or name its file"));
    manifest.parts.push_back({part.file, kNativeHeaderBytes + part.header.body_bytes,
                              part.header.body_checksum, part.header.provenance().keys_inserted});
  }
  if (manifest.count() != first.header.part_count)
    return invalid_argument(message("part ", manifest.count(), " of ", first.header.part_count,
                                    " is missing; build it, or name its file"));
  manifest.whole.keys_inserted = sum_of_parts(manifest).value_or(kNativeCountUnknown);
  return manifest;
}

}  // namespace bloomery
