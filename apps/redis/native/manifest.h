// The manifest of a native filter, which precedes its layers in a dump, a file and the append-only
// file: the plan and where each layer belongs. Each layer follows as a native file
// (docs/formats/bloomery.md). The manifest holds the secret: a reader of a dump can query the
// filter.
#pragma once
#include "bloomery/formats/layered/filter.h"

namespace bloomery::redis_module {

struct NativeManifest {
  struct Slice {
    std::int64_t start;
    std::vector<std::uint64_t> room_taken;  // of each layer; 0 where layers do not count
  };
  LayeredPlan plan;
  std::vector<Slice> slices;
};

bool looks_like_native_manifest(ByteView bytes);
// Of the filter that the header of a part's file begins.
Result<NativeManifest> manifest_of_part(ByteView header);
// Checks every field and the checksum.
Result<NativeManifest> decode_native_manifest(ByteView bytes);
std::vector<std::byte> encode_native_manifest(const NativeManifest& manifest);
NativeManifest manifest_of(const LayeredFilter& filter);

}  // namespace bloomery::redis_module
