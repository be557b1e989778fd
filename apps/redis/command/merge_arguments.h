// The words of BF.MERGE, and its sources, whatever their type.
#pragma once
#include <algorithm>

#include "apps/redis/server/filter_key.h"
#include "apps/redis/server/replies.h"
#include "bloomery/base/result.h"

namespace bloomery::redis_module {

inline constexpr std::size_t kFirstSource = 3;

struct MergeWords {
  std::size_t sources;
  bool force;
};
Result<MergeWords> parse_merge(const Call& call);

int reply_error(const Call& call, const Error& error);
// Above the rate it is designed for, a union is refused unless it was forced.
Status within_design(double rate, bool is_within, double designed);
// Sent with FORCE: what was decided here by a rate, a floating-point number, is not decided again.
void publish_merge(const Call& call, std::size_t sources);

bool is_loading_at(const Call& call, std::size_t at);  // the key that word names

// Values stay where they are while the command runs, so no key need be kept open. A source that is
// named twice counts once.
template <class FilterKeyType, class Value>
std::variant<std::vector<Value*>, Refusal> open_sources(const Call& call, std::size_t count) {
  std::vector<Value*> values;
  for (std::size_t at = kFirstSource; at < kFirstSource + count; ++at) {
    const FilterKeyType key{{call.context, call.words.subspan(at - 1)}, kRead};
    if (key.unreadable() != nullptr) return Refusal::kUnreadableSource;
    if (key.value() == nullptr)
      return is_loading_at(call, at) ? Refusal::kNativeStillLoading : key.why_none();
    if (std::ranges::find(values, key.value()) == values.end()) values.push_back(key.value());
  }
  return values;
}

}  // namespace bloomery::redis_module
