// A row of the table of block kernels, made from an instruction set: the functions for batches and
// for one key, each with the hash that the filter asks for. Included as block_pipeline.h is, so
// nothing here may be compiled once and shared.
#pragma once
#include "bloomery/simd/block_pipeline.h"

namespace bloomery::simd {
namespace {

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
    case Profile::kXxh3_64:
      return use(Xxh3x64NumberSource{keys, hasher.seed()});
    case Profile::kSiphash:
      break;
  }
  return use(AnySource<std::uint64_t>{keys, hasher});
}

template <class Isa, class Use>
auto with_bytes_source(const Hasher& hasher, const ByteView* keys, Use use) {
  if (hasher.profile() == Profile::kXxh3) return use(Xxh3BytesSource{keys, hasher.seed()});
  if (hasher.profile() == Profile::kXxh3_64) return use(Xxh3x64BytesSource{keys, hasher.seed()});
  if (hasher.profile() == Profile::kAes)
    return use(typename Isa::AesBytesSource{keys, hasher.seed()});
  return use(AnySource<ByteView>{keys, hasher});
}

template <class Isa, class Source>
void hash_all(const Source& source, std::size_t count, Hash128* hashes) {
  constexpr std::size_t kAhead = kKeyBytesAhead * kGroup;
  if constexpr (kKeysLieElsewhere<Source>)
    for (std::size_t i = 0; i < kAhead && i < count; ++i) prefetch_key(source, i);
  for (std::size_t i = 0; i < count; ++i) {
    if constexpr (kKeysLieElsewhere<Source>)
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

// Hashes that gain nothing from the loop, because they are slow, their CPU is, or several lines
// need them: computed first, a few at a time.
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
    return in_blocks<Isa, kMode, kAct>(target, Isa::one_hash(key));
  else if constexpr (kProfile == Profile::kAes)
    return in_blocks<Isa, kMode, kAct>(target, Isa::one_aes(key, hasher.seed()));
  else if constexpr (kProfile == Profile::kMix && std::is_same_v<Key, std::uint64_t>)
    return in_blocks<Isa, kMode, kAct>(target, Isa::one_hash(mix_u64(key, hasher.seed())));
  else if constexpr (kProfile == Profile::kXxh3 && std::is_same_v<Key, std::uint64_t>)
    return in_blocks<Isa, kMode, kAct>(
        target, Isa::one_hash(inlined_xxh3(&key, sizeof key, hasher.seed())));
  else if constexpr (kProfile == Profile::kXxh3)
    return in_blocks<Isa, kMode, kAct>(
        target, Isa::one_hash(inlined_xxh3(key.data(), key.size(), hasher.seed())));
  else if constexpr (kProfile == Profile::kXxh3_64 && std::is_same_v<Key, std::uint64_t>)
    return in_blocks<Isa, kMode, kAct>(
        target, Isa::one_hash(inlined_xxh3_64(&key, sizeof key, hasher.seed())));
  else if constexpr (kProfile == Profile::kXxh3_64)
    return in_blocks<Isa, kMode, kAct>(
        target, Isa::one_hash(inlined_xxh3_64(key.data(), key.size(), hasher.seed())));
  else
    return in_blocks<Isa, kMode, kAct>(target, Isa::one_hash(hasher(key)));
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
    case Profile::kXxh3_64:
      return one_key_of<Isa, kMode, Profile::kXxh3_64, Key>();
    case Profile::kSiphash:
      break;
  }
  return one_key_of<Isa, kMode, Profile::kSiphash, Key>();
}

template <class Isa, class Key>
OneKey<Key> one_key(const BlockTarget& target) noexcept {
  const Profile profile = target.hasher.profile();
  if (target.seeds != nullptr) return one_key_for<Isa, Mode::kSeeded, Key>(profile);
  if (uses_lines(target)) return one_key_for<Isa, Mode::kLines, Key>(profile);
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
