#include "bloomery/formats/redis/redisbloom.h"

#include "bloomery/base/error.h"

namespace bloomery {
namespace {

Error too_large(std::string text) { return {ErrorCode::kTooLarge, std::move(text)}; }

}  // namespace

Result<RedisBloomFilter> RedisBloomFilter::for_goal(Goal goal, std::uint32_t expansion,
                                                    DecodeLimits limits,
                                                    std::pmr::memory_resource* memory) {
  if (auto valid = checked(goal); !valid) return valid.error();
  if (goal.keys > kMaxGoalKeys)
    return invalid_argument(
        message("a redisbloom filter is made for at most 2^30 keys, and not ", goal.keys));
  if (expansion > kMaxExpansion)
    return invalid_argument(
        message("expansion is at most ", kMaxExpansion, ", and not ", expansion));
  const double rate = std::min(goal.false_positive_rate, kMaxRate);
  constexpr std::uint32_t kNew = kRedisBloomNoRounding | kRedisBloomWideHash;
  // The growth field of a filter that does not grow holds the peer's default.
  RedisBloomFilter filter{expansion == 0 ? kNew | kRedisBloomNonScaling : kNew,
                          expansion == 0 ? 2 : expansion, limits, memory};
  if (auto added = filter.add_layer(goal.keys, filter.grows() ? rate * 0.5 : rate); !added)
    return added.error();
  return filter;
}

Result<RedisBloomFilter> RedisBloomFilter::from_header(const RedisBloomHeader& header,
                                                       DecodeLimits limits,
                                                       std::pmr::memory_resource* memory) {
  if (auto valid = checked(header, limits); !valid) return valid.error();
  RedisBloomFilter filter{header.options, header.growth, limits, memory};
  const bool wide_hash = (header.options & kRedisBloomWideHash) != 0;
  for (const RedisBloomLayerHeader& layer : header.layers)
    filter.layers_.push_back(make_layer(layer, wide_hash, memory));
  return filter;
}

RedisBloomFilter RedisBloomFilter::from_layers(const RedisBloomHeader& header,
                                               std::vector<RedisBloomLayer> layers,
                                               DecodeLimits limits,
                                               std::pmr::memory_resource* memory) noexcept {
  RedisBloomFilter filter{header.options, header.growth, limits, memory};
  filter.layers_ = std::move(layers);
  return filter;
}

RedisBloomHeader RedisBloomFilter::header() const {
  RedisBloomHeader header{keys_inserted(), options_, growth_, {}};
  for (const RedisBloomLayer& layer : layers_)
    header.layers.push_back({layer.bits().size(), layer.filter.size_bits(), layer.keys_inserted(),
                             layer.rate, layer.bits_per_key, layer.filter.shape().probes,
                             layer.goal_keys, layer.filter.dialect().n2});
  return header;
}

Status RedisBloomFilter::add_layer(std::uint64_t goal_keys, double rate) {
  const auto shape = RedisBloom::shape_for({goal_keys, rate});
  if (!shape) return shape.error();
  if (shape->bytes() > limits_.max_bytes - std::min<std::uint64_t>(size_bytes(), limits_.max_bytes))
    return too_large(message("a layer of ", shape->bytes(), " bytes would exceed the limit of ",
                             limits_.max_bytes));
  // A file of an old release grows by layers with n2 = 0: each layer names its own modulus, so
  // every reader of it can read them.
  const RedisBloomLayerHeader header{
      shape->bytes(), shape->bits, 0, rate, RedisBloom::bits_per_key(rate),
      shape->probes,  goal_keys,   0};
  layers_.push_back(make_layer(header, (options_ & kRedisBloomWideHash) != 0, memory_));
  return ok();
}

Status RedisBloomFilter::grow() {
  if (!grows()) return too_large(std::string{kRedisBloomFull});
  const RedisBloomLayer& newest = layers_.back();
  if (growth_ == 0 || newest.goal_keys > kMaxBits / growth_)
    return too_large(message("the filter cannot grow from ", newest.goal_keys,
                             " keys by a factor of ", growth_));
  if (auto added = add_layer(newest.goal_keys * growth_, newest.rate * 0.5); !added)
    return too_large(message("the filter cannot grow: ", added.error().message));
  return ok();
}

std::uint64_t RedisBloomFilter::room() const {
  const RedisBloomLayer& newest = layers_.back();
  const std::uint64_t held = newest.keys_inserted();
  return held < newest.goal_keys ? newest.goal_keys - held : 0;
}

bool RedisBloomFilter::may_contain(ByteView key) const {
  return std::any_of(layers_.rbegin(), layers_.rend(),
                     [&](const RedisBloomLayer& layer) { return layer.filter.may_contain(key); });
}

Result<bool> RedisBloomFilter::insert(ByteView key) {
  if (room() == 0) {
    if (may_contain(key)) return false;
    if (auto grown = grow(); !grown) return grown.error();
    return layers_.back().filter.insert(key);
  }
  const bool in_older = std::any_of(layers_.begin(), layers_.end() - 1, [&](const auto& layer) {
    return layer.filter.may_contain(key);
  });
  return !in_older && layers_.back().filter.insert(key);
}

void RedisBloomFilter::may_contain_batch(std::span<const ByteView> keys,
                                         std::span<std::uint8_t> answers) const {
  layers_.back().filter.may_contain_batch(keys, answers);
  std::vector<std::uint8_t> older(layers_.size() > 1 ? keys.size() : 0);
  for (auto layer = layers_.rbegin() + 1; layer != layers_.rend(); ++layer) {
    layer->filter.may_contain_batch(keys, older);
    for (std::size_t i = 0; i < keys.size(); ++i) answers[i] |= older[i];
  }
}

// Precondition: the newest layer takes as many keys, so that none of them can make it grow.
void RedisBloomFilter::insert_within_room(std::span<const ByteView> keys,
                                          std::span<std::uint8_t> is_new) {
  ClassicFilter<RedisBloom>& newest = layers_.back().filter;
  if (layers_.size() == 1) {
    newest.insert_batch(keys, is_new);
    return;
  }
  std::vector<std::uint8_t> known(keys.size());
  for (auto layer = layers_.begin(); layer != layers_.end() - 1; ++layer) {
    layer->filter.may_contain_batch(keys, is_new);
    for (std::size_t i = 0; i < keys.size(); ++i) known[i] |= is_new[i];
  }
  for (std::size_t i = 0; i < keys.size(); ++i)
    is_new[i] = known[i] == 0 && newest.insert(keys[i]) ? 1 : 0;
}

Result<std::size_t> RedisBloomFilter::insert_batch(std::span<const ByteView> keys,
                                                   std::span<std::uint8_t> is_new) {
  std::ranges::fill(is_new, std::uint8_t{0});
  for (std::size_t at = 0; at < keys.size();) {
    if (room() == 0) {
      const auto added = insert(keys[at]);
      if (!added) return added.error();
      is_new[at++] = *added ? 1 : 0;
      continue;
    }
    const auto taken = static_cast<std::size_t>(std::min<std::uint64_t>(keys.size() - at, room()));
    insert_within_room(keys.subspan(at, taken), is_new.subspan(at, taken));
    at += taken;
  }
  return static_cast<std::size_t>(std::ranges::count(is_new, std::uint8_t{1}));
}

Result<std::size_t> RedisBloomFilter::insert_batch(std::span<const ByteView> keys) {
  std::vector<std::uint8_t> is_new(keys.size());
  return insert_batch(keys, is_new);
}

Status RedisBloomFilter::same_layers(const RedisBloomFilter& other) const {
  if (layers_.size() != other.layers_.size())
    return invalid_argument(message("the filters have ", layers_.size(), " and ",
                                    other.layers_.size(),
                                    " layers: keys of one cannot join the bits of the other"));
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    const auto& mine = layers_[i].filter;
    const auto& theirs = other.layers_[i].filter;
    if (mine.shape() != theirs.shape() || mine.dialect() != theirs.dialect())
      return invalid_argument(message("layer ", i + 1,
                                      " of the filters differs: ", mine.shape().bits, " bits and ",
                                      mine.shape().probes, " probes against ", theirs.shape().bits,
                                      " and ", theirs.shape().probes, ", or another hash"));
  }
  return ok();
}

