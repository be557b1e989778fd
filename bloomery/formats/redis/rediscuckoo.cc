#include "bloomery/formats/redis/rediscuckoo.h"

#include <algorithm>
#include <bit>

#include "bloomery/base/error.h"
#include "bloomery/base/message.h"
#include "bloomery/hash/murmur2.h"

namespace bloomery {
namespace {

constexpr std::uint64_t kSpread = 0x5bd1e995;
constexpr std::uint64_t kReportedPerFilter = 40;
constexpr std::uint64_t kReportedPerLayer = 16;

CuckooShape shape_of(const RedisCuckooHeader& header) {
  return {header.buckets, kSpread, header.bucket_size, header.max_iterations, header.expansion};
}

Status in_range(const RedisCuckooOptions& options) {
  using Filter = RedisCuckooFilter;
  const auto within = [](std::uint64_t value, std::uint64_t least, std::uint64_t most) {
    return value >= least && value <= most;
  };
  if (!within(options.bucket_size, 1, Filter::kMaxBucketSize))
    return invalid_argument(message("a bucket has 1 to 255 slots, and not ", options.bucket_size));
  if (!within(options.max_iterations, 1, Filter::kMaxIterations))
    return invalid_argument(
        message("1 to 65535 iterations are tried, and not ", options.max_iterations));
  if (options.expansion > Filter::kMaxExpansion)
    return invalid_argument(message("expansion is at most 32768, and not ", options.expansion));
  if (!within(options.keys, std::uint64_t{2} * options.bucket_size, Filter::kMaxGoalKeys))
    return invalid_argument(message("a rediscuckoo filter with buckets of ", options.bucket_size,
                                    " is made for ", 2 * options.bucket_size,
                                    " to 2^30 keys, and not ", options.keys));
  return ok();
}

std::string_view reason(CuckooOutcome outcome) {
  switch (outcome) {
    case CuckooOutcome::kInserted:
    case CuckooOutcome::kPresent:
      return "";
    case CuckooOutcome::kFull:
      return "the filter is full, and was made not to grow";
    case CuckooOutcome::kTooManyLayers:
      return "the filter has as many layers as it may have and cannot grow further";
    case CuckooOutcome::kBeyondLimit:
      return "the filter is full, and another layer would exceed the memory limit";
  }
  return "";
}

}  // namespace

CuckooDigest RedisCuckooFilter::digest(ByteView key) noexcept {
  const std::uint64_t hash = murmur2_64a(key, 0);
  return {hash, static_cast<std::uint8_t>(hash % CuckooFilter::kFingerprints + 1)};
}

Result<RedisCuckooFilter> RedisCuckooFilter::for_options(const RedisCuckooOptions& options,
                                                         DecodeLimits limits,
                                                         std::pmr::memory_resource* memory) {
  if (auto valid = in_range(options); !valid) return valid.error();
  RedisCuckooHeader header;
  header.buckets = std::bit_ceil(options.keys / options.bucket_size);
  header.bucket_size = static_cast<std::uint16_t>(options.bucket_size);
  header.max_iterations = static_cast<std::uint16_t>(options.max_iterations);
  header.expansion =
      static_cast<std::uint16_t>(options.expansion == 0 ? 0 : std::bit_ceil(options.expansion));
  return from_header(header, limits, memory);
}

Result<std::uint64_t> RedisCuckooFilter::checked(const RedisCuckooHeader& header,
                                                 DecodeLimits limits) {
  const auto slots = CuckooFilter::bytes_of_layers(shape_of(header), header.layers, limits);
  if (!slots && slots.error().code == ErrorCode::kTooLarge) return slots;
  if (!slots) return Error{ErrorCode::kMalformed, slots.error().message};
  if (header.keys > *slots)
    return Error{ErrorCode::kMalformed, message("a rediscuckoo header counts ", header.keys,
                                                " keys, and there are ", *slots, " slots")};
  return slots;
}

Result<RedisCuckooFilter> RedisCuckooFilter::from_header(const RedisCuckooHeader& header,
                                                         DecodeLimits limits,
                                                         std::pmr::memory_resource* memory) {
  if (auto valid = checked(header, limits); !valid) return valid.error();
  auto filter = CuckooFilter::create(shape_of(header), header.layers, limits, memory);
  if (!filter) return filter.error();
  filter->set_counts(header.keys, header.removals);
  return RedisCuckooFilter{std::move(*filter)};
}

RedisCuckooFilter RedisCuckooFilter::from_tables(const RedisCuckooHeader& header,
                                                 std::vector<Buffer>&& tables, DecodeLimits limits,
                                                 std::pmr::memory_resource* memory) {
  CuckooFilter filter =
      CuckooFilter::from_tables(shape_of(header), std::move(tables), limits, memory);
  filter.set_counts(header.keys, header.removals);
  return RedisCuckooFilter{std::move(filter)};
}

RedisCuckooHeader RedisCuckooFilter::header() const {
  const CuckooShape& made = shape();
  return {keys(),           made.buckets,        removals(),    layers(),
          made.bucket_size, made.max_iterations, made.expansion};
}

std::uint64_t RedisCuckooFilter::reported_bytes() const {
  return kReportedPerFilter + kReportedPerLayer * layers() + size_bytes();
}

Result<std::size_t> RedisCuckooFilter::insert_batch(std::span<const ByteView> keys,
                                                    std::span<std::uint8_t> is_new) {
  std::ranges::fill(is_new, std::uint8_t{0});
  std::size_t added = 0;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const CuckooDigest key = digest(keys[i]);
    const bool seemed_absent = !filter_.may_contain(key);
    if (const auto outcome = filter_.insert(key); outcome != CuckooOutcome::kInserted)
      return Error{ErrorCode::kTooLarge,
                   message(reason(outcome), "; a key that is inserted twice takes two slots")};
    is_new[i] = seemed_absent ? 1 : 0;
    added += is_new[i];
  }
  return added;
}

