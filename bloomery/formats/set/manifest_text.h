// The JSON of a manifest: reading it, and the pieces that its writer needs. Not for users.
#pragma once
#include "bloomery/formats/set/manifest.h"

namespace bloomery::internal {

inline constexpr std::string_view kManifestStart = "{\n  \"format\": \"bloomery-set\"";

std::string hex_text(std::uint64_t number);  // 16 digits
std::string escaped(std::string_view utf8);  // between the quotes of a JSON string

// Any JSON object with the members of a manifest; members that are not known are passed over.
// Checks types, not whether they make a filter. Memory is bounded by the text.
Result<SetManifest> parse_manifest(std::string_view text);

}  // namespace bloomery::internal
