// From parts to one file and back, and the files that a set is made of.
#pragma once
#include "bloomery/base/file_name.h"
#include "bloomery/formats/native/native.h"
#include "bloomery/formats/set/filter_set.h"

namespace bloomery {

class FileLock;

// "seen" and part 3 of 64: "seen.03-of-64.bloom".
std::string part_file_name(std::string_view stem, Part part);

// What the file of a part says of itself: its header, and that it is as long as that says.
Result<NativeHeader> read_part_header(FileName path);

// The same, and reads all of it: kMalformed where the body does not have its checksum.
Result<NativeHeader> read_verified_part_header(FileName path);

// Replaces the file in one step, under `held` or under a lock of its own. kInvalidArgument where a
// manifest cannot name a file of it.
Status save_manifest(const SetManifest& manifest, FileName path, const FileLock* held = nullptr);

// Writes the one file that all parts together are: the same bytes as those of a filter that one
// process built of all keys, but for the number of keys inserted where there are several lines per
// key, which is unknown. Verifies every part. Parts that lie in memory are not copied.
Status join_set(const FilterSet& set, FileName path, const FileLock* held = nullptr);
// The same in memory. kTooLarge where the filter is larger than the limit.
Result<NativeBlock> load_joined(const FilterSet& set, DecodeLimits limits);

// Cuts a block filter, seeded or not, or one of several lines per key, into files of parts in a
// folder that exists, called part_file_name(stem, part). Verifies the filter first. Returns their
// manifest, which is not saved. kUnsupported for another kind of filter.
Result<SetManifest> cut_filter(FileName filter, std::uint32_t parts, FileName folder,
                               std::string_view stem, const DecodeOptions& options);

}  // namespace bloomery
