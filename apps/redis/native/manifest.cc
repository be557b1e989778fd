#include "apps/redis/native/manifest.h"

#include <algorithm>
#include <string_view>

#include "bloomery/base/byte_reader.h"
#include "bloomery/base/byte_writer.h"
#include "bloomery/hash/xxh.h"

namespace bloomery::redis_module {
namespace {

constexpr std::string_view kMagic = "BLMREDIS";
constexpr std::uint16_t kVersion = 1;
constexpr std::uint16_t kPartVersion = 2;  // a part of a filter: a server of before refuses it
constexpr std::uint8_t kHasSecret = 1;

Error malformed(std::string sentence) { return {ErrorCode::kMalformed, std::move(sentence)}; }

// Without its last eight bytes, once they are the checksum of the others.
Result<ByteView> verified(ByteView bytes) {
  constexpr std::size_t kChecksum = sizeof(std::uint64_t);
  if (!looks_like_native_manifest(bytes) || bytes.size() < kMagic.size() + kChecksum)
    return malformed("a dump of our own type starts with BLMREDIS and ends with a checksum");
  const ByteView fields = bytes.first(bytes.size() - kChecksum);
  if (load_le<std::uint64_t>(bytes.data() + fields.size()) != xxh3_64(fields))
    return malformed("the checksum of the dump's first chunk does not match: it was damaged");
  return fields.subspan(kMagic.size());
}

LayeredPart read_part(ByteReader& in) {
  LayeredPart part{};
  part.shape.blocks = in.le<std::uint64_t>();
  part.shape.probes = in.le<std::uint32_t>();
  part.part.index = in.le<std::uint32_t>();
  part.part.parts = in.le<std::uint32_t>();
  part.profile = static_cast<Profile>(in.le<std::uint32_t>());
  part.seed = in.le<std::uint64_t>();
  return part;
}

Result<LayeredPlan> read_plan(ByteReader& in) {
  const auto version = in.le<std::uint16_t>();
  if (version != kVersion && version != kPartVersion)
    return Error{ErrorCode::kUnsupported, message("the dump has version ", version,
                                                  ", and only versions 1 and 2 are known here")};
  LayeredPlan plan{};
  plan.layout = static_cast<LayerKind>(in.le<std::uint8_t>());
  const auto flags = in.le<std::uint8_t>();
  plan.expansion = in.le<std::uint32_t>();
  plan.goal.keys = in.le<std::uint64_t>();
  plan.goal.false_positive_rate = in.le<double>();
  const TimeWindow window{in.le<std::int64_t>(), in.le<std::uint32_t>()};
  if (window.milliseconds != 0 || window.slices != 0) plan.window = window;
  const ByteView secret = in.take(sizeof(Secret));
  if (flags > kHasSecret) return malformed("the flags of the dump are 0 or 1");
  if ((flags & kHasSecret) != 0 && !in.failed())
    std::ranges::copy(secret, plan.secret.emplace().begin());
  if ((flags & kHasSecret) == 0 &&
      std::ranges::any_of(secret, [](std::byte byte) { return byte != std::byte{0}; }))
    return malformed("a dump without a secret has zeros in its place");
  if (version == kPartVersion) plan.part = read_part(in);
  if (auto valid = plan.check(); !valid) return malformed(valid.error().message);
  return plan;
}

void put_part(const LayeredPart& part, ByteWriter& out) {
  out.le(part.shape.blocks);
  out.le(part.shape.probes);
  out.le(part.part.index);
  out.le(part.part.parts);
  out.le(static_cast<std::uint32_t>(part.profile));
  out.le(part.seed);
}

// Lengths are checked against what is there before anything is allocated.
Result<std::vector<NativeManifest::Slice>> read_slices(ByteReader& in, const LayeredPlan& plan) {
  const auto count = in.le<std::uint32_t>();
  const std::size_t most = plan.window ? plan.window->most_held() : 1;
  if (count == 0 || count > most) return malformed("the dump has too many slices, or none");
  std::vector<NativeManifest::Slice> slices;
  std::size_t layers = 0;
  for (std::uint32_t i = 0; i < count && !in.failed(); ++i) {
    NativeManifest::Slice slice{in.le<std::int64_t>(), {}};
    const auto size = in.le<std::uint32_t>();
    layers += size;
    if (size == 0 || layers > LayeredFilter::kMostLayers)
      return malformed("a slice of the dump has too many layers, or none");
    const bool timed =
        plan.window ? slice.start >= 0 && slice.start <= TimeWindow::kLatest : slice.start == 0;
    if (!timed || (!slices.empty() && slice.start < slices.back().start))
      return malformed("the slices of the dump have no times, or are not in their order");
    for (std::uint32_t layer = 0; layer < size && !in.failed(); ++layer)
      slice.room_taken.push_back(in.le<std::uint64_t>());
    slices.push_back(std::move(slice));
  }
  return slices;
}

}  // namespace

bool looks_like_native_manifest(ByteView bytes) {
  return bytes.size() >= kMagic.size() &&
         std::ranges::equal(bytes.first(kMagic.size()), bytes_of(kMagic));
}

Result<NativeManifest> manifest_of_part(ByteView bytes) {
  if (bytes.size() != kNativeHeaderBytes)
    return malformed("a part is loaded from its header, of 128 bytes, on");
  constexpr std::size_t kBodyBytesAt = offsetof(NativeHeader, body_bytes);
  const auto body_bytes = std::min(load_le<std::uint64_t>(bytes.data() + kBodyBytesAt),
                                   UINT64_MAX - kNativeHeaderBytes);
  const auto header =
      decode_native_part_header(bytes, kNativeHeaderBytes + body_bytes, {UINT64_MAX});
  if (!header) return header.error();
  const auto goal = header->provenance().goal;
  if (!goal) return malformed("a part that takes keys was made for a goal");
  NativeManifest manifest{{*goal, 0, LayerKind::kBlock}, {{0, {0}}}};
  manifest.plan.part = LayeredPart{header->block_shape(), header->part(),
                                   static_cast<Profile>(header->profile), header->seed};
  if (auto valid = manifest.plan.check(); !valid) return malformed(valid.error().message);
  return manifest;
}

Result<NativeManifest> decode_native_manifest(ByteView bytes) {
  const auto fields = verified(bytes);
  if (!fields) return fields.error();
  ByteReader in{*fields};
  auto plan = read_plan(in);
  if (!plan) return plan.error();
  auto slices = read_slices(in, *plan);
  if (!slices) return slices.error();
  if (in.failed()) return in.truncated("the dump's first chunk");
  if (in.remaining() != 0) return malformed("the dump's first chunk goes on after its last layer");
  return NativeManifest{*plan, std::move(*slices)};
}

std::vector<std::byte> encode_native_manifest(const NativeManifest& manifest) {
  const LayeredPlan& plan = manifest.plan;
  ByteWriter out;
  out.put(bytes_of(kMagic));
  out.le(plan.part ? kPartVersion : kVersion);
  out.le(static_cast<std::uint8_t>(plan.layout));
  out.le(plan.secret ? kHasSecret : std::uint8_t{0});
  out.le(plan.expansion);
  out.le(plan.goal.keys);
  out.le(plan.goal.false_positive_rate);
  out.le(plan.window ? plan.window->milliseconds : std::int64_t{0});
  out.le(plan.window ? plan.window->slices : std::uint32_t{0});
  out.put(plan.secret.value_or(Secret{}));
  if (plan.part) put_part(*plan.part, out);
  out.le(static_cast<std::uint32_t>(manifest.slices.size()));
  for (const NativeManifest::Slice& slice : manifest.slices) {
    out.le(slice.start);
    out.le(static_cast<std::uint32_t>(slice.room_taken.size()));
    for (const std::uint64_t taken : slice.room_taken) out.le(taken);
  }
  std::vector<std::byte> bytes = out.take();
  const std::uint64_t checksum = xxh3_64(bytes);
  bytes.resize(bytes.size() + sizeof checksum);
  store_le(bytes.data() + bytes.size() - sizeof checksum, checksum);
  return bytes;
}

NativeManifest manifest_of(const LayeredFilter& filter) {
  NativeManifest manifest{filter.plan(), {}};
  for (const TimeSlice& slice : filter.slices()) {
    manifest.slices.push_back({slice.start, {}});
    for (const FilterLayer& layer : slice.layers)
      manifest.slices.back().room_taken.push_back(layer.counts() ? layer.room_taken() : 0);
  }
  return manifest;
}

}  // namespace bloomery::redis_module
