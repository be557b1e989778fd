// What every filter must obey, as functions that report violations instead of failing: the property
// tests demand that there are none, and the tests of broken filters demand that there are some.
// `Make` makes an empty filter: make(scale) has scale times the bits of make(1).
#pragma once
#include <algorithm>
#include <concepts>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/base/bytes.h"

namespace bloomery::testing {

using Violations = std::vector<std::string>;
using KeyList = std::span<const ByteView>;

// 12 divides by 2, 3, 4 and 6; at 4000 the filters of the tests exceed the 256 KiB from which
// batches fetch ahead.
inline constexpr std::uint64_t kMiddleScale = 12;
inline constexpr std::uint64_t kLargeScale = 4000;

// The bytes of a filter, all layers of it.
template <class F>
std::vector<std::byte> bytes_in(const F& filter) {
  std::vector<std::byte> all;
  const auto append = [&all](ByteView more) { all.insert(all.end(), more.begin(), more.end()); };
  if constexpr (requires { filter.layers(); }) {
    for (const auto& layer : filter.layers()) append(layer.filter.bytes());
  } else {
    append(filter.bytes());
  }
  return all;
}
// The bits of a filter: of counters, which are not zero.
template <class F>
std::vector<std::byte> bits_in(const F& filter) {
  if constexpr (requires { filter.to_classic(); }) return bytes_in(filter.to_classic());
  return bytes_in(filter);
}
// Whether no bit was lost; a filter of layers may have got more of them.
inline bool covers(ByteView after, ByteView before) {
  return after.size() >= before.size() &&
         std::ranges::equal(after.first(before.size()), before,
                            [](std::byte a, std::byte b) { return (b & ~a) == std::byte{0}; });
}
// A key that finds no room counts as not new.
template <class F>
bool insert_one(F& filter, ByteView key) {
  const auto added = filter.insert(key);
  if constexpr (std::same_as<decltype(added), const bool>)
    return added;
  else
    return added && *added;
}
template <class F>
void insert_all(F& filter, KeyList keys) {
  for (const ByteView key : keys) insert_one(filter, key);
}
inline std::size_t added_by(std::size_t added) { return added; }
template <class R>
std::size_t added_by(const R& added) {
  return added ? *added : 0;
}

// Appends one sentence unless it is true.
inline void demand(Violations& violations, bool truth, std::string_view property, auto... what) {
  if (truth) return;
  std::ostringstream sentence;
  sentence << property;
  ((sentence << ' ' << what), ...);
  violations.push_back(sentence.str());
}

// Against a set: what is in is never denied. In a filter that is nearly empty too, for a full one
// denies nothing.
template <class Make>
Violations check_no_false_negatives(const Make& make, KeyList keys) {
  Violations violations;
  for (const std::uint64_t scale : {std::uint64_t{1}, kMiddleScale}) {
    auto filter = make(scale);
    std::set<std::string_view> model;
    for (const ByteView key : keys) {
      insert_one(filter, key);
      model.insert(text_of(key));
    }
    std::size_t denied = 0;
    for (const auto key : model) denied += filter.may_contain(bytes_of(key)) ? 0 : 1;
    demand(violations, denied == 0, "a key that is in is denied:", denied, "of", model.size());
  }
  return violations;
}

// Insertion only sets bits, and says "new" exactly when it set one; a key was then absent before.
template <class Make>
Violations check_insertion(const Make& make, KeyList keys) {
  Violations violations;
  auto filter = make(1);
  auto before = bits_in(filter);
  std::size_t lost = 0;
  std::size_t misreported = 0;
  std::size_t misanswered = 0;
  for (const ByteView key : keys) {
    const bool was_in = filter.may_contain(key);
    const bool is_new = insert_one(filter, key);
    auto after = bits_in(filter);
    lost += covers(after, before) ? 0 : 1;
    misreported += is_new == (before != after) ? 0 : 1;
    misanswered += is_new == !was_in ? 0 : 1;
    before = std::move(after);
  }
  demand(violations, lost == 0, "an insertion cleared a bit:", lost);
  demand(violations, misreported == 0, "insert misreports whether the bits changed:", misreported);
  demand(violations, misanswered == 0,
         "a key is new though it may be contained, or not new though "
         "it was absent:",
         misanswered);
  return violations;
}

template <class Make>
Violations check_merge(const Make& make, KeyList first, KeyList second) {
  Violations violations;
  auto one = make(kMiddleScale);
  auto other = make(kMiddleScale);
  auto both = make(kMiddleScale);
  insert_all(one, first);
  insert_all(other, second);
  insert_all(both, first);
  insert_all(both, second);
  demand(violations, bool{one.merge(other)}, "filters of one shape do not merge");
  demand(violations, bytes_in(one) == bytes_in(both), "merge differs from inserting both");
  return violations;
}

template <class Make>
Violations check_intersect(const Make& make, KeyList common, KeyList first, KeyList second) {
  Violations violations;
  auto one = make(kMiddleScale);
  auto other = make(kMiddleScale);
  insert_all(one, common);
  insert_all(one, first);
  insert_all(other, common);
  insert_all(other, second);
  const auto before = bytes_in(one);
  demand(violations, bool{one.intersect(other)}, "filters of one shape do not intersect");
  const bool kept = std::ranges::all_of(common, [&](ByteView key) { return one.may_contain(key); });
  demand(violations, kept, "intersect loses a key that both held");
  demand(violations, covers(before, bytes_in(one)) && covers(bytes_in(other), bytes_in(one)),
         "intersect sets a bit that not both had");
  return violations;
}

template <class Make>
Violations check_fold(const Make& make, KeyList keys) {
  Violations violations;
  auto large = make(kMiddleScale);
  if (make(1).size_bits() == large.size_bits()) {
    demand(violations, !large.fold(2), "a filter of a protocol's only size folds");
    return violations;
  }
  insert_all(large, keys);
  for (const std::uint64_t factor : {1, 2, 3, 4, 6, 12}) {
    auto small = make(kMiddleScale / factor);
    insert_all(small, keys);
    const auto folded = large.fold(factor);
    demand(violations, bool{folded}, "a filter does not fold by", factor);
    if (folded)
      demand(violations, bytes_in(*folded) == bytes_in(small),
             "a fold differs from the smaller filter, by", factor);
  }
  return violations;
}

template <class Make>
Violations check_subset(const Make& make, KeyList keys, KeyList more) {
  Violations violations;
  auto part = make(kMiddleScale);
  auto whole = make(kMiddleScale);
  insert_all(part, keys);
  insert_all(whole, keys);
  insert_all(whole, more);
  const auto inside = part.is_subset_of(whole);
  const auto back = whole.is_subset_of(part);
  const auto empty = make(kMiddleScale).is_subset_of(part);
  demand(violations, inside && *inside, "a filter of fewer keys is no subset");
  demand(violations, back && *back == (bytes_in(part) == bytes_in(whole)),
         "a filter with more bits is a subset, or an equal one is none");
  demand(violations, empty && *empty, "the empty filter is no subset");
  return violations;
}

// Inserts the first half of the keys twice, so that some of a batch are new and some are not.
template <class Make>
Violations check_batch(const Make& make, KeyList keys, std::uint64_t scale) {
  Violations violations;
  auto single = make(scale);
  auto batched = make(scale);
  const KeyList half = keys.first(keys.size() / 2);
  for (const KeyList batch : {half, keys}) {
    std::vector<std::uint8_t> expected;
    for (const ByteView key : batch) expected.push_back(insert_one(single, key) ? 1 : 0);
    std::vector<std::uint8_t> is_new(batch.size(), 2);
    const std::size_t added = added_by(batched.insert_batch(batch, is_new));
    demand(violations, is_new == expected,
           "a batch inserts otherwise than one key at a time:", batch.size(), "keys, scale", scale);
    demand(violations, added == static_cast<std::size_t>(std::ranges::count(expected, 1)),
           "a batch miscounts its new keys:", batch.size());
    // Asked when half of the keys are in, so that the answers differ from key to key.
    std::vector<std::uint8_t> answers(keys.size(), 2);
    batched.may_contain_batch(keys, answers);
    std::vector<std::uint8_t> asked;
    for (const ByteView key : keys) asked.push_back(single.may_contain(key) ? 1 : 0);
    demand(violations, answers == asked,
           "a batch answers otherwise than one key at a time:", keys.size(), "keys, scale", scale);
  }
  demand(violations, bytes_in(single) == bytes_in(batched),
         "a batch sets other bits:", keys.size());
  return violations;
}

// A counting filter: what was inserted and removed leaves no trace, whatever the order, unless a
// counter stuck.
template <class Make>
Violations check_removal(const Make& make, KeyList stay, KeyList go) {
  Violations violations;
  auto filter = make(kMiddleScale);
  insert_all(filter, stay);
  const auto before = bytes_in(filter);
  insert_all(filter, go);
  if (filter.stuck_counters() > 0) return violations;
  std::size_t refused = 0;
  for (const ByteView key : go) refused += filter.remove(key) ? 0 : 1;
  demand(violations, refused == 0, "a key that is in is not removed:", refused);
  demand(violations, bytes_in(filter) == before, "insert then remove leaves a trace");
  return violations;
}

}  // namespace bloomery::testing
