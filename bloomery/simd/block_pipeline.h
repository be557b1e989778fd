// How a batch of keys flows through a kernel, for every instruction set alike: hash a group of
// eight, fetch its blocks, come back to them some groups later, and read the results later still.
// Included by each instruction set's file on its own, so nothing here may be compiled once and
// shared: it all lies in an unnamed namespace.
#pragma once
#include "bloomery/simd/key_sources.h"
#include "bloomery/simd/prefetch.h"

namespace bloomery::simd {
namespace {

enum class Mode : std::uint8_t { kAllSectors, kSomeSectors, kSeeded };
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
  void put_one(std::size_t i, bool yes) {
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
  template <class Source>
  BLOOMERY_INLINE static void digest(const Source& source, std::size_t i, Hash128& hash) {
    hash = source.digest(i);
  }
  static void block_numbers(const std::uint64_t* places, std::size_t count, std::uint64_t blocks,
                            std::uint64_t* numbers) noexcept {
    for (std::size_t i = 0; i < count; ++i) numbers[i] = block::block_of(places[i], blocks);
  }
  template <Mode kMode, Act kAct, class Source>
  BLOOMERY_INLINE static void place(const BlockTarget& target, const Source& /*source*/,
                                    std::size_t /*i*/, Ring& ring, std::size_t slot) {
    for (std::size_t j = slot; j < slot + kGroup; ++j)
      ring.offset[j] = block::block_of(ring.hashes[j].low, target.count) * block::kBlockBytes;
  }
};

template <class Isa, Mode kMode, Act kAct, class Source>
class Pipeline {
 public:
  Pipeline(const BlockTarget& target, const Source& source, std::size_t groups)
      : target_{target}, source_{source}, groups_{groups} {}

  // The filter is in a near cache: eight groups at a time, each step over all of them.
  void run_resident(Results& results) {
    for (std::size_t first = 0; first < groups_; first += kGroup) {
      const std::size_t last = first + kGroup < groups_ ? first + kGroup : groups_;
      for (std::size_t group = first; group < last; ++group) digest(group);
      for (std::size_t group = first; group < last; ++group) place(group);
      for (std::size_t group = first; group < last; ++group) act(group);
      for (std::size_t group = first; group < last; ++group) finish(group, results);
    }
  }

  void run_fetching(PrefetchPlan plan, Results& results) {
    const std::size_t far = plan.far;
    for (std::size_t group = 0; group < far + 1 && group < groups_; ++group) digest(group);
    for (std::size_t group = 0; group < far && group < groups_; ++group) fetch_far(group, plan);
    for (std::size_t group = 0; group < groups_; ++group) {
      if (group + far + kKeyBytesAhead < groups_) fetch_keys(group + far + kKeyBytesAhead);
      if (group + far + 1 < groups_) digest(group + far + 1);
      if (group + far < groups_) fetch_far(group + far, plan);
      if (plan.near != 0 && group + plan.near < groups_) fetch<3>(group + plan.near);
      act(group);
      if (group >= kFinishLag) finish(group - kFinishLag, results);
    }
    for (std::size_t group = groups_ < kFinishLag ? 0 : groups_ - kFinishLag; group < groups_;
         ++group)
      finish(group, results);
  }

 private:
  BLOOMERY_INLINE void fetch_keys(std::size_t group) {
    for (std::size_t i = 0; i < kGroup; ++i) prefetch_key(source_, group * kGroup + i);
  }
  // Where the instruction set hashes this kind of key eight at a time, place() does both.
  BLOOMERY_INLINE void digest(std::size_t group) {
    if constexpr (!Isa::template hashes_in_groups<Source>()) {
      const std::size_t slot = slot_of(group);
      for (std::size_t i = 0; i < kGroup; ++i)
        Isa::digest(source_, group * kGroup + i, ring_.hashes[slot + i]);
    }
  }
  BLOOMERY_INLINE void place(std::size_t group) {
    Isa::template place<kMode, kAct>(target_, source_, group * kGroup, ring_, slot_of(group));
  }
  template <int kLocality>
  BLOOMERY_INLINE void fetch(std::size_t group) {
    const std::size_t slot = slot_of(group);
    for (std::size_t i = 0; i < kGroup; ++i) {
      const std::uint64_t offset = ring_.offset[slot + i];
      // Only the first level is asked for writing: further out the line is not ours to keep yet.
      __builtin_prefetch(target_.blocks + offset, kAct != Act::kLookup && kLocality == 3,
                         kLocality);
      if constexpr (kMode == Mode::kSeeded)
        __builtin_prefetch(target_.seeds + offset / block::kBlockBytes, 0, kLocality);
    }
  }
  BLOOMERY_INLINE void fetch_far(std::size_t group, PrefetchPlan plan) {
    place(group);
    if (plan.near != 0)
      fetch<2>(group);
    else
      fetch<3>(group);
  }
  BLOOMERY_INLINE void act(std::size_t group) {
    Isa::template act<kMode, kAct>(target_, ring_, slot_of(group));
  }
  BLOOMERY_INLINE void finish(std::size_t group, Results& results) {
    if constexpr (kAct != Act::kAdd)
      results.put_group(group, Isa::template finish<kMode, kAct>(ring_, slot_of(group)));
  }

