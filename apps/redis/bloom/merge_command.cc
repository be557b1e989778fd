#include "apps/redis/bloom/commands.h"
#include "apps/redis/bloom/key.h"
#include "apps/redis/command/merge_arguments.h"
#include "apps/redis/server/config.h"

namespace bloomery::redis_module {
namespace {

// A source whose bits are all there adds nothing, and is not counted again: merging twice is as
// merging once.
Result<RedisBloomFilter> union_of(const RedisBloomFilter& first,
                                  const std::vector<BloomValue*>& sources) {
  RedisBloomFilter merged = first.clone();
  for (const BloomValue* source : sources) {
    const auto known = source->filter().is_subset_of(merged);
    if (!known) return known.error();
    if (*known) continue;
    if (auto added = merged.merge(source->filter()); !added) return added.error();
  }
  return merged;
}

void store(BloomKey& key, RedisBloomFilter merged) {
  if (key.value() == nullptr) {
    key.set(BloomValue::create(std::move(merged)));
    return;
  }
  key.value()->filter() = std::move(merged);
  key.value()->account(Change::kSome);
}

}  // namespace

int bf_merge(const CommandCall& call, IsLoadingAt is_loading) {
  const auto asked = parse_merge(call);
  if (!asked) return reply_error(call, asked.error());
  BloomKey key{call, kRead | kWrite};
  if (!key.missing() && key.value() == nullptr) return reply_refusal(call, Refusal::kWrongType);
  const auto opened = open_sources<BloomKey, BloomValue>(call, asked->sources, is_loading);
  if (const auto* refusal = std::get_if<Refusal>(&opened)) return reply_refusal(call, *refusal);
  const auto& sources = std::get<std::vector<BloomValue*>>(opened);
  const RedisBloomFilter& first = key.missing() ? sources.front()->filter() : key.value()->filter();
  if (key.missing() && first.size_bytes() > limits_in(call.context).max_bytes)
    return reply_refusal(call, Refusal::kNoMemoryToCreate);
  auto merged = union_of(first, sources);
  if (!merged) return reply_error(call, merged.error());
  if (!key.missing() && *merged == first) return reply_ok(call);
  const Health health = merged->health();
  if (const auto fits = within_design(health.error_rate, health.verdict == Verdict::kOk,
                                      merged->goal().false_positive_rate);
      !fits && !asked->force)
    return reply_error(call, fits.error());
  store(key, std::move(*merged));
  publish_merge(call, asked->sources);
  return reply_ok(call);
}

}  // namespace bloomery::redis_module
