// What the formats of foreign classic filters share: limits checked before memory is taken, words
// in the other byte order, and bits where a filter has none.
#pragma once
#include "bloomery/filter/classic/classic.h"
#include "bloomery/formats/options.h"

namespace bloomery {

// kTooLarge unless a filter of that many bytes may be made.
Status within_limit(std::uint64_t filter_bytes, DecodeLimits limits);

// Keys and rate, for a format that is sized by nothing else: kInvalidArgument if one is missing or
// something else is asked for. Whether the goal can be met is the sizing rule's to say.
Result<Goal> requested_goal(const SizingRequest& sizing, std::string_view format);

// Big-endian words to ours, or back. Precondition: equal sizes, in whole 8-byte words.
void copy_swapped_words(ByteView from, ByteSpan to);

// One more than the highest set bit; 0 if there is none. Precondition: whole 8-byte words.
std::uint64_t end_of_ones(ByteView bits);

// An empty filter of the shape, or why not: the shape is an error, or beyond the limit.
template <Dialect D>
Result<ClassicFilter<D>> empty_filter(const Result<Shape>& shape, std::optional<Goal> goal,
                                      DecodeLimits limits) {
  if (!shape) return shape.error();
  if (auto fits = within_limit(shape->bytes(), limits); !fits) return fits.error();
  ClassicFilter<D> filter{*shape};
  filter.set_provenance({.goal = goal});
  return filter;
}

}  // namespace bloomery
