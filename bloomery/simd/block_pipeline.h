// How a batch of keys flows through a kernel, for every instruction set alike: hash a group of
// eight, fetch its blocks, come back to them some groups later, and read the results later still.
// Included by each instruction set's file on its own, so nothing here may be compiled once and
// shared: it all lies in an unnamed namespace.
#pragma once
#include "bloomery/simd/block_lines.h"
#include "bloomery/simd/key_sources.h"
#include "bloomery/simd/prefetch.h"

namespace bloomery::simd {
namespace {

// kLines: all sectors of several blocks. A block by itself is then one of kAllSectors.
enum class Mode : std::uint8_t { kAllSectors, kSomeSectors, kSeeded, kLines };
enum class Act : std::uint8_t { kLookup, kInsert, kAdd };  // kAdd: an insert without answers

inline constexpr std::size_t kGroup = 8;
inline constexpr std::size_t kRingGroups = 16;
// Results are read this many groups after they were stored: read at once, the stores would stall.
inline constexpr std::size_t kFinishLag = 2;
static_assert(kFarthest + 1 + kFinishLag < kRingGroups);

inline std::size_t slot_of(std::size_t group) { return group % kRingGroups * kGroup; }

// Bit i of the mask becomes byte i. Seven bits fit one multiplication without carrying; the eighth
// goes by itself.
BLOOMERY_INLINE std::uint64_t spread_bits(std::uint8_t mask) {
  const std::uint64_t low_seven = (mask & 0x7fU) * 0x0002040810204081U & 0x0101010101010101U;
  return low_seven | std::uint64_t{mask} >> 7 << 56;
}

class Results {
 public:
  explicit Results(Answers answers) : answers_{answers} {}
  BLOOMERY_INLINE void put_group(std::size_t group, std::uint8_t mask) {
    count_ += static_cast<unsigned>(__builtin_popcount(mask));
    if (answers_.bytes != nullptr) {
      const std::uint64_t bytes = spread_bits(mask);
      __builtin_memcpy(answers_.bytes + group * kGroup, &bytes, sizeof bytes);
    }
    if (answers_.bits != nullptr) answers_.bits[group] = mask;
  }
  BLOOMERY_INLINE void put_one(std::size_t i, bool yes) {
    count_ += yes ? 1 : 0;
    if (answers_.bytes != nullptr) answers_.bytes[i] = yes ? 1 : 0;
    if (answers_.bits == nullptr) return;
    if (i % 8 == 0) answers_.bits[i / 8] = 0;
    answers_.bits[i / 8] |= static_cast<std::uint8_t>((yes ? 1U : 0U) << (i % 8));
  }
  std::size_t count() const { return count_; }

