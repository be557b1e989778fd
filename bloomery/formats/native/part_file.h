// A part of a filter in a file of ours: a header with the flag "part", the part's number and the
// number of parts, then the part exactly as it lies in memory. Not a filter by itself: only all
// parts together answer for every key.
#pragma once
#include <vector>

#include "bloomery/base/file_name.h"
#include "bloomery/filter/block/part.h"
#include "bloomery/formats/description.h"
#include "bloomery/formats/native/header.h"

namespace bloomery {

class FileLock;

struct NativePart {
  BlockPart filter;
  FunnelName funnel = FunnelName::kBytes;

  // kInvalidArgument where shape, part, hash or funnel differ.
  Status merge(const NativePart& other);
};

// Whether the bytes begin as a part does. At least 16 bytes tell.
bool looks_like_native_part(ByteView bytes);
// Both checksums, every field, every length. options.sip_key opens a keyed part. kUnsupported for a
// whole filter.
Result<NativePart> decode_native_part(ByteView bytes, const DecodeOptions& options);
Result<NativePart> load_native_part(FileName path, const DecodeOptions& options);

// What a part says of itself: bits, keys, fill and rate are those of the part.
Description describe(const NativePart& part);

// The header of a part that is to be saved, with its checksums.
NativeHeader native_part_header(const NativePart& part);
std::vector<std::byte> encode_native_part(const NativePart& part);
// The bytes of encode_native_part without a copy of the body: replaces the file in one step, under
// `held` or under a lock of its own, for which it waits up to 10 s.
Status save_native_part(const NativePart& part, FileName path, const FileLock* held = nullptr);

}  // namespace bloomery
