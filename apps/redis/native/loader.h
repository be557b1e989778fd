// A native filter that is being loaded: the manifest first, then the layers as a stream of bytes in
// any pieces. Each layer's checksum is updated as its bytes arrive, so the last piece costs no more
// than any other. The filter cannot be queried until it is whole().
#pragma once
#include "apps/redis/native/manifest.h"
#include "bloomery/formats/native/body.h"

namespace bloomery::redis_module {

class NativeLoader {
 public:
  // The manifest, or the header of a part's file: the file itself follows, from its header on.
  static Result<NativeLoader> start(ByteView manifest, std::pmr::memory_resource* memory);

  // kTooLarge, kMalformed: the bytes are no such filter, and the load is over. Throws
  // std::bad_alloc, and then it is over too.
  Status take(ByteView bytes, DecodeLimits limits);
  std::uint64_t taken() const { return taken_; }
  bool whole() const { return next_slice_ == manifest_.slices.size(); }
  LayeredFilter finish() &&;  // precondition: whole()
  std::uint64_t size_bytes() const;

  const NativeManifest& manifest() const { return manifest_; }
  // Of every layer that has begun: the bytes of its header, then those of its body.
  std::size_t begun() const { return headers_.size() + (header_.empty() ? 0 : 1); }
  template <class Visit>
  void for_each_begun(Visit visit) const {
    std::size_t i = 0;
    for (const TimeSlice& slice : slices_)
      for (const FilterLayer& layer : slice.layers) {
        const bool last = i + 1 == headers_.size();
        visit(ByteView{headers_[i++]},
              layer.bytes().first(last ? body_taken_ : layer.bytes().size()));
      }
    if (!header_.empty()) visit(ByteView{header_}, ByteView{});
  }

 private:
  NativeLoader(NativeManifest manifest, std::pmr::memory_resource* memory);
  bool in_body() const { return checksum_.has_value(); }
  Status take_header(ByteView& bytes, DecodeLimits limits);
  Status begin_layer(DecodeLimits limits);
  Status take_body(ByteView& bytes);
  Status end_layer();
  FilterLayer& current() { return slices_.back().layers.back(); }

  NativeManifest manifest_;
  std::pmr::memory_resource* memory_;
  std::size_t next_slice_ = 0;
  std::size_t next_layer_ = 0;
  std::vector<TimeSlice> slices_;
  std::vector<NativeHeaderBytes> headers_;  // of the layers in slices_
  std::vector<std::byte> header_;           // of the next, as far as it is there
  std::optional<internal::BodyChecksum> checksum_;
  std::size_t body_taken_ = 0;  // of the layer that has begun last
  std::uint64_t taken_ = 0;
};

}  // namespace bloomery::redis_module
