// The manifest of a filter in parts (NAME.bloomset): JSON that says which filter the parts make
// together, and of each part its file, size and checksum, so that a part that is lost, damaged or
// from another build is named. It ends with a checksum of its own text.
#pragma once
#include <string>
#include <vector>

#include "bloomery/formats/native/header.h"

namespace bloomery {

inline constexpr std::uint32_t kManifestVersion = 1;

struct ManifestPart {
  std::string file;  // relative to the manifest, with / between folders
  std::uint64_t bytes = 0;
  std::uint64_t body_checksum = 0;
  std::optional<std::uint64_t> keys_inserted = {};
  friend bool operator==(const ManifestPart&, const ManifestPart&) = default;
};

struct SetManifest {
  // Of the whole filter, as its single file would begin: no part, and no body_checksum.
  NativeHeader whole = {};
  std::vector<ManifestPart> parts = {};

  std::uint32_t count() const { return static_cast<std::uint32_t>(parts.size()); }
  BlockShape shape() const { return whole.block_shape(); }
};

// Whether the bytes begin as a manifest does.
bool looks_like_manifest(ByteView bytes);
// The checksum, every field, and that they make a filter. kTooLarge beyond kMostManifestBytes or
// the limit, kUnsupported for a later version.
Result<SetManifest> decode_manifest(ByteView bytes, DecodeLimits limits);
inline constexpr std::uint64_t kMostManifestBytes = std::uint64_t{256} << 20;
// Precondition: valid, as from decode_manifest or manifest_of, and goal and keys as the whole
// filter has them.
std::string encode_manifest(const SetManifest& manifest);

// The file name of a part beside its manifest, and what its header says.
struct PartHeader {
  std::string file;
  NativeHeader header;
};
// The manifest of these parts, in any order. kInvalidArgument, naming files, where a part is
// missing or there twice, or where two are not of one filter.
Result<SetManifest> manifest_of(std::vector<PartHeader> parts);

// What the header of the whole filter is, from that of any of its parts: no part, and neither keys
// nor checksum.
NativeHeader whole_header(NativeHeader part);
// The header of a part, but for its seed bytes' and blocks' checksum, as the manifest has it.
NativeHeader part_header(const SetManifest& manifest, std::uint32_t index);
// Why the header is not that of this part of the manifest: kMalformed, without the file's name.
Status check_part(const SetManifest& manifest, std::uint32_t index, const NativeHeader& header);

// Whether a manifest may name a file so: relative, without "..", "." or empty steps, without
// control characters.
bool is_part_file_name(std::string_view name);

}  // namespace bloomery
