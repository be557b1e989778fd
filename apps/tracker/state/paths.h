// A path as the keys of a cycle's filter: itself and every folder above it. Names are bytes: a
// newline or a byte that is no UTF-8 is as good as any other.
#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/base/result.h"
#include "bloomery/hash/hash128.h"

namespace bloomery::tracker {

// The one spelling of a path: no slash at its ends, none doubled, no "." and no "..", which never
// leads above the root. The root itself is "".
std::string clean_path(std::string_view path);
// A path within a bucket: its ".." never leads out of the bucket.
std::string clean_path(std::string_view bucket, std::string_view path);
bool is_clean(std::string_view path);  // clean_path(path) == path, without a copy

// Above a clean path; "" for what lies in the root. Precondition: path is not the root.
std::string_view parent_of(std::string_view clean);
// Whether a clean path is this folder or lies below it. Everything lies below the root.
bool lies_in(std::string_view clean, std::string_view folder);
// Whether what exists at a path is this folder or lies below it, wherever symbolic links lead.
bool lies_within(const std::filesystem::path& path, const std::filesystem::path& folder);

// The key of a clean path. It stands in state files, so it never changes: xxh3 of its bytes, the
// root's of "/".
Hash128 path_digest(std::string_view clean);

// Whether the ".." of a path lead above where it begins.
bool leads_out(std::string_view path);

// What a person calls a path, in a tree that is watched: absolute, and within one of the roots,
// which are absolute and clean. Without roots a path means itself, as the name of an object does:
// see keys_of_path(). kInvalidArgument for a path outside of all roots: the watcher does not see
// its changes.
Result<std::string> resolve_path(std::string_view path, const std::vector<std::string>& roots);

}  // namespace bloomery::tracker