Status RedisBloomFilter::merge(const RedisBloomFilter& other) {
  if (auto same = same_layers(other); !same) return same;
  if (other.keys_inserted() > UINT64_MAX - keys_inserted())
    return invalid_argument("the filters hold more keys together than 64 bits count");
  for (std::size_t i = 0; i < layers_.size(); ++i)
    if (auto merged = layers_[i].filter.merge(other.layers_[i].filter); !merged) return merged;
  return ok();
}

Result<bool> RedisBloomFilter::is_subset_of(const RedisBloomFilter& other) const {
  if (auto same = same_layers(other); !same) return same.error();
  for (std::size_t i = 0; i < layers_.size(); ++i)
    if (!bits_subset(layers_[i].filter.bytes(), other.layers_[i].filter.bytes())) return false;
  return true;
}

RedisBloomFilter RedisBloomFilter::clone() const {
  RedisBloomFilter copy{options_, growth_, limits_, memory_};
  for (const RedisBloomLayer& layer : layers_)
    copy.layers_.push_back({layer.filter.clone(), layer.goal_keys, layer.rate, layer.bits_per_key});
  return copy;
}

bool operator==(const RedisBloomFilter& a, const RedisBloomFilter& b) {
  return a.options_ == b.options_ && a.growth_ == b.growth_ &&
         std::ranges::equal(a.layers_, b.layers_, [](const auto& x, const auto& y) {
           return x.filter == y.filter && x.goal_keys == y.goal_keys &&
                  x.keys_inserted() == y.keys_inserted();
         });
}

