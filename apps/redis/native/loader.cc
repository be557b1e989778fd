#include "apps/redis/native/loader.h"

#include <algorithm>
#include <cstring>

#include "bloomery/formats/native/part_file.h"

namespace bloomery::redis_module {

Result<NativeLoader> NativeLoader::start(ByteView manifest, std::pmr::memory_resource* memory) {
  auto decoded = looks_like_native_part(manifest) ? manifest_of_part(manifest)
                                                  : decode_native_manifest(manifest);
  if (!decoded) return decoded.error();
  return NativeLoader{std::move(*decoded), memory};
}

NativeLoader::NativeLoader(NativeManifest manifest, std::pmr::memory_resource* memory)
    : manifest_{std::move(manifest)}, memory_{memory} {}

Status NativeLoader::take(ByteView bytes, DecodeLimits limits) {
  taken_ += bytes.size();
  while (!bytes.empty()) {
    if (whole()) return Error{ErrorCode::kMalformed, "the dump goes on after its last layer"};
    auto taken = in_body() ? take_body(bytes) : take_header(bytes, limits);
    if (!taken) return taken;
  }
  return ok();
}

Status NativeLoader::take_header(ByteView& bytes, DecodeLimits limits) {
  const std::size_t count = std::min(kNativeHeaderBytes - header_.size(), bytes.size());
  header_.insert(header_.end(), bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(count));
  bytes = bytes.subspan(count);
  return header_.size() == kNativeHeaderBytes ? begin_layer(limits) : ok();
}

// The header vouches for the length of its body, which has yet to come: the limit bounds it, and
// its pages are not touched until it does.
Status NativeLoader::begin_layer(DecodeLimits limits) {
  constexpr std::size_t kBodyBytesAt = offsetof(NativeHeader, body_bytes);
  const std::uint64_t held = size_bytes();
  const DecodeLimits left{held < limits.max_bytes ? limits.max_bytes - held : 0};
  const auto body_bytes = std::min(load_le<std::uint64_t>(header_.data() + kBodyBytesAt),
                                   UINT64_MAX - kNativeHeaderBytes);
  const auto decode = manifest_.plan.part ? decode_native_part_header : decode_native_header;
  const auto header = decode(header_, kNativeHeaderBytes + body_bytes, left);
  if (!header) return header.error();
  auto layer = FilterLayer::from_header(*header, manifest_.plan, memory_);
  if (!layer) return layer.error();
  const NativeManifest::Slice& slice = manifest_.slices[next_slice_];
  layer->set_room_taken(slice.room_taken[next_layer_]);
  if (next_layer_ == 0) slices_.push_back({slice.start, {}});
  slices_.back().layers.push_back(std::move(*layer));
  std::ranges::copy(header_, headers_.emplace_back().begin());
  header_.clear();
  checksum_.emplace();
  body_taken_ = 0;
  return ok();
}

Status NativeLoader::take_body(ByteView& bytes) {
  const ByteSpan body = current().bytes();
  const std::size_t count = std::min(body.size() - body_taken_, bytes.size());
  std::memcpy(body.data() + body_taken_, bytes.data(), count);
  checksum_->add(bytes.first(count));
  body_taken_ += count;
  bytes = bytes.subspan(count);
  return body_taken_ == body.size() ? end_layer() : ok();
}

Status NativeLoader::end_layer() {
  constexpr std::size_t kChecksumAt = offsetof(NativeHeader, body_checksum);
  const FilterLayer& layer = std::as_const(slices_).back().layers.back();
  if (checksum_->value() != load_le<std::uint64_t>(headers_.back().data() + kChecksumAt))
    return internal::damaged_body();
  const std::uint64_t width = layer.counts() ? 4 : 1;
  if (!internal::zero_past(layer.bytes(), layer.shape().bits * width)) return internal::dirty_end();
  checksum_.reset();
  if (++next_layer_ < manifest_.slices[next_slice_].room_taken.size()) return ok();
  next_layer_ = 0;
  ++next_slice_;
  return ok();
}

LayeredFilter NativeLoader::finish() && { return {manifest_.plan, std::move(slices_), memory_}; }

std::uint64_t NativeLoader::size_bytes() const {
  std::uint64_t bytes = 0;
  for (const TimeSlice& slice : slices_)
    for (const FilterLayer& layer : slice.layers) bytes += layer.bytes().size();
  return bytes;
}

}  // namespace bloomery::redis_module
