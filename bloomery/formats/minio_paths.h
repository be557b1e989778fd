// How MinIO's change tracker (b21d3f9b82, the last before its removal in 2023) turns paths into
// keys, which buckets it accepts, and when its scanner visits a folder.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/base/bytes.h"

namespace bloomery {

// Go's path.Clean: the shortest path of the same meaning; "." for none.
std::string minio_clean(std::string_view path);
// Go's path.Join: the parts that are not empty with slashes between, cleaned; "" if all are empty.
std::string minio_join(const std::vector<std::string>& parts);
// Two parts joined, with the slash that the second ended in.
std::string minio_path_join(std::string_view bucket, std::string_view prefix);
// The folders on the way down a path, not cleaned. An object that stands for a folder ends in
// __XLDIR__ on disk and is that folder.
std::vector<std::string> minio_split(std::string_view path);
// hashPath: the key that stands for a path in a filter, and that xxh64 hashes for the scanner.
std::string minio_key(std::string_view path);

// The keys that a change of bucket/prefix sets: one for each folder on the way and the path itself.
std::vector<std::string> minio_dirty_keys(std::string_view bucket, std::string_view prefix);
// The one key that containsDir asks for; none for a path without a name.
std::optional<std::string> minio_dir_key(std::string_view path);

bool minio_bucket_is_usable(std::string_view bucket);  // neither reserved nor invalid
std::string minio_bucket_of(std::string_view path);    // "" if there is none

// Whether a folder has its turn in this one of `cycles` scanner cycles. Two independent draws: one
// for scanning, the other (modAlt) for healing.
bool minio_scan_turn(std::string_view key, std::uint32_t cycle, std::uint32_t cycles);
bool minio_heal_turn(std::string_view key, std::uint32_t cycle, std::uint32_t cycles);

}  // namespace bloomery
