// The bytes of a cycle. All numbers little-endian:
//   "BLMCYCLE", u32 version, u32 flags, u64 index, u64 token, i64 started, f64 rate, u64
//   first_keys, u32 layers, u32 subtrees, u32 reason_bytes, u32 zero; the reason; each subtree: u32
//   bytes, path; each layer: u64 bytes, a native file; u64 XXH3-64 of all before it.
#include "apps/tracker/state/cycle.h"

#include <algorithm>

#include "apps/tracker/state/paths.h"
#include "bloomery/base/byte_reader.h"
#include "bloomery/base/byte_writer.h"
#include "bloomery/formats/native/native.h"
#include "bloomery/hash/xxh.h"

namespace bloomery::tracker {
namespace {

constexpr std::string_view kCycleMagic = "BLMCYCLE";
constexpr std::uint32_t kCycleVersion = 1;
constexpr std::uint32_t kEverything = 1;
constexpr std::size_t kCycleSumBytes = 8;

struct Counts {
  std::uint32_t flags = 0;
  std::uint32_t layers = 0;
  std::uint32_t below = 0;
  std::uint32_t reason_bytes = 0;
};

Error malformed_cycle(std::string_view what) {
  return {ErrorCode::kMalformed, message("a cycle's bytes: ", what)};
}

Status check_cycle_frame(ByteView bytes) {
  if (bytes.size() < kCycleMagic.size() + sizeof kCycleVersion + kCycleSumBytes)
    return Error{ErrorCode::kTruncated,
                 message("a cycle has more than ", bytes.size(), " bytes: they were cut off")};
  if (text_of(bytes.first(kCycleMagic.size())) != kCycleMagic)
    return malformed_cycle("they begin with BLMCYCLE, and these do not");
  const auto version = load_le<std::uint32_t>(bytes.data() + kCycleMagic.size());
  if (version != kCycleVersion)
    return Error{ErrorCode::kUnsupported,
                 message("a cycle's bytes: unsupported version ", version, "; upgrade bloomery")};
  const ByteView summed = bytes.first(bytes.size() - kCycleSumBytes);
  if (xxh3_64(summed) != load_le<std::uint64_t>(summed.data() + summed.size()))
    return malformed_cycle("the checksum is wrong: they are damaged or cut off");
  return ok();
}

Result<BlockFilter> read_layer(ByteReader& reader, DecodeLimits& limits) {
  const auto size = reader.le<std::uint64_t>();
  const ByteView bytes = reader.take(size);
  if (reader.failed()) return reader.truncated("a layer of a cycle");
  auto decoded = decode_native(bytes, {.limits = limits});
  if (!decoded) return decoded.error();
  auto* block = std::get_if<NativeBlock>(&*decoded);
  // Another hash or funnel would deny every path that is asked.
  if (block == nullptr || block->was_open || block->funnel != FunnelName::kBytes ||
      block->filter.hash() != KeyHash{} || !block->filter.provenance().goal ||
      !block->filter.provenance().keys_inserted)
    return malformed_cycle("a layer is no block filter of paths");
  limits.max_bytes -= std::min<std::uint64_t>(limits.max_bytes, block->filter.size_bytes());
  return std::move(block->filter);
}

Result<std::vector<std::string>> read_below(ByteReader& reader, std::uint32_t count) {
  std::vector<std::string> below;
  for (std::uint32_t i = 0; i < count; ++i) {
    const ByteView path = reader.take(reader.le<std::uint32_t>());
    if (reader.failed()) return reader.truncated("a subtree of a cycle");
    below.emplace_back(text_of(path));
    if (below.back().empty() || !is_clean(below.back()))
      return malformed_cycle("a subtree's path is not clean");
  }
  return below;
}

Status check_counts(const Counts& counts, const Cycle& cycle, std::uint32_t zero) {
  if (cycle.id.index == 0) return malformed_cycle("its number is 0");
  if (counts.flags > kEverything || zero != 0) return malformed_cycle("a reserved field is set");
  if (counts.layers > kMaxCycleLayers || counts.below > kMaxBelow ||
      counts.reason_bytes > kLongestReason)
    return malformed_cycle("it has more layers or subtrees than any cycle");
  const bool everything = (counts.flags & kEverything) != 0;
  if (everything != (counts.reason_bytes > 0) ||
      (everything && (counts.layers > 0 || counts.below > 0)))
    return malformed_cycle(
        "a cycle in which everything may have changed has a reason, and nothing else");
  return ok();
}

}  // namespace

std::vector<std::byte> encode_cycle(const Cycle& cycle) {
  const CycleFilter& filter = cycle.filter;
  ByteWriter writer;
  writer.put(bytes_of(kCycleMagic));
  writer.le(kCycleVersion);
  writer.le(filter.everything() ? kEverything : 0U);
  writer.le(cycle.id.index);
  writer.le(cycle.id.token);
  writer.le(cycle.started_unix);
  writer.le(filter.goal().rate);
  writer.le(filter.goal().first_keys);
  writer.le(static_cast<std::uint32_t>(filter.layers().size()));
  writer.le(static_cast<std::uint32_t>(filter.below().size()));
  writer.le(static_cast<std::uint32_t>(filter.reason().size()));
  writer.le(std::uint32_t{0});
  writer.put(bytes_of(filter.reason()));
  for (const std::string& folder : filter.below()) {
    writer.le(static_cast<std::uint32_t>(folder.size()));
    writer.put(bytes_of(folder));
  }
  for (const BlockFilter& layer : filter.layers()) {
    const auto bytes = encode_native(NativeBlock{layer.clone()});
    writer.le(static_cast<std::uint64_t>(bytes.size()));
    writer.put(bytes);
  }
  auto bytes = writer.take();
  const std::uint64_t sum = xxh3_64(bytes);
  bytes.resize(bytes.size() + kCycleSumBytes);
  store_le(bytes.data() + bytes.size() - kCycleSumBytes, sum);
  return bytes;
}

Result<Cycle> decode_cycle(ByteView bytes, DecodeLimits limits) {
  if (auto framed = check_cycle_frame(bytes); !framed) return framed.error();
  ByteReader reader{bytes.first(bytes.size() - kCycleSumBytes)};
  (void)reader.take(kCycleMagic.size() + sizeof kCycleVersion);
  Counts counts;
  counts.flags = reader.le<std::uint32_t>();
  Cycle cycle;
  cycle.id.index = reader.le<std::uint64_t>();
  cycle.id.token = reader.le<std::uint64_t>();
  cycle.started_unix = reader.le<std::int64_t>();
  CycleGoal goal;
  goal.rate = reader.le<double>();
  goal.first_keys = reader.le<std::uint64_t>();
  counts.layers = reader.le<std::uint32_t>();
  counts.below = reader.le<std::uint32_t>();
  counts.reason_bytes = reader.le<std::uint32_t>();
  const auto zero = reader.le<std::uint32_t>();
  const ByteView reason = reader.take(counts.reason_bytes);
  if (reader.failed()) return reader.truncated("a cycle");
  if (auto valid = checked(goal); !valid) return malformed_cycle(valid.error().message);
  if (auto valid = check_counts(counts, cycle, zero); !valid) return valid.error();

  const auto below = read_below(reader, counts.below);
  if (!below) return below.error();
  std::vector<BlockFilter> layers;
  for (std::uint32_t i = 0; i < counts.layers; ++i) {
    auto layer = read_layer(reader, limits);
    if (!layer) return layer.error();
    layers.push_back(std::move(*layer));
  }
  if (reader.remaining() > 0) return malformed_cycle("something follows the last layer");
  cycle.filter = CycleFilter{goal, std::move(layers), *below, std::string{text_of(reason)}};
  return cycle;
}

}  // namespace bloomery::tracker