 private:
  Answers answers_;
  std::size_t count_ = 0;
};

// What instruction sets share that hash and place one key at a time.
template <class Isa, class Key>
struct AesSource {
  const Key* keys;
  std::uint64_t seed;
  Hash128 digest(std::size_t i) const { return Isa::one_aes(keys[i], seed); }
};
struct KeyByKey {
  struct alignas(64) Ring {
    std::uint64_t offset[kRingGroups * kGroup];
    Hash128 hashes[kRingGroups * kGroup];
    std::uint8_t result[kRingGroups * kGroup];
  };
  template <class Source>
  static constexpr bool hashes_in_groups() {
    return false;
  }
  static Hash128 one_hash(Hash128 hash) { return hash; }
  BLOOMERY_INLINE static Hash128 next_line(Hash128 line) { return simd::next_line(line); }
  template <class Source>
  BLOOMERY_INLINE static void digest(const Source& source, std::size_t i, Hash128& hash) {
    hash = source.digest(i);
  }
  static void block_numbers(const std::uint64_t* places, std::size_t count, std::uint64_t blocks,
                            std::uint64_t* numbers) noexcept {
    for (std::size_t i = 0; i < count; ++i) numbers[i] = block::block_of(places[i], blocks);
  }
  // The same keys in their next line: the slots before these have their line before.
  template <Act kAct>
  BLOOMERY_INLINE static void place_next(const BlockTarget& target, Ring& ring, std::size_t before,
                                         std::size_t slot) {
    for (std::size_t j = 0; j < kGroup; ++j)
      ring.hashes[slot + j] = simd::next_line(ring.hashes[before + j]);
    place<Mode::kLines, kAct>(target, nullptr, 0, ring, slot);
  }
  template <Mode kMode, Act kAct, class Source>
  BLOOMERY_INLINE static void place(const BlockTarget& target, const Source& /*source*/,
                                    std::size_t /*i*/, Ring& ring, std::size_t slot) {
    for (std::size_t j = slot; j < slot + kGroup; ++j)
      ring.offset[j] = block::block_of(ring.hashes[j].low, target.count) * block::kBlockBytes;
  }
};

// One key in its block, or in its blocks: all of them, without a branch, so that their cache misses
// overlap.
template <class Isa, Mode kMode, Act kAct, class Hash>
BLOOMERY_INLINE bool in_blocks(const BlockTarget& target, Hash hash) {
  if constexpr (kMode != Mode::kLines) return Isa::template one<kMode, kAct>(target, hash);
  const auto one = [&](Hash line) {
    return Isa::template one<Mode::kAllSectors, kAct>(target, line);
  };
  Hash line = Isa::next_line(hash);
  const bool first = one(hash);
  bool all = first;
  bool any = first;
  for (std::uint32_t left = block::lines_of(target.probes) - 1;; line = Isa::next_line(line)) {
    const bool yes = one(line);
    all &= yes;
    any |= yes;
    if (--left == 0) break;
  }
  return kAct == Act::kLookup ? all : any;
}

// One run over a batch. It holds copies of all it needs, apart from the ring, and lives in one
// function: the compiler then knows that a store into the ring changes none of them, and keeps them
// in registers. Read again after each store, they took a sixth of the time.
template <class Isa, Mode kMode, Act kAct, class Source>
class Pipeline {
 public:
  // `groups` counts each group of eight keys once.
  BLOOMERY_INLINE Pipeline(const BlockTarget& target, const Source& source, std::size_t groups,
                           Answers answers, typename Isa::Ring& ring)
      : target_{target},
        source_{source},
        lines_{block::lines_of(target.probes)},
        groups_{kMode == Mode::kLines ? groups * lines_.count() : groups},
        results_{answers},
        ring_{ring} {}

  // The filter is in a near cache: eight groups at a time, each step over all of them.
  BLOOMERY_INLINE void run_resident() {
    fetch_keys(0, kKeyBytesAhead);
    for (std::size_t first = 0; first < groups_; first += kGroup) {
      const std::size_t last = first + kGroup < groups_ ? first + kGroup : groups_;
      fetch_keys(first + kKeyBytesAhead, kGroup);
      for (std::size_t group = first; group < last; ++group) digest(group);
      for (std::size_t group = first; group < last; ++group) place(group);
      for (std::size_t group = first; group < last; ++group) act(group);
      for (std::size_t group = first; group < last; ++group) finish(group);
    }
  }

  // kNear: fetched in two steps.
  template <bool kNear>
  BLOOMERY_INLINE void run_fetching(PrefetchPlan plan) {
    const std::size_t far = plan.far;
    fetch_keys(0, far + 1 + kKeyBytesAhead);
    for (std::size_t group = 0; group < far + 1 && group < groups_; ++group) digest(group);
    for (std::size_t group = 0; group < far && group < groups_; ++group) fetch_far<kNear>(group);
    for (std::size_t group = 0; group < groups_; ++group) {
      fetch_keys(group + far + 1 + kKeyBytesAhead, 1);
      if (group + far + 1 < groups_) digest(group + far + 1);
      if (group + far < groups_) fetch_far<kNear>(group + far);
      if (kNear && group + plan.near < groups_) fetch<3>(group + plan.near);
      act(group);
      if (group >= kFinishLag) finish(group - kFinishLag);
    }
    for (std::size_t group = groups_ < kFinishLag ? 0 : groups_ - kFinishLag; group < groups_;
         ++group)
      finish(group);
  }

