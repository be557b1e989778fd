#include "bloomery/formats/foreign_filter.h"

#include <cassert>

namespace bloomery {

Status within_limit(std::uint64_t filter_bytes, DecodeLimits limits) {
  if (filter_bytes <= limits.max_bytes) return ok();
  return Error{ErrorCode::kTooLarge, message("the filter needs ", filter_bytes,
                                             " bytes, and the limit is ", limits.max_bytes)};
}

Result<Goal> requested_goal(const SizingRequest& sizing, std::string_view format) {
  if (sizing.bits || sizing.probes || sizing.bits_per_key || sizing.blocks)
    return Error{
        ErrorCode::kInvalidArgument,
        message("a ", format, " filter is sized by its keys and rate, and by nothing else")};
  if (!sizing.keys || !sizing.rate)
    return Error{ErrorCode::kInvalidArgument,
                 message("a new ", format, " filter needs a number of keys and a rate")};
  return Goal{*sizing.keys, *sizing.rate};
}

void copy_swapped_words(ByteView from, ByteSpan to) {
  assert(from.size() == to.size() && from.size() % 8 == 0);
  for (std::size_t at = 0; at + 8 <= from.size(); at += 8)
    store_le(to.data() + at, load_be<std::uint64_t>(from.data() + at));
}

std::uint64_t end_of_ones(ByteView bits) {
  for (std::size_t end = bits.size(); end >= 8; end -= 8)
    if (const auto word = load_le<std::uint64_t>(bits.data() + end - 8); word != 0)
      return std::uint64_t{end} * 8 - static_cast<unsigned>(std::countl_zero(word));
  return 0;
}

}  // namespace bloomery
