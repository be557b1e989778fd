#include "apps/ethlog/model/block_range.h"

#include <algorithm>

#include "bloomery/base/message.h"

namespace bloomery::ethlog {

std::string text_of_ranges(std::span<const BlockRange> ranges) {
  constexpr std::size_t kMostNamed = 5;
  const bool one = ranges.size() == 1 && ranges.front().first == ranges.front().last;
  std::string text = one ? "block " : "blocks ";
  const std::size_t named = std::min(ranges.size(), kMostNamed);
  for (std::size_t i = 0; i < named; ++i) {
    if (i > 0) text += i + 1 == ranges.size() ? " and " : ", ";
    text += std::to_string(ranges[i].first);
    if (ranges[i].last > ranges[i].first) text += message(" to ", ranges[i].last);
  }
  if (named < ranges.size()) text += message(" and ", ranges.size() - named, " more ranges");
  return text;
}

std::vector<BlockRange> merged_ranges(std::vector<BlockRange> ranges) {
  std::ranges::sort(ranges, {}, &BlockRange::first);
  std::vector<BlockRange> out;
  for (const BlockRange& range : ranges) {
    const bool touches =
        !out.empty() && (out.back().last >= range.first || out.back().last + 1 == range.first);
    if (touches)
      out.back().last = std::max(out.back().last, range.last);
    else
      out.push_back(range);
  }
  return out;
}

}  // namespace bloomery::ethlog
