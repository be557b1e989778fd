#include <new>

#include "apps/redis/bloom/key.h"
#include "apps/redis/native/commands.h"
#include "apps/redis/native/window.h"
#include "apps/redis/server/config.h"
#include "apps/redis/server/names.h"
#include "apps/redis/server/numbers.h"
#include "apps/redis/server/replication_role.h"
#include "apps/redis/server/replies.h"

namespace bloomery::redis_module {
namespace {

// Words after the time, which a primary sends and no client may.
constexpr const char* kShift = "SHIFT";  // the newest slice begins at the time, all move with it
constexpr const char* kEarly = "EARLY";  // a client's wish: the primary's clock has not come to it

void send(const CommandCall& call, std::int64_t time, const char* word) {
  const std::string& command = replicated_command("BF.ROTATE");
  if (word == nullptr)
    api.Replicate(call.context, command.c_str(), "sl", call.key_name(),
                  static_cast<long long>(time));
  else
    api.Replicate(call.context, command.c_str(), "slc", call.key_name(),
                  static_cast<long long>(time), word);
  notify_change(call, "bloom.rotate");
}

// Nothing: there is no memory for the next slice.
std::optional<bool> rotate(const CommandCall& call, NativeKey& key, std::int64_t time,
                           const char* word) {
  LayeredFilter& filter = *key.value()->filter().filter();
  filter.set_limits(limits_in(call.context));
  try {
    const auto rotated = filter.rotate(time);
    if (!rotated) return std::nullopt;
    if (!*rotated) return false;
    key.value()->account(Change::kSome);
    send(call, time, word);
  } catch (const std::bad_alloc&) {
    return std::nullopt;
  }
  return true;
}

void shift(const CommandCall& call, LayeredFilter& filter, std::int64_t newest_start) {
  filter.shift_to(newest_start);
  send(call, newest_start, kShift);
}

// As the primary says, or this server's own file.
int rotate_as_replicated(const CommandCall& call, NativeKey& key, std::int64_t time) {
  LayeredFilter& filter = *key.value()->filter().filter();
  const bool live = (api.GetContextFlags(call.context) & kFlagLoading) == 0;
  if (call.words.size() == 4 && same_word(call.text(3), kShift)) {
    const std::int64_t by = time - filter.slices().back().start;
    shift(call, filter, time);
    if (live) filter.set_clock_ahead(filter.clock_ahead() + by);
    return reply_bool(call, true);
  }
  const bool early = call.words.size() == 4;
  const auto rotated = rotate(call, key, time, early ? kEarly : nullptr);
  if (!rotated) return reply_refusal(call, Refusal::kNotInserted);
  if (*rotated && live && !early) follow_rotation(filter, time, read_clocks());
  return reply_bool(call, *rotated);
}

bool is_known_word(const CommandCall& call) {
  return call.words.size() < 4 || same_word(call.text(3), kShift) ||
         same_word(call.text(3), kEarly);
}

}  // namespace

void follow_clock(const CommandCall& call, NativeKey& key) {
  LayeredFilter& filter = *key.value()->filter().filter();
  if (!filter.plan().window || !acts_as_primary(call.context)) return;
  const ClockReading clock = read_clocks();
  const std::int64_t step = clock_step(filter, clock);
  if (step == 0) return;
  shift(call, filter, shifted_newest(filter, step));
  filter.set_clock_ahead(clock.ahead());
}

bool rotate_if_due(const CommandCall& call, NativeKey& key) {
  const LayeredFilter& filter = *key.value()->filter().filter();
  if (!filter.plan().window || !acts_as_primary(call.context)) return true;
  follow_clock(call, key);
  const auto due = filter.rotation_due(time_for(filter));
  return !due || rotate(call, key, *due, nullptr).has_value();
}

std::int64_t time_for(const LayeredFilter& filter) {
  return filter.plan().window ? steady_milliseconds() + filter.clock_ahead() : 0;
}

void start_clock(Context* context, LayeredFilter& filter) {
  if (!filter.plan().window) return;
  const ClockReading clock = read_clocks();
  if (is_replica(context))
    follow_newest(filter, clock);
  else
    filter.set_clock_ahead(clock.ahead());
}

NativeManifest manifest_for_storage(Context* context, const LayeredFilter& filter) {
  NativeManifest manifest = manifest_of(filter);
  if (!filter.plan().window || is_replica(context)) return manifest;
  const std::int64_t step = clock_step(filter, read_clocks());
  for (NativeManifest::Slice& slice : manifest.slices)
    slice.start = std::clamp<std::int64_t>(slice.start + step, 0, TimeWindow::kLatest);
  return manifest;
}

int bf_rotate(const CommandCall& call) {
  if (call.words.size() > 3 && !is_replicated(call.context))
    return reply_refusal(call, Refusal::kArity);
  const BloomKey key{call, kRead};
  return reply_refusal(call, key.value() != nullptr ? Refusal::kNativeNoWindow : key.refusal());
}

// Without a time: what the clock says is due, which frees slices that no write follows.
int native_rotate(const CommandCall& call, NativeKey& key) {
  const bool replicated = is_replicated(call.context);
  if (call.words.size() > 3 && !(replicated && is_known_word(call)))
    return reply_refusal(call, Refusal::kArity);
  LayeredFilter& filter = *key.value()->filter().filter();
  if (!filter.plan().window) return reply_refusal(call, Refusal::kNativeNoWindow);
  std::optional<std::int64_t> asked;
  if (call.words.size() > 2) {
    asked = parse_integer(call.text(2));
    if (!asked || *asked < 0 || *asked > TimeWindow::kLatest)
      return reply_refusal(call, Refusal::kNativeBadTime);
    if (replicated) return rotate_as_replicated(call, key, *asked);
  }
  follow_clock(call, key);
  const std::int64_t now = time_for(filter);
  const auto time = asked ? filter.requested_rotation(*asked, now) : filter.rotation_due(now);
  if (!time) return reply_bool(call, false);
  const auto rotated = rotate(call, key, *time, *time > now ? kEarly : nullptr);
  if (!rotated) return reply_refusal(call, Refusal::kNotInserted);
  return reply_bool(call, *rotated);
}

}  // namespace bloomery::redis_module