std::uint64_t RedisBloomFilter::keys_inserted() const {
  std::uint64_t keys = 0;
  for (const RedisBloomLayer& layer : layers_) keys += layer.keys_inserted();
  return keys;
}

std::uint64_t RedisBloomFilter::size_bits() const {
  std::uint64_t bits = 0;
  for (const RedisBloomLayer& layer : layers_) bits += layer.filter.size_bits();
  return bits;
}

std::size_t RedisBloomFilter::size_bytes() const {
  std::size_t bytes = 0;
  for (const RedisBloomLayer& layer : layers_) bytes += layer.filter.size_bytes();
  return bytes;
}

Goal RedisBloomFilter::goal() const {
  std::uint64_t keys = 0;
  for (const RedisBloomLayer& layer : layers_) keys += std::min(layer.goal_keys, UINT64_MAX - keys);
  return {keys, grows() ? std::min(1.0, layers_.front().rate * 2) : layers_.front().rate};
}

Health RedisBloomFilter::health() const {
  double rate = 0;
  double ones = 0;
  double keys = 0;
  for (const RedisBloomLayer& layer : layers_) {
    const Health health = layer.health();
    rate += (1 - rate) * health.error_rate;  // that is 1 - (1 - rate)(1 - layer's), and exact
    ones += health.fill * static_cast<double>(layer.filter.size_bits());
    keys += health.estimated_keys;
  }
  const double fill = ones / static_cast<double>(size_bits());
  return {fill, keys, rate, judge(fill, rate, goal())};
}

Result<RedisBloomFilter> create_redisbloom(const CreateOptions& options) {
  const SizingRequest& sizing = options.sizing;
  if (!sizing.keys || !sizing.rate)
    return invalid_argument(
        "a redisbloom filter is made for a number of keys and a rate: give both");
  return RedisBloomFilter::for_goal({*sizing.keys, *sizing.rate}, options.expansion,
                                    options.limits);
}

Description describe(const RedisBloomFilter& filter) {
  Description description;
  description.format = "redisbloom";
  description.layout = "scalable";
  description.dialect = RedisBloom::kName;
  description.bits = filter.size_bits();
  if (filter.layers().size() == 1) description.probes = filter.layers()[0].filter.shape().probes;
  description.bytes = filter.size_bytes();
  description.keys_inserted = filter.keys_inserted();
  description.goal = filter.goal();
  description.health = filter.health();
  for (const RedisBloomLayer& layer : filter.layers())
    description.layers.push_back({message("layer ", description.layers.size()),
                                  layer.filter.size_bits(), layer.filter.shape().probes,
                                  layer.filter.size_bytes(), layer.keys_inserted(),
                                  layer.filter.provenance().goal, layer.health()});
  if ((filter.options() & kRedisBloomWideHash) == 0)
    description.notes.emplace_back("an old filter: its hash has 32 bits");
  description.notes.emplace_back(
      filter.grows() ? message("it grows by a factor of ", filter.growth())
                     : std::string{"it does not grow: a new key is refused when it is full"});
  return description;
}

}  // namespace bloomery