  // The keys after the last whole group, one by one.
  BLOOMERY_INLINE std::size_t run_rest(std::size_t first, std::size_t count) {
    for (std::size_t i = first; i < count; ++i) {
      Hash128 hash;
      Isa::digest(source_, i, hash);
      results_.put_one(i, in_blocks<Isa, kMode, kAct>(target_, Isa::one_hash(hash)));
    }
    return results_.count();
  }

 private:
  static constexpr Mode kInBlock = kMode == Mode::kLines ? Mode::kAllSectors : kMode;

  // Of a group of this loop: the group of keys, and which of their lines it is.
  BLOOMERY_INLINE std::size_t keys_of(std::size_t group) const {
    return kMode == Mode::kLines ? lines_.keys(group) : group;
  }
  BLOOMERY_INLINE bool is_first_line(std::size_t group) const {
    return kMode != Mode::kLines || lines_.line(group) == 0;
  }
  BLOOMERY_INLINE void fetch_keys(std::size_t first, std::size_t groups) {
    if constexpr (kKeysLieElsewhere<Source>) {
      const std::size_t last = first + groups < groups_ ? first + groups : groups_;
      for (std::size_t group = first; group < last; ++group) {
        if (!is_first_line(group)) continue;
        for (std::size_t i = 0; i < kGroup; ++i) prefetch_key(source_, keys_of(group) * kGroup + i);
      }
    }
  }
  // Where the instruction set hashes this kind of key eight at a time, place() does both.
  BLOOMERY_INLINE void digest(std::size_t group) {
    if constexpr (!Isa::template hashes_in_groups<Source>()) {
      if (!is_first_line(group)) return;
      const std::size_t slot = slot_of(group);
      const std::size_t first = keys_of(group) * kGroup;
      for (std::size_t i = 0; i < kGroup; ++i)
        Isa::digest(source_, first + i, ring_.hashes[slot + i]);
    }
  }
  BLOOMERY_INLINE void place(std::size_t group) {
    if (is_first_line(group))
      Isa::template place<kMode, kAct>(target_, source_, keys_of(group) * kGroup, ring_,
                                       slot_of(group));
    else
      Isa::template place_next<kAct>(target_, ring_, slot_of(group - 1), slot_of(group));
  }
  template <int kLocality>
  BLOOMERY_INLINE void fetch(std::size_t group) {
    const std::size_t slot = slot_of(group);
#pragma GCC unroll 8
    for (std::size_t i = 0; i < kGroup; ++i) {
      const std::uint64_t offset = ring_.offset[slot + i];
      // Only the first level is asked for writing: further out the line is not ours to keep yet.
      __builtin_prefetch(target_.blocks + offset, kAct != Act::kLookup && kLocality == 3,
                         kLocality);
      if constexpr (kMode == Mode::kSeeded)
        __builtin_prefetch(target_.seeds + offset / block::kBlockBytes, 0, kLocality);
    }
  }
  template <bool kNear>
  BLOOMERY_INLINE void fetch_far(std::size_t group) {
    place(group);
    fetch<kNear ? 2 : 3>(group);
  }
  BLOOMERY_INLINE void act(std::size_t group) {
    Isa::template act<kInBlock, kAct>(target_, ring_, slot_of(group));
  }
  // A key of several lines may be contained if every one of them has it.
  BLOOMERY_INLINE void finish(std::size_t group) {
    if constexpr (kAct == Act::kAdd) return;
    const std::uint8_t found = Isa::template finish<kInBlock, kAct>(ring_, slot_of(group));
    if constexpr (kMode == Mode::kLines) {
      const std::size_t line = lines_.line(group);
      in_all_ = line == 0 ? found : in_all_ & found;
      if (line + 1 == lines_.count()) results_.put_group(lines_.keys(group), in_all_);
    } else {
      results_.put_group(group, found);
    }
  }

