// The fill of a cuckoo filter and its false-positive rate.
#include <algorithm>
#include <bitset>

#include "bloomery/filter/classic/counters.h"
#include "bloomery/filter/cuckoo/cuckoo.h"

namespace bloomery {
namespace {

constexpr std::uint64_t kVisitedBuckets = std::uint64_t{1} << 20;  // in all layers together

std::uint64_t occupied(ByteView table) {
  const std::size_t words = table.size() / 8 * 8;
  const ByteView rest = table.subspan(words);
  const auto empty = static_cast<std::size_t>(std::ranges::count(rest, std::byte{0}));
  return Counters<8>::count_non_zero(table.first(words)) + (rest.size() - empty);
}

// A full filter that grows loses nothing by it; one that does not is at its end.
Verdict verdict_of(const CuckooShape& shape, double fill, double rate) {
  return judge(shape.grows() ? 0 : fill, rate, std::nullopt);
}

}  // namespace

std::uint64_t CuckooFilter::occupied_slots() const {
  std::uint64_t slots = 0;
  for (const Layer& layer : layers_) slots += occupied(layer.table.view());
  return slots;
}

// An absent key has any first bucket and any fingerprint with equal chance, and is answered "maybe"
// if either of its buckets holds its fingerprint. So a fingerprint in a bucket condemns two of all
// pairs (bucket, fingerprint): that of the bucket and that of its other bucket; one, where the
// other bucket holds it too and condemns the same two. Summed over all buckets that is exact; over
// some of them, an unbiased estimate. (The usual model, 1 - (1 - 1/255)^occupied slots, takes
// fingerprints in a bucket to be independent.)
double CuckooFilter::layer_rate(const Layer& layer, std::uint64_t visited) const {
  constexpr std::uint64_t kStride = 0x9e3779b97f4a7c15;  // odd: visits no bucket twice
  std::uint64_t condemned = 0;
  for (std::uint64_t i = 0; i < visited; ++i) {
    const std::uint64_t bucket = i * kStride & layer.mask;
    const ByteView slots = layer.table.view().subspan(
        static_cast<std::size_t>(bucket * shape_.bucket_size), shape_.bucket_size);
    std::bitset<kFingerprints + 1> seen{1};  // an empty slot condemns nothing
    for (const std::byte fingerprint : slots) {
      auto is_seen = seen[static_cast<std::size_t>(fingerprint)];
      if (is_seen) continue;
      is_seen = true;
      condemned += find(layer, other(bucket, fingerprint), fingerprint) == kNowhere ? 2 : 1;
    }
  }
  const double pairs = static_cast<double>(visited) * static_cast<double>(kFingerprints);
  return std::min(1.0, static_cast<double>(condemned) / pairs);
}

Health CuckooFilter::layer_health(std::size_t layer) const {
  const Layer& judged = layers_[layer];
  const std::uint64_t share = std::max<std::uint64_t>(1, kVisitedBuckets / layers_.size());
  const std::uint64_t visited = std::min(share, buckets(layer));
  const auto keys = static_cast<double>(occupied(judged.table.view()));
  const double fill = keys / static_cast<double>(judged.table.size());
  const double rate = layer_rate(judged, visited);
  return {fill, keys, rate, verdict_of(shape_, fill, rate), visited < buckets(layer)};
}

// Layers are taken to be independent. They are not where one key was inserted many times: then the
// rate is a little less.
Health CuckooFilter::health() const {
  Health whole{0, 0, 0, Verdict::kOk};
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    const Health layer = layer_health(i);
    whole.estimated_keys += layer.estimated_keys;
    whole.error_rate += (1 - whole.error_rate) * layer.error_rate;
    whole.sampled = whole.sampled || layer.sampled;
  }
  whole.fill = whole.estimated_keys / static_cast<double>(size_bytes_);
  whole.verdict = verdict_of(shape_, whole.fill, whole.error_rate);
  return whole;
}

}  // namespace bloomery