  const BlockTarget& target_;
  const Source& source_;
  std::size_t groups_;
  typename Isa::Ring ring_;
};

template <class Isa, Mode kMode, Act kAct, class Source>
std::size_t run_mode(const BlockTarget& target, const Source& source, std::size_t count,
                     Answers answers) {
  Results results{answers};
  Pipeline<Isa, kMode, kAct, Source> pipeline{target, source, count / kGroup};
  const PrefetchPlan plan = plan_for(target.count * block::kBlockBytes);
  if (plan.far == 0)
    pipeline.run_resident(results);
  else
    pipeline.run_fetching(plan, results);
  for (std::size_t i = count / kGroup * kGroup; i < count; ++i) {
    Hash128 hash;
    Isa::digest(source, i, hash);
    results.put_one(i, Isa::template one<kMode, kAct>(target, Isa::one_hash(hash)));
  }
  return results.count();
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
// The layout of new filters has a loop of its own for adding; the others insert and count.
template <class Isa, Act kAct, class Source>
std::size_t run_any(const BlockTarget& target, const Source& source, std::size_t count,
                    Answers answers) {
  if constexpr (kAct != Act::kAdd)
    return run<Isa, kAct>(target, source, count, answers);
  else if (target.seeds == nullptr && target.probes == block::kMostProbes)
    return run_mode<Isa, Mode::kAllSectors, Act::kAdd>(target, source, count, {});
  else
    return run<Isa, Act::kInsert>(target, source, count, {});
}

// The table's functions: each picks the source that the hasher asks for.
template <class Isa, Act kAct>
std::size_t batch_of_hashes(const BlockTarget& target, const Hash128* keys, std::size_t count,
                            Answers answers) noexcept {
  return run_any<Isa, kAct>(target, HashSource{keys}, count, answers);
}

template <class Isa, class Use>
auto with_number_source(const Hasher& hasher, const std::uint64_t* keys, Use use) {
  switch (hasher.profile()) {
    case Profile::kMix:
      return use(MixSource{keys, hasher.seed()});
    case Profile::kAes:
      return use(typename Isa::AesNumberSource{keys, hasher.seed()});
    case Profile::kXxh3:
      return use(Xxh3NumberSource{keys, hasher.seed()});
    case Profile::kSiphash:
      break;
  }
  return use(AnySource<std::uint64_t>{keys, hasher});
}

template <class Isa, class Use>
auto with_bytes_source(const Hasher& hasher, const ByteView* keys, Use use) {
  if (hasher.profile() == Profile::kXxh3) return use(Xxh3BytesSource{keys, hasher.seed()});
  if (hasher.profile() == Profile::kAes)
    return use(typename Isa::AesBytesSource{keys, hasher.seed()});
  return use(AnySource<ByteView>{keys, hasher});
}

template <class Isa, class Source>
void hash_all(const Source& source, std::size_t count, Hash128* hashes) {
  constexpr std::size_t kAhead = kKeyBytesAhead * kGroup;
  for (std::size_t i = 0; i < count; ++i) {
    if (i + kAhead < count) prefetch_key(source, i + kAhead);
    Isa::digest(source, i, hashes[i]);
  }
}

template <class Isa>
void hash_numbers(const Hasher& hasher, const std::uint64_t* keys, std::size_t count,
                  Hash128* hashes) noexcept {
  with_number_source<Isa>(hasher, keys,
                          [&](const auto& source) { hash_all<Isa>(source, count, hashes); });
}

template <class Isa>
void hash_bytes(const Hasher& hasher, const ByteView* keys, std::size_t count,
                Hash128* hashes) noexcept {
  with_bytes_source<Isa>(hasher, keys,
                         [&](const auto& source) { hash_all<Isa>(source, count, hashes); });
}

// Hashes that gain nothing from the loop, because they are slow or their CPU is: computed first, a
// few at a time.
template <class Isa, Act kAct, class Key>
std::size_t hash_then_act(const BlockTarget& target, const Key* keys, std::size_t count,
                          Answers answers) {
  constexpr std::size_t kPiece = 256;
  Hash128 hashes[kPiece];
  std::size_t sum = 0;
  for (std::size_t at = 0; at < count; at += kPiece) {
    const std::size_t piece = count - at < kPiece ? count - at : kPiece;
    if constexpr (std::is_same_v<Key, ByteView>)
      hash_bytes<Isa>(target.hasher, keys + at, piece, hashes);
    else
      hash_numbers<Isa>(target.hasher, keys + at, piece, hashes);
    sum += run_any<Isa, kAct>(target, HashSource{hashes}, piece, answers.from(at));
  }
  return sum;
}

template <class Isa, Act kAct>
std::size_t batch_of_numbers(const BlockTarget& target, const std::uint64_t* keys,
                             std::size_t count, Answers answers) noexcept {
  return with_number_source<Isa>(target.hasher, keys, [&](const auto& source) {
    if constexpr (Isa::template hashes_in_loop<decltype(source)>())
      return run_any<Isa, kAct>(target, source, count, answers);
    else
      return hash_then_act<Isa, kAct>(target, keys, count, answers);
  });
}

template <class Isa, Act kAct>
std::size_t batch_of_bytes(const BlockTarget& target, const ByteView* keys, std::size_t count,
                           Answers answers) noexcept {
  return with_bytes_source<Isa>(target.hasher, keys, [&](const auto& source) {
    if constexpr (Isa::template hashes_in_loop<decltype(source)>())
      return run_any<Isa, kAct>(target, source, count, answers);
    else
      return hash_then_act<Isa, kAct>(target, keys, count, answers);
  });
}

// One key at a time: the same choices, made once per filter. Each function knows its profile and
// mode, so that it is short enough to be worth calling.
template <class Isa, Mode kMode, Act kAct, Profile kProfile, class Key>
bool act_on_one(const BlockTarget& target, Key key) noexcept {
  const Hasher& hasher = target.hasher;
  if constexpr (std::is_same_v<Key, Hash128>)
    return Isa::template one<kMode, kAct>(target, Isa::one_hash(key));
  else if constexpr (kProfile == Profile::kAes)
    return Isa::template one<kMode, kAct>(target, Isa::one_aes(key, hasher.seed()));
  else if constexpr (kProfile == Profile::kMix && std::is_same_v<Key, std::uint64_t>)
    return Isa::template one<kMode, kAct>(target, Isa::one_hash(mix_u64(key, hasher.seed())));
  else if constexpr (kProfile == Profile::kXxh3 && std::is_same_v<Key, std::uint64_t>)
    return Isa::template one<kMode, kAct>(
        target, Isa::one_hash(inlined_xxh3(&key, sizeof key, hasher.seed())));
  else if constexpr (kProfile == Profile::kXxh3)
    return Isa::template one<kMode, kAct>(
        target, Isa::one_hash(inlined_xxh3(key.data(), key.size(), hasher.seed())));
  else
    return Isa::template one<kMode, kAct>(target, Isa::one_hash(hasher(key)));
}

template <class Isa, Mode kMode, Profile kProfile, class Key>
constexpr OneKey<Key> one_key_of() {
  return {act_on_one<Isa, kMode, Act::kInsert, kProfile, Key>,
          act_on_one<Isa, kMode, Act::kLookup, kProfile, Key>};
}

template <class Isa, Mode kMode, class Key>
OneKey<Key> one_key_for(Profile profile) noexcept {
  switch (profile) {
    case Profile::kXxh3:
      return one_key_of<Isa, kMode, Profile::kXxh3, Key>();
    case Profile::kAes:
      return one_key_of<Isa, kMode, Profile::kAes, Key>();
    case Profile::kMix:
      return one_key_of<Isa, kMode, Profile::kMix, Key>();
    case Profile::kSiphash:
      break;
  }
  return one_key_of<Isa, kMode, Profile::kSiphash, Key>();
}

template <class Isa, class Key>
OneKey<Key> one_key(const BlockTarget& target) noexcept {
  const Profile profile = target.hasher.profile();
  if (target.seeds != nullptr) return one_key_for<Isa, Mode::kSeeded, Key>(profile);
  if (target.probes == block::kMostProbes) return one_key_for<Isa, Mode::kAllSectors, Key>(profile);
  return one_key_for<Isa, Mode::kSomeSectors, Key>(profile);
}

template <class Isa>
constexpr BlockKernels kernels_of(std::string_view name) {
  return {name,
          {one_key<Isa, Hash128>, batch_of_hashes<Isa, Act::kInsert>,
           batch_of_hashes<Isa, Act::kAdd>, batch_of_hashes<Isa, Act::kLookup>},
          {one_key<Isa, std::uint64_t>, batch_of_numbers<Isa, Act::kInsert>,
           batch_of_numbers<Isa, Act::kAdd>, batch_of_numbers<Isa, Act::kLookup>},
          {one_key<Isa, ByteView>, batch_of_bytes<Isa, Act::kInsert>,
           batch_of_bytes<Isa, Act::kAdd>, batch_of_bytes<Isa, Act::kLookup>},
          hash_numbers<Isa>,
          hash_bytes<Isa>,
          Isa::block_numbers,
          Isa::best_windows};
}

}  // namespace
}  // namespace bloomery::simd
