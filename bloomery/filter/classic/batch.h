// Batches of the classic filter. A filter larger than the cache waits for memory at every probe; a
// group of keys waits once. Included by classic_view.h.
#pragma once
#include <algorithm>
#include <array>

#include "bloomery/filter/classic/view.h"

namespace bloomery {

template <Dialect D, class Byte>
std::size_t ClassicView<D, Byte>::insert_batch(std::span<const ByteView> keys) const
    requires(!std::is_const_v<Byte>) {
  std::array<std::uint8_t, kGroup> is_new;
  std::size_t added = 0;
  for (std::size_t at = 0; at < keys.size(); at += kGroup) {
    const auto group = keys.subspan(at, std::min(kGroup, keys.size() - at));
    added += insert_batch(group, std::span{is_new}.first(group.size()));
  }
  return added;
}

template <Dialect D, class Byte>
std::size_t ClassicView<D, Byte>::insert_batch(std::span<const ByteView> keys,
                                               std::span<std::uint8_t> is_new) const
    requires(!std::is_const_v<Byte>) {
  assert(is_new.size() == keys.size());
  if (!batches_pay()) {
    for (std::size_t i = 0; i < keys.size(); ++i) is_new[i] = insert(keys[i]) ? 1 : 0;
  } else {
    for (std::size_t at = 0; at < keys.size(); at += kGroup)
      insert_group(keys.subspan(at, std::min(kGroup, keys.size() - at)), is_new.data() + at);
  }
  return static_cast<std::size_t>(std::count(is_new.begin(), is_new.end(), std::uint8_t{1}));
}

template <Dialect D, class Byte>
void ClassicView<D, Byte>::insert_group(std::span<const ByteView> keys,
                                        std::uint8_t* is_new) const {
  std::array<std::array<std::uint64_t, kMaxStoredProbes>, kGroup> positions;
  for (std::size_t key = 0; key < keys.size(); ++key) {
    Probes<D> probes{dialect_, dialect_.digest(keys[key]), modulus_};
    for (std::uint32_t i = 0; i < shape_.probes; ++i) {
      positions[key][i] = probes.next();
      __builtin_prefetch(&bits_[positions[key][i] / 8], 1);
    }
  }
  for (std::size_t key = 0; key < keys.size(); ++key) {
    bool changed = false;
    for (std::uint32_t i = 0; i < shape_.probes; ++i) changed |= set(positions[key][i]);
    is_new[key] = changed ? 1 : 0;
  }
}

template <Dialect D, class Byte>
void ClassicView<D, Byte>::may_contain_batch(std::span<const ByteView> keys,
                                             std::span<std::uint8_t> answers) const {
  assert(answers.size() == keys.size());
  if (!batches_pay()) {
    for (std::size_t i = 0; i < keys.size(); ++i) answers[i] = may_contain(keys[i]) ? 1 : 0;
    return;
  }
  for (std::size_t at = 0; at < keys.size(); at += kGroup)
    may_contain_group(keys.subspan(at, std::min(kGroup, keys.size() - at)), answers.data() + at);
}

// Three passes: fetch the first probes of all keys; test them and fetch the rest for the keys that
// are still in; test the rest. An absent key thus costs the memory of about two probes, not of all.
template <Dialect D, class Byte>
void ClassicView<D, Byte>::may_contain_group(std::span<const ByteView> keys,
                                             std::uint8_t* answers) const {
  std::array<std::array<std::uint64_t, kMaxStoredProbes>, kGroup> positions;
  for (std::size_t key = 0; key < keys.size(); ++key) {
    Probes<D> probes{dialect_, dialect_.digest(keys[key]), modulus_};
    for (std::uint32_t i = 0; i < shape_.probes; ++i) positions[key][i] = probes.next();
    for (std::uint32_t i = 0; i < kFirstProbes; ++i)
      __builtin_prefetch(&bits_[positions[key][i] / 8]);
  }
  std::array<std::uint8_t, kGroup> still_in;
  std::size_t survivors = 0;
  for (std::size_t key = 0; key < keys.size(); ++key) {  // no branch: it would be a coin toss
    const unsigned in = unsigned{test(positions[key][0])} & unsigned{test(positions[key][1])};
    answers[key] = static_cast<std::uint8_t>(in);
    still_in[survivors] = static_cast<std::uint8_t>(key);
    survivors += in;
  }
  for (std::size_t s = 0; s < survivors; ++s)
    for (std::uint32_t i = kFirstProbes; i < shape_.probes; ++i)
      __builtin_prefetch(&bits_[positions[still_in[s]][i] / 8]);
  for (std::size_t s = 0; s < survivors; ++s) {
    const auto& of_key = positions[still_in[s]];
    bool in = true;
    for (std::uint32_t i = kFirstProbes; in && i < shape_.probes; ++i) in = test(of_key[i]);
    answers[still_in[s]] = in ? 1 : 0;
  }
}

}  // namespace bloomery
