// The arguments of BF.MERGE, and its sources, for filters of every type.
#pragma once
#include <algorithm>
#include <optional>

#include "apps/redis/server/filter_key.h"
#include "apps/redis/server/replies.h"
#include "bloomery/base/result.h"

namespace bloomery::redis_module {

inline constexpr std::size_t kFirstSource = 3;

// What argument 2 says, where at least as many arguments follow it; at least 1.
std::optional<std::size_t> counted_keys(const CommandCall& call);

struct MergeArguments {
  std::size_t sources;
  bool force;
};
Result<MergeArguments> parse_merge(const CommandCall& call);

int reply_error(const CommandCall& call, const Error& error);
// Above the rate it is designed for, a union is refused unless it was forced.
Status within_design(double rate, bool is_within, double designed);
// Sent with FORCE: what was decided here by a rate, a floating-point number, is not decided again.
void publish_merge(const CommandCall& call, std::size_t sources);

// True if the key that argument `at` names holds a filter that is being loaded.
using IsLoadingAt = bool (*)(const CommandCall& call, std::size_t at);

// Values stay where they are while the command runs, so no key need be kept open. A source that is
// named twice counts once.
template <class FilterKeyType, class Value>
std::variant<std::vector<Value*>, Refusal> open_sources(const CommandCall& call, std::size_t count,
                                                        IsLoadingAt is_loading) {
  std::vector<Value*> values;
  for (std::size_t at = kFirstSource; at < kFirstSource + count; ++at) {
    const FilterKeyType key{{call.context, call.words.subspan(at - 1)}, kRead};
    if (key.unreadable() != nullptr) return Refusal::kUnreadableSource;
    if (key.value() == nullptr)
      return is_loading(call, at) ? Refusal::kNativeStillLoading : key.refusal();
    if (std::ranges::find(values, key.value()) == values.end()) values.push_back(key.value());
  }
  return values;
}

}  // namespace bloomery::redis_module
