#include <new>

#include "apps/redis/command/merge_arguments.h"
#include "apps/redis/native/commands.h"
#include "apps/redis/native/window.h"
#include "apps/redis/server/config.h"

namespace bloomery::redis_module {
namespace {

// Without the destination itself, which holds its own keys already.
std::variant<std::vector<const LayeredFilter*>, Refusal> sources_of(
    const CommandCall& call, std::size_t count, const NativeValue* destination) {
  const auto opened = open_sources<NativeKey, NativeValue>(
      call, count, [](const CommandCall&, std::size_t) { return false; });
  if (const auto* refusal = std::get_if<Refusal>(&opened))
    return *refusal == Refusal::kWrongType ? Refusal::kNativeMixedMerge : *refusal;
  std::vector<const LayeredFilter*> filters;
  for (const NativeValue* value : std::get<std::vector<NativeValue*>>(opened)) {
    if (value->filter().filter() == nullptr) return Refusal::kNativeStillLoading;
    if (value != destination) filters.push_back(value->filter().filter());
  }
  return filters;
}

// Slices are joined by the times they began at: all have to be of one clock.
void follow_clock_in_sources(const CommandCall& call, std::size_t count) {
  for (std::size_t at = kFirstSource; at < kFirstSource + count; ++at) {
    const CommandCall source{call.context, call.words.subspan(at - 1)};
    NativeKey key{source, kRead | kWrite};
    if (key.value() != nullptr && key.value()->filter().filter() != nullptr)
      follow_clock(source, key);
  }
}

void store(NativeKey& key, LayeredFilter merged) {
  if (key.value() == nullptr) {
    key.set(NativeValue::create(std::move(merged)));
    return;
  }
  *key.value()->filter().filter() = std::move(merged);
  key.value()->account(Change::kSome);
}

}  // namespace

int native_merge(const CommandCall& call, NativeKey& key) {
  const auto asked = parse_merge(call);
  if (!asked) return reply_error(call, asked.error());
  follow_clock_in_sources(call, asked->sources);
  const auto opened = sources_of(call, asked->sources, key.value());
  if (const auto* refusal = std::get_if<Refusal>(&opened)) return reply_refusal(call, *refusal);
  const auto& sources = std::get<std::vector<const LayeredFilter*>>(opened);
  if (sources.empty()) return reply_ok(call);
  if (key.value() != nullptr && !rotate_if_due(call, key))
    return reply_refusal(call, Refusal::kNotInserted);
  const LayeredFilter& first = key.missing() ? *sources.front() : *key.value()->filter().filter();
  if (key.missing() && first.size_bytes() > limits_in(call.context).max_bytes)
    return reply_refusal(call, Refusal::kNoMemoryToCreate);
  auto merged = LayeredFilter::union_of(
      first, key.missing() ? std::span{sources}.subspan(1) : std::span{sources});
  if (!merged) return reply_error(call, merged.error());
  if (!key.missing() && merged->same_bytes(first)) return reply_ok(call);
  // The rate of all slices, at any time of the clock, so that replicas make the same filter.
  const Health health = merged->health(0);
  if (const auto fits = within_design(health.error_rate, health.verdict == Verdict::kOk,
                                      merged->plan().goal.false_positive_rate);
      !fits && !asked->force)
    return reply_error(call, fits.error());
  store(key, std::move(*merged));
  publish_merge(call, asked->sources);
  return reply_ok(call);
}

int native_clear(const CommandCall& call, NativeKey& key) {
  if (!rotate_if_due(call, key)) return reply_refusal(call, Refusal::kNotCreated);
  LayeredFilter& filter = *key.value()->filter().filter();
  auto empty = filter.emptied();
  if (!empty) return reply_refusal(call, Refusal::kNotCreated);
  if (empty->same_bytes(filter)) return reply_ok(call);
  filter = std::move(*empty);
  key.value()->account(Change::kSome);
  api.ReplicateVerbatim(call.context);
  notify_change(call, "bloom.clear");
  return reply_ok(call);
}

}  // namespace bloomery::redis_module