  const BlockTarget target_;
  const Source source_;
  const LineGroups lines_;
  const std::size_t groups_;
  Results results_;
  std::uint8_t in_all_ = 0;  // of kLines: found in all lines so far
  typename Isa::Ring& ring_;
};

template <class Isa, Mode kMode, Act kAct, class Source>
std::size_t run_mode(const BlockTarget& target, const Source& source, std::size_t count,
                     Answers answers) {
  typename Isa::Ring ring;
  Pipeline<Isa, kMode, kAct, Source> pipeline{target, source, count / kGroup, answers, ring};
  const std::uint64_t bytes = target.count * block::kBlockBytes;
  const PrefetchPlan plan =
      kAct == Act::kLookup ? plan_in(kLookupPlans, bytes) : plan_in(kInsertPlans, bytes);
  if (plan.far == 0)
    pipeline.run_resident();
  else if (plan.near == 0)
    pipeline.template run_fetching<false>(plan);
  else
    pipeline.template run_fetching<true>(plan);
  return pipeline.run_rest(count / kGroup * kGroup, count);
}

template <class Isa, Act kAct, class Source>
std::size_t run(const BlockTarget& target, const Source& source, std::size_t count,
                Answers answers) {
  if (target.seeds != nullptr)
    return run_mode<Isa, Mode::kSeeded, kAct>(target, source, count, answers);
  if (target.probes == block::kMostProbes)
    return run_mode<Isa, Mode::kAllSectors, kAct>(target, source, count, answers);
  return run_mode<Isa, Mode::kSomeSectors, kAct>(target, source, count, answers);
}
// The lines of a key one after the other, as a batch of hashes: an insert that answers acts key by
// key, and one key's first line may hold another's second.
template <class Isa, class Source>
std::size_t insert_lines(const BlockTarget& target, const Source& source, std::size_t count,
                         Answers answers) {
  constexpr std::size_t kLineHashes = 512;
  Hash128 hashes[kLineHashes];
  std::uint8_t is_new[kLineHashes / 8];
  const std::uint32_t lines = block::lines_of(target.probes);
  Results results{answers};
  for (std::size_t key = 0; key < count;) {
    std::size_t filled = 0;
    const std::size_t first = key;
    for (; key < count && filled + lines <= kLineHashes; ++key) {
      Isa::digest(source, key, hashes[filled++]);
      for (std::uint32_t line = 1; line < lines; ++line, ++filled)
        hashes[filled] = next_line(hashes[filled - 1]);
    }
    run_mode<Isa, Mode::kAllSectors, Act::kInsert>(target, HashSource{hashes}, filled,
                                                   {nullptr, is_new});
    std::size_t bit = 0;
    for (std::size_t i = first; i < key; ++i) {
      std::uint32_t any = 0;
      for (std::uint32_t line = 0; line < lines; ++line, ++bit)
        any |= is_new[bit / 8] >> (bit % 8) & 1U;
      results.put_one(i, any != 0);
    }
  }
  return results.count();
}

template <class Isa, Act kAct, class Source>
std::size_t run_lines(const BlockTarget& target, const Source& source, std::size_t count,
                      Answers answers) {
  if constexpr (kAct == Act::kInsert)
    return insert_lines<Isa>(target, source, count, answers);
  else
    return run_mode<Isa, Mode::kLines, kAct>(target, source, count, answers);
}

// The layout of new filters has a loop of its own for adding; the others insert and count.
template <class Isa, Act kAct, class Source>
std::size_t run_any(const BlockTarget& target, const Source& source, std::size_t count,
                    Answers answers) {
  if (uses_lines(target)) return run_lines<Isa, kAct>(target, source, count, answers);
  if constexpr (kAct != Act::kAdd)
    return run<Isa, kAct>(target, source, count, answers);
  else if (target.seeds == nullptr && target.probes == block::kMostProbes)
    return run_mode<Isa, Mode::kAllSectors, Act::kAdd>(target, source, count, {});
  else
    return run<Isa, Act::kInsert>(target, source, count, {});
}

}  // namespace
}  // namespace bloomery::simd