void RedisCuckooFilter::may_contain_batch(std::span<const ByteView> keys,
                                          std::span<std::uint8_t> answers) const {
  for (std::size_t i = 0; i < keys.size(); ++i) answers[i] = may_contain(keys[i]) ? 1 : 0;
}

std::size_t RedisCuckooFilter::remove_batch(std::span<const ByteView> keys,
                                            std::span<std::uint8_t> removed) {
  std::size_t gone = 0;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    removed[i] = remove(keys[i]) ? 1 : 0;
    gone += removed[i];
  }
  return gone;
}

Result<RedisCuckooFilter> create_rediscuckoo(const CreateOptions& options) {
  const SizingRequest& sizing = options.sizing;
  if (!sizing.keys || sizing.bits || sizing.probes || sizing.bits_per_key || sizing.blocks)
    return invalid_argument("a rediscuckoo filter is sized by its keys, and by nothing else");
  RedisCuckooOptions made;
  // Two buckets full of fingerprints.
  const double worst = 2.0 * made.bucket_size / static_cast<double>(CuckooFilter::kFingerprints);
  if (sizing.rate && !(*sizing.rate >= worst))
    return invalid_argument(message(
        "the fingerprints of a rediscuckoo filter have one byte: its false-positive rate is up to ",
        worst, ", and ", *sizing.rate, " is less; leave the rate out"));
  made.keys = std::max<std::uint64_t>(*sizing.keys, std::uint64_t{2} * made.bucket_size);
  made.expansion = options.expansion;
  return RedisCuckooFilter::for_options(made, options.limits);
}

Description describe(const RedisCuckooFilter& filter) {
  Description description;
  description.format = "rediscuckoo";
  description.layout = "cuckoo";
  description.dialect = "rediscuckoo";
  description.bits = filter.size_bytes() * 8;
  description.bytes = filter.size_bytes();
  description.keys_inserted = filter.keys();
  description.health = filter.health();
  for (std::size_t i = 0; i < filter.layers(); ++i) {
    const Health health = filter.layer_health(i);
    const auto keys = static_cast<std::uint64_t>(health.estimated_keys);  // occupied slots: exact
    description.layers.push_back({message("layer ", i), filter.table(i).size() * 8, 2,
                                  filter.table(i).size(), keys, std::nullopt, health});
  }
  const CuckooShape& shape = filter.shape();
  description.notes.push_back(message("buckets of ", shape.bucket_size, " slots, ",
                                      shape.max_iterations, " moves tried for a key"));
  description.notes.push_back(
      shape.grows() ? message("it grows by layers of ", shape.expansion, " times the buckets")
                    : std::string{"it does not grow: a key is refused when it is full"});
  if (const std::uint64_t occupied = filter.occupied_slots(); occupied != filter.keys())
    description.notes.push_back(
        message("it counts ", filter.keys(), " keys, and ", occupied,
                " slots are occupied, as in a filter that was loaded in part"));
  return description;
}

}  // namespace bloomery
