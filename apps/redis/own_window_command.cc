#include <new>

#include "apps/redis/bloom_key.h"
#include "apps/redis/config.h"
#include "apps/redis/names.h"
#include "apps/redis/numbers.h"
#include "apps/redis/own_commands.h"
#include "apps/redis/own_window.h"
#include "apps/redis/primary.h"
#include "apps/redis/replies.h"

namespace bloomery::redis_module {
namespace {

// Nothing: there is no memory for the next slice.
std::optional<bool> rotate(const Call& call, OwnKey& key, std::int64_t time) {
  OwnFilter& filter = *key.value()->filter().filter();
  filter.set_limits(limits_in(call.context));
  try {
    const std::string command = command_name("BF.ROTATE");
    const auto rotated = filter.rotate(time);
    if (!rotated) return std::nullopt;
    if (!*rotated) return false;
    key.value()->account(false);
    api.Replicate(call.context, command.c_str(), "sl", call.key_name(),
                  static_cast<long long>(time));
  } catch (const std::bad_alloc&) {
    return std::nullopt;
  }
  announce(call, "bloom.rotate");
  return true;
}

}  // namespace

bool rotate_if_due(const Call& call, OwnKey& key) {
  const OwnFilter& filter = *key.value()->filter().filter();
  if (!filter.plan().window || !decides(call.context)) return true;
  const auto due = filter.rotation_due(now_milliseconds());
  return !due || rotate(call, key, *due).has_value();
}

std::int64_t time_for(const OwnFilter& filter) {
  return filter.plan().window ? now_milliseconds() : 0;
}

int bf_rotate(const Call& call) {
  const BloomKey key{call, kRead};
  return reply_refusal(call, key.value() != nullptr ? Refusal::kOwnNoWindow : key.why_none());
}

// Without a time: what the clock says is due, which frees slices that nobody writes after.
int own_rotate(const Call& call, OwnKey& key) {
  const OwnFilter& filter = *key.value()->filter().filter();
  if (!filter.plan().window) return reply_refusal(call, Refusal::kOwnNoWindow);
  std::optional<std::int64_t> time = filter.rotation_due(now_milliseconds());
  if (call.words.size() == 3) {
    time = parse_integer(call.text(2));
    if (!time || *time < 0 || *time > OwnWindow::kLatest)
      return reply_refusal(call, Refusal::kOwnBadTime);
  }
  if (!time) return reply_bool(call, false);
  const auto rotated = rotate(call, key, *time);
  if (!rotated) return reply_refusal(call, Refusal::kNotInserted);
  return reply_bool(call, *rotated);
}

}  // namespace bloomery::redis_module
