#include <algorithm>

#include "apps/redis/bloom_commands.h"
#include "apps/redis/bloom_key.h"
#include "apps/redis/command_table.h"
#include "apps/redis/config.h"
#include "apps/redis/names.h"
#include "apps/redis/numbers.h"
#include "apps/redis/replies.h"
#include "bloomery/base/message.h"

namespace bloomery::redis_module {
namespace {

constexpr std::size_t kFirstSource = 3;

using Filters = std::vector<const RedisBloomFilter*>;

struct Merge {
  std::size_t sources;
  bool force;
};

Error refused(std::string text) { return {ErrorCode::kInvalidArgument, std::move(text)}; }

int reply_error(const Call& call, const Error& error) {
  return api.ReplyWithError(call.context, ("ERR " + error.message).c_str());
}

Result<Merge> parse_merge(const Call& call) {
  const auto sources = counted_keys(call);
  if (!sources) return refused("numkeys is a number from 1 to that of the words after it");
  const std::vector<std::string_view> rest = call.texts_from(kFirstSource + *sources);
  if (rest.size() > 1 || (rest.size() == 1 && !same_word(rest[0], "FORCE")))
    return refused("only FORCE may follow the sources; see that numkeys counts all of them");
  return Merge{*sources, !rest.empty()};
}

// Filters stay where they are while the command runs, so no key need be kept open. A source that
// is named twice counts once.
std::variant<Filters, Refusal> open_sources(const Call& call, std::size_t count) {
  Filters filters;
  for (std::size_t at = kFirstSource; at < kFirstSource + count; ++at) {
    const Call naming_it{call.context, call.words.subspan(at - 1)};
    const BloomKey key{naming_it, kRead};
    if (key.missing()) return Refusal::kNotFound;
    if (key.value() == nullptr) return Refusal::kWrongType;
    const RedisBloomFilter* filter = &key.value()->filter();
    if (std::ranges::find(filters, filter) == filters.end()) filters.push_back(filter);
  }
  return filters;
}

// A source whose bits are all there adds nothing, and is not counted again: merging twice is as
// merging once.
Result<RedisBloomFilter> union_of(const RedisBloomFilter& first, const Filters& sources) {
  RedisBloomFilter merged = first.clone();
  for (const RedisBloomFilter* source : sources) {
    const auto known = source->is_subset_of(merged);
    if (!known) return known.error();
    if (*known) continue;
    if (auto added = merged.merge(*source); !added) return added.error();
  }
  return merged;
}

Status within_design(const RedisBloomFilter& filter) {
  const Health health = filter.health();
  if (health.verdict == Verdict::kOk) return ok();
  return refused(message("the union would have an error rate of ", health.error_rate,
                         ", and the filter is designed for ", filter.goal().false_positive_rate,
                         "; nothing is changed; say FORCE to merge all the same"));
}

void store(BloomKey& key, RedisBloomFilter merged) {
  if (key.value() == nullptr) {
    key.set(BloomValue::create(std::move(merged)));
    return;
  }
  key.value()->filter() = std::move(merged);
  key.value()->account(false);
}

// Sent with FORCE: what was decided here by a rate, a floating-point number, is not decided again.
void store_and_publish(const Call& call, BloomKey& key, RedisBloomFilter merged,
                       std::size_t sources) {
  const std::string command = command_name("BF.MERGE");
  store(key, std::move(merged));
  api.Replicate(call.context, command.c_str(), "slvc", call.key_name(),
                static_cast<long long>(sources), call.words.data() + kFirstSource, sources,
                "FORCE");
  announce(call, "bloom.merge");
}

}  // namespace

int bf_merge(const Call& call) {
  const auto asked = parse_merge(call);
  if (!asked) return reply_error(call, asked.error());
  BloomKey key{call, kRead | kWrite};
  if (!key.missing() && key.value() == nullptr) return reply_refusal(call, Refusal::kWrongType);
  const auto opened = open_sources(call, asked->sources);
  if (const auto* refusal = std::get_if<Refusal>(&opened)) return reply_refusal(call, *refusal);
  const auto& sources = std::get<Filters>(opened);
  const RedisBloomFilter& first = key.missing() ? *sources.front() : key.value()->filter();
  if (key.missing() && first.size_bytes() > limits_in(call.context).max_bytes)
    return reply_refusal(call, Refusal::kNoMemoryToCreate);
  auto merged = union_of(first, sources);
  if (!merged) return reply_error(call, merged.error());
  if (!key.missing() && *merged == first) return reply_ok(call);
  if (!asked->force)
    if (const auto fits = within_design(*merged); !fits) return reply_error(call, fits.error());
  store_and_publish(call, key, std::move(*merged), asked->sources);
  return reply_ok(call);
}

}  // namespace bloomery::redis_module
