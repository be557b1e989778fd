#include "apps/redis/native/elsewhere.h"

#include "apps/redis/server/replies.h"

namespace bloomery::redis_module {

std::optional<int> refuse_elsewhere(const CommandCall& call, const LayeredFilter& filter,
                                    std::span<String* const> items) {
  if (!filter.plan().part) return std::nullopt;
  for (const String* item : items) {
    const ByteView bytes = bytes_of(text_of(item));
    const auto other = filter.elsewhere({&bytes, 1});
    if (!other) continue;
    const std::string text =
        "ERR an item belongs to part " + std::to_string(other->index) + " of " +
        std::to_string(other->parts) + " of the filter, and this key holds part " +
        std::to_string(filter.plan().part->part.index) + "; nothing is changed";
    return api.ReplyWithError(call.context, text.c_str());
  }
  return std::nullopt;
}

}  // namespace bloomery::redis_module
