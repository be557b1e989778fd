#include "bloomery/filter/block/concurrent.h"

#include <cstring>
#include <thread>

#include "bloomery/filter/block/health.h"

namespace bloomery {
namespace {

using Self = ConcurrentBlockFilter;
using Answers = std::span<std::uint8_t>;
constexpr auto kRelaxed = std::memory_order_relaxed;

// Hashes a group of keys at once. Precondition for numbers: hash.takes_numbers().
void hash_group(const KeyHash& hash, std::span<const std::uint64_t> keys, Hash128* hashes) {
  assert(hash.takes_numbers());
  simd::active_block_kernels().hash_numbers(hash.hasher, keys.data(), keys.size(), hashes);
}
void hash_group(const KeyHash& hash, std::span<const ByteView> keys, Hash128* hashes) {
  if (!hash.whole_numbers)
    simd::active_block_kernels().hash_bytes(hash.hasher, keys.data(), keys.size(), hashes);
  else
    std::ranges::transform(keys, hashes, [&](ByteView key) { return hash.digest(key); });
}
void hash_group(const KeyHash& /*hash*/, std::span<const Hash128> keys, Hash128* hashes) {
  std::ranges::copy(keys, hashes);
}

Hash128 hash_number(const KeyHash& hash, std::uint64_t key) {
  Hash128 digest;
  hash_group(hash, std::span<const std::uint64_t>{&key, 1}, &digest);
  return digest;
}

}  // namespace

Result<ConcurrentBlockFilter> ConcurrentBlockFilter::for_goal(Goal goal, const KeyHash& hash,
                                                              std::pmr::memory_resource* memory) {
  const bool in_lines =
      !block_layout_suits(goal.false_positive_rate) && lines_layout_suits(goal.false_positive_rate);
  auto filter = in_lines ? BlockFilter::lines_for_goal(goal, hash, memory)
                         : BlockFilter::for_goal(goal, hash, memory);
  if (!filter) return filter.error();
  return ConcurrentBlockFilter{*std::move(filter)};
}

Result<ConcurrentBlockFilter> ConcurrentBlockFilter::from(BlockFilter filter) {
  if (filter.block_shape().seeded)
    return Error{ErrorCode::kInvalidArgument,
                 "a seeded filter is built in bulk by one builder: give a plain block filter to "
                 "threads that insert"};
  return ConcurrentBlockFilter{std::move(filter)};
}

ConcurrentBlockFilter::ConcurrentBlockFilter(BlockShape shape, const KeyHash& hash,
                                             std::pmr::memory_resource* memory)
    : ConcurrentBlockFilter{BlockFilter{{shape.blocks, shape.probes}, hash, memory}} {}

ConcurrentBlockFilter::ConcurrentBlockFilter(BlockFilter filter)
    : filter_{std::move(filter)},
      hash_{filter_.hash()},
      words_{reinterpret_cast<std::uint64_t*>(filter_.bytes().data())},
      stripes_{std::make_unique<Stripes>()} {
  assert(!filter_.block_shape().seeded);
}

BlockFilter ConcurrentBlockFilter::into_filter() && {
  filter_.set_provenance(provenance());
  return std::move(filter_);
}

bool ConcurrentBlockFilter::insert(std::uint64_t key) {
  return insert_and_count(hash_number(hash_, key));
}
bool ConcurrentBlockFilter::may_contain(std::uint64_t key) const {
  return holds(hash_number(hash_, key));
}

// While one group is worked on, the blocks of the next are on their way.
template <class Key, class Act>
std::size_t ConcurrentBlockFilter::in_groups(std::span<const Key> keys,
                                             std::span<std::uint8_t> answers, Act act) const {
  assert(answers.empty() || answers.size() >= keys.size());
  constexpr std::size_t kGroup = 32;
  std::array<std::array<Hash128, kGroup>, 2> hashes;
  const auto fetch = [&](std::size_t at) {
    if (at >= keys.size()) return;
    const std::size_t count = std::min(kGroup, keys.size() - at);
    auto& group = hashes[at / kGroup % 2];
    hash_group(hash_, keys.subspan(at, count), group.data());
    for (std::size_t i = 0; i < count; ++i)
      each_line(group[i], [&](Hash128 line) {
        __builtin_prefetch(block_at(block::block_of(line.low, block_shape().blocks)));
      });
  };
  std::size_t sum = 0;
  fetch(0);
  for (std::size_t at = 0; at < keys.size(); at += kGroup) {
    fetch(at + kGroup);
    const auto& group = hashes[at / kGroup % 2];
    for (std::size_t i = 0; i < std::min(kGroup, keys.size() - at); ++i) {
      const bool yes = act(group[i]);
      if (!answers.empty()) answers[at + i] = yes ? 1 : 0;
      sum += yes ? 1 : 0;
    }
  }
  return sum;
}

template <class Key>
std::size_t ConcurrentBlockFilter::insert_batch(std::span<const Key> keys,
                                                std::span<std::uint8_t> is_new) {
  const std::size_t added = in_groups(keys, is_new, [&](Hash128 hash) { return set(hash); });
  count(added);
  return added;
}
template <class Key>
std::size_t ConcurrentBlockFilter::may_contain_batch(std::span<const Key> keys,
                                                     std::span<std::uint8_t> answers) const {
  return in_groups(keys, answers, [&](Hash128 hash) { return holds(hash); });
}

std::uint64_t* ConcurrentBlockFilter::block_at(std::uint64_t number) const {
  return words_ + number * block::kSectors;
}

block::BlockMask ConcurrentBlockFilter::load(std::uint64_t number) const {
  std::uint64_t* words = block_at(number);
  block::BlockMask sectors;
  for (std::uint64_t& sector : sectors)
    sector = std::atomic_ref<std::uint64_t>{*words++}.load(kRelaxed);
  return sectors;
}

bool ConcurrentBlockFilter::holds(Hash128 hash) const {
  bool all = true;
  each_line(hash, [&](Hash128 line) { all &= holds_line(line); });
  return all;
}

bool ConcurrentBlockFilter::set(Hash128 hash) {
  bool is_new = false;
  each_line(hash, [&](Hash128 line) { is_new |= set_line(line); });
  return is_new;
}

template <class Use>
void ConcurrentBlockFilter::each_line(Hash128 hash, Use use) const {
  use(hash);
  for (std::uint32_t line = 1; line < block_shape().lines(); ++line) {
    const auto [place, bits] = block::next_line({hash.low, hash.high});
    hash = {place, bits};
    use(hash);
  }
}

// No early end at the first bit that is missing: where that is, is as good as random.
bool ConcurrentBlockFilter::holds_line(Hash128 hash) const {
  const BlockShape shape = block_shape();
  std::uint64_t* words = block_at(block::block_of(hash.low, shape.blocks));
  std::uint64_t missing = 0;
  for (std::uint32_t used = block::sectors_of(hash.low, block::probes_in_line(shape.probes));
       used != 0; used &= used - 1) {
    const auto sector = static_cast<std::uint32_t>(std::countr_zero(used));
    const std::atomic_ref<std::uint64_t> word{words[sector]};
    missing |= block::bit_of(hash.high, sector) & ~word.load(kRelaxed);
  }
  return missing == 0;
}

bool ConcurrentBlockFilter::set_line(Hash128 hash) {
  const BlockShape shape = block_shape();
  std::uint64_t* words = block_at(block::block_of(hash.low, shape.blocks));
  bool is_new = false;
  for (std::uint32_t used = block::sectors_of(hash.low, block::probes_in_line(shape.probes));
       used != 0; used &= used - 1) {
    const auto sector = static_cast<std::uint32_t>(std::countr_zero(used));
    const std::atomic_ref<std::uint64_t> word{words[sector]};
    const std::uint64_t bit = block::bit_of(hash.high, sector);
    // Most bits of a filter in use are set already, and reading one is much cheaper.
    if ((word.load(kRelaxed) & bit) != 0) continue;
    is_new |= (word.fetch_or(bit, kRelaxed) & bit) == 0;
  }
  return is_new;
}

bool ConcurrentBlockFilter::insert_and_count(Hash128 hash) {
  const bool is_new = set(hash);
  if (is_new) count(1);
  return is_new;
}

void ConcurrentBlockFilter::count(std::uint64_t keys) {
  const std::size_t thread = std::hash<std::thread::id>{}(std::this_thread::get_id());
  (*stripes_)[thread % kStripes].keys.fetch_add(keys, kRelaxed);
}

BlockFilter ConcurrentBlockFilter::snapshot(std::pmr::memory_resource* memory) const {
  const BlockShape shape = block_shape();
  BlockFilter copy{shape, hash_, memory};
  std::byte* to = copy.bytes().data();
  for (std::uint64_t i = 0; i < shape.blocks; ++i, to += block::kBlockBytes) {
    const block::BlockMask sectors = load(i);
    std::memcpy(to, sectors.data(), block::kBlockBytes);
  }
  copy.set_provenance(provenance());
  return copy;
}

Health ConcurrentBlockFilter::health() const {
  BlockTally tally{block_shape()};
  for (std::uint64_t i = 0; i < tally.blocks(); ++i) tally.add(load(tally.block(i)));
  return tally.health(filter_.provenance().goal);
}

Provenance ConcurrentBlockFilter::provenance() const {
  Provenance provenance = filter_.provenance();
  if (provenance.keys_inserted)
    for (const Stripe& stripe : *stripes_) *provenance.keys_inserted += stripe.keys.load(kRelaxed);
  return provenance;
}

template std::size_t Self::insert_batch(std::span<const ByteView>, Answers);
template std::size_t Self::insert_batch(std::span<const std::uint64_t>, Answers);
template std::size_t Self::insert_batch(std::span<const Hash128>, Answers);
template std::size_t Self::may_contain_batch(std::span<const ByteView>, Answers) const;
template std::size_t Self::may_contain_batch(std::span<const std::uint64_t>, Answers) const;
template std::size_t Self::may_contain_batch(std::span<const Hash128>, Answers) const;

}  // namespace bloomery
