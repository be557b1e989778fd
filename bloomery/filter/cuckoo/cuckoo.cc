#include "bloomery/filter/cuckoo/cuckoo.h"

#include <algorithm>
#include <bit>
#include <cassert>

#include "bloomery/base/error.h"
#include "bloomery/base/message.h"

namespace bloomery {
namespace {

constexpr std::byte kEmpty{0};
constexpr std::uint16_t kMaxBucketSize = 255;

Status checked(const CuckooShape& shape, std::uint64_t layers) {
  if (!std::has_single_bit(shape.buckets))
    return invalid_argument(message("the buckets are a power of two, and not ", shape.buckets));
  if (shape.bucket_size == 0 || shape.bucket_size > kMaxBucketSize)
    return invalid_argument(message("a bucket has 1 to 255 slots, and not ", shape.bucket_size));
  if (shape.max_iterations == 0)
    return invalid_argument("at least one move has to be tried, and not 0");
  if (shape.grows() && !std::has_single_bit(shape.expansion))
    return invalid_argument(
        message("the expansion is 0 or a power of two, and not ", shape.expansion));
  if (layers == 0 || (layers > 1 && !shape.grows()))
    return invalid_argument(
        message("a cuckoo filter has at least 1 layer, and one where it does not grow; "
                "not ",
                layers));
  return ok();
}

}  // namespace

Result<std::uint64_t> CuckooFilter::bytes_of_layers(const CuckooShape& shape, std::uint64_t layers,
                                                    DecodeLimits limits) {
  if (auto valid = checked(shape, layers); !valid) return valid.error();
  const auto too_large = [&] {
    return Error{ErrorCode::kTooLarge,
                 message(layers, " layers from ", shape.buckets, " buckets on, of ",
                         shape.bucket_size, " bytes, exceed the limit of ", limits.max_bytes)};
  };
  // Layers of one size are not counted one by one: a header may claim any number of them.
  if (shape.expansion <= 1) {
    if (shape.buckets > limits.max_bytes / shape.bucket_size / layers) return too_large();
    return shape.buckets * shape.bucket_size * layers;
  }
  std::uint64_t left = limits.max_bytes;
  std::uint64_t buckets = shape.buckets;
  for (std::uint64_t i = 0; i < layers; ++i) {
    // Divided, not multiplied: a product could wrap around.
    if (i > 0 && buckets > left / shape.bucket_size / shape.expansion) return too_large();
    if (i > 0) buckets *= shape.expansion;
    if (buckets > left / shape.bucket_size) return too_large();
    left -= buckets * shape.bucket_size;
  }
  return limits.max_bytes - left;
}

Result<CuckooFilter> CuckooFilter::create(const CuckooShape& shape, std::uint64_t layers,
                                          DecodeLimits limits, std::pmr::memory_resource* memory) {
  if (auto bytes = bytes_of_layers(shape, layers, limits); !bytes) return bytes.error();
  CuckooFilter filter{shape, limits, memory};
  std::uint64_t buckets = shape.buckets;
  for (std::uint64_t i = 0; i < layers; ++i, buckets *= shape.expansion) filter.add_layer(buckets);
  return filter;
}

CuckooFilter CuckooFilter::from_tables(const CuckooShape& shape, std::vector<Buffer>&& tables,
                                       DecodeLimits limits, std::pmr::memory_resource* memory) {
  CuckooFilter filter{shape, limits, memory};
  filter.layers_.reserve(tables.size());
  for (Buffer& table : tables) {
    const std::uint64_t buckets = table.size() / shape.bucket_size;
    filter.size_bytes_ += table.size();
    filter.layers_.push_back({std::move(table), buckets - 1});
  }
  return filter;
}

void CuckooFilter::add_layer(std::uint64_t buckets) {
  const std::size_t bytes = memory_bytes(buckets * shape_.bucket_size);
  layers_.push_back({Buffer{bytes, memory_}, buckets - 1});
  size_bytes_ += bytes;
}

void CuckooFilter::drop_newest() {
  size_bytes_ -= layers_.back().table.size();
  layers_.pop_back();
  keys_ = std::min(keys_, size_bytes_);
}

bool CuckooFilter::grow() {
  const std::uint64_t left = limits_.max_bytes - std::min(limits_.max_bytes, size_bytes_);
  const std::uint64_t newest = layers_.back().mask + 1;
  if (newest > left / shape_.bucket_size / shape_.expansion) return false;
  add_layer(newest * shape_.expansion);
  return true;
}

std::size_t CuckooFilter::find(const Layer& layer, std::uint64_t bucket, std::byte wanted) const {
  const auto begin = static_cast<std::size_t>((bucket & layer.mask) * shape_.bucket_size);
  const std::byte* slots = layer.table.view().data() + begin;
  for (std::size_t i = 0; i < shape_.bucket_size; ++i)
    if (slots[i] == wanted) return begin + i;
  return kNowhere;
}

std::size_t CuckooFilter::find(const Layer& layer, CuckooDigest key, std::byte wanted) const {
  const std::size_t at = find(layer, key.hash, wanted);
  if (at != kNowhere) return at;
  return find(layer, other(key.hash, std::byte{key.fingerprint}), wanted);
}

bool CuckooFilter::take_free_slot(CuckooDigest key) {
  for (auto layer = layers_.rbegin(); layer != layers_.rend(); ++layer)
    if (const std::size_t at = find(*layer, key, kEmpty); at != kNowhere) {
      layer->table.span()[at] = std::byte{key.fingerprint};
      return true;
    }
  return false;
}

// Puts the key in another's slot, that one in its other bucket, and so on, within the newest layer.
// Where that does not end, the same steps are taken back: each is its own inverse.
// Precondition: both buckets of the key are full.
bool CuckooFilter::kick_out(CuckooDigest key) {
  Layer& layer = layers_.back();
  const ByteSpan table = layer.table.span();
  const std::size_t size = shape_.bucket_size;
  std::uint64_t bucket = key.hash & layer.mask;
  std::size_t victim = 0;
  std::byte carried{key.fingerprint};
  for (unsigned i = 0; i < shape_.max_iterations; ++i) {
    std::swap(carried, table[static_cast<std::size_t>(bucket) * size + victim]);
    bucket = other(bucket, carried) & layer.mask;
    if (const std::size_t at = find(layer, bucket, kEmpty); at != kNowhere) {
      table[at] = carried;
      return true;
    }
    victim = (victim + 1) % size;
  }
  for (unsigned i = 0; i < shape_.max_iterations; ++i) {
    victim = (victim + size - 1) % size;
    bucket = other(bucket, carried) & layer.mask;
    std::swap(carried, table[static_cast<std::size_t>(bucket) * size + victim]);
  }
  return false;
}

CuckooOutcome CuckooFilter::insert(CuckooDigest key, std::uint64_t max_layers) {
  assert(key.fingerprint != 0);
  if (layers_.size() >= std::min(max_layers, kMaxLayers)) return CuckooOutcome::kTooManyLayers;
  if (!take_free_slot(key) && !kick_out(key)) {
    if (!shape_.grows()) return CuckooOutcome::kFull;
    if (!grow()) return CuckooOutcome::kBeyondLimit;
    take_free_slot(key);
  }
  keys_ = std::min(keys_ + 1, size_bytes_);
  return CuckooOutcome::kInserted;
}

CuckooOutcome CuckooFilter::insert_if_absent(CuckooDigest key, std::uint64_t max_layers) {
  if (layers_.size() >= std::min(max_layers, kMaxLayers)) return CuckooOutcome::kTooManyLayers;
  return may_contain(key) ? CuckooOutcome::kPresent : insert(key, max_layers);
}

bool CuckooFilter::may_contain(CuckooDigest key) const {
  return std::any_of(layers_.rbegin(), layers_.rend(), [&](const Layer& layer) {
    return find(layer, key, std::byte{key.fingerprint}) != kNowhere;
  });
}

std::uint64_t CuckooFilter::count(CuckooDigest key) const {
  const std::byte wanted{key.fingerprint};
  std::uint64_t found = 0;
  for (const Layer& layer : layers_) {
    const std::uint64_t first = key.hash & layer.mask;
    const std::uint64_t second = other(key.hash, wanted) & layer.mask;
    const auto add = [&](std::uint64_t bucket) {
      const ByteView slots = layer.table.view().subspan(
          static_cast<std::size_t>(bucket * shape_.bucket_size), shape_.bucket_size);
      found += static_cast<std::uint64_t>(std::ranges::count(slots, wanted));
    };
    add(first);
    if (second != first) add(second);  // in a small layer both may be one bucket
  }
  return found;
}

bool CuckooFilter::remove(CuckooDigest key) {
  for (auto layer = layers_.rbegin(); layer != layers_.rend(); ++layer) {
    const std::size_t at = find(*layer, key, std::byte{key.fingerprint});
    if (at == kNowhere) continue;
    // A key that was not counted: the tables were loaded with a lower count. Were it left at that,
    // every removal from here on would compact.
    const std::uint64_t keys = (keys_ > 0 ? keys_ : occupied_slots()) - 1;
    const std::uint64_t removals = removals_ + (removals_ < UINT64_MAX ? 1 : 0);
    const bool compacts = layers_.size() > 1 && removals > keys / 10;
    std::vector<std::uint32_t> memory;  // before anything changes
    if (compacts) memory = memory_to_compact();
    layer->table.span()[at] = kEmpty;
    keys_ = keys;
    removals_ = removals;
    if (compacts) compact(true, std::move(memory));
    return true;
  }
  return false;
}

void CuckooFilter::set_counts(std::uint64_t keys, std::uint64_t removals) {
  assert(keys <= size_bytes_);
  keys_ = keys;
  removals_ = removals;
}

CuckooFilter CuckooFilter::clone() const {
  CuckooFilter copy{shape_, limits_, memory_};
  for (const Layer& layer : layers_) copy.layers_.push_back({layer.table.clone(), layer.mask});
  copy.size_bytes_ = size_bytes_;
  copy.keys_ = keys_;
  copy.removals_ = removals_;
  return copy;
}

bool operator==(const CuckooFilter& a, const CuckooFilter& b) {
  return a.shape_ == b.shape_ && a.keys_ == b.keys_ && a.removals_ == b.removals_ &&
         std::ranges::equal(a.layers_, b.layers_, [](const auto& x, const auto& y) {
           return std::ranges::equal(x.table.view(), y.table.view());
         });
}

}  // namespace bloomery
