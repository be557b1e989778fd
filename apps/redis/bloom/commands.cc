#include "apps/redis/bloom/commands.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <optional>

#include "apps/redis/bloom/key.h"
#include "apps/redis/server/guard.h"
#include "apps/redis/server/numbers.h"
#include "apps/redis/server/replies.h"

namespace bloomery::redis_module {
namespace {

struct Field {
  const char* word;  // as the client asks for it
  const char* name;  // as the answer spells it
  std::uint64_t (*value)(const RedisBloomFilter&);
};
constexpr Field kFields[] = {
    {"CAPACITY", "Capacity", [](const RedisBloomFilter& filter) { return filter.goal().keys; }},
    {"SIZE", "Size",
     [](const RedisBloomFilter& filter) -> std::uint64_t { return reported_bytes(filter); }},
    {"FILTERS", "Number of filters",
     [](const RedisBloomFilter& filter) -> std::uint64_t { return filter.layers().size(); }},
    {"ITEMS", "Number of items inserted",
     [](const RedisBloomFilter& filter) { return filter.keys_inserted(); }},
    {"EXPANSION", "Expansion rate",
     [](const RedisBloomFilter& filter) -> std::uint64_t { return filter.growth(); }},
};
constexpr const Field& kExpansion = kFields[4];

int reply_value(const CommandCall& call, const Field& field, const RedisBloomFilter& filter) {
  if (&field == &kExpansion && !filter.grows()) return api.ReplyWithNull(call.context);
  return reply_number(call, field.value(filter));
}

int reply_all_fields(const CommandCall& call, const RedisBloomFilter& filter) {
  reply_map(call, std::size(kFields));
  for (const Field& field : kFields) {
    api.ReplyWithSimpleString(call.context, field.name);
    reply_value(call, field, filter);
  }
  return kOk;
}

// One field is a map in RESP3, and in RESP2 an array of the value alone.
int reply_field(const CommandCall& call, const Field& field, const RedisBloomFilter& filter) {
  if (!speaks_resp3(call)) {
    reply_array(call, 1);
    return reply_value(call, field, filter);
  }
  reply_map(call, 1);
  api.ReplyWithSimpleString(call.context, field.name);
  return reply_value(call, field, filter);
}

std::string debug_text(const RedisBloomLayer& layer) {
  char text[256];
  const int written =
      std::snprintf(text, sizeof text,
                    "bytes:%zu bits:%llu hashes:%u hashwidth:%d capacity:%llu size:%llu ratio:%g",
                    layer.bits().size(), static_cast<unsigned long long>(layer.filter.size_bits()),
                    layer.filter.shape().probes, layer.filter.dialect().wide_hash ? 64 : 32,
                    static_cast<unsigned long long>(layer.goal_keys),
                    static_cast<unsigned long long>(layer.keys_inserted()), layer.rate);
  return {text, static_cast<std::size_t>(written)};
}

}  // namespace

// A key of another type holds no key of ours either: 0, and not an error, as in RedisBloom.
int bf_exists(const CommandCall& call) {
  const BloomKey key{call, kRead};
  return reply_bool(call,
                    key.value() != nullptr && key.value()->filter().may_contain(call.bytes(2)));
}

int bf_mexists(const CommandCall& call) {
  const BloomKey key{call, kRead};
  const auto words = call.words.subspan(2);
  reply_array(call, words.size());
  constexpr std::size_t kAtOnce =
      128;  // as many as hide the memory's latency, and nothing is allocated
  std::array<ByteView, kAtOnce> asked;
  std::array<std::uint8_t, kAtOnce> answers{};
  for (std::size_t at = 0; at < words.size(); at += kAtOnce) {
    const std::size_t count = std::min(kAtOnce, words.size() - at);
    for (std::size_t i = 0; i < count; ++i) asked[i] = bytes_of(text_of(words[at + i]));
    // A filter of several layers needs memory; the array has begun, so that each answer says so.
    const bool answered = guard(false, [&] {
      if (key.value() != nullptr)
        key.value()->filter().may_contain_batch(std::span{asked}.first(count),
                                                std::span{answers}.first(count));
      return true;
    });
    for (std::size_t i = 0; i < count; ++i)
      answered ? reply_bool(call, answers[i] != 0) : reply_refusal(call, Refusal::kNoMemory);
  }
  return kOk;
}

int bf_info(const CommandCall& call) {
  const BloomKey key{call, kRead};
  if (key.value() == nullptr) return reply_refusal(call, key.refusal());
  const RedisBloomFilter& filter = key.value()->filter();
  if (call.words.size() == 2) return reply_all_fields(call, filter);
  for (const Field& field : kFields)
    if (same_word(call.text(2), field.word)) return reply_field(call, field, filter);
  return reply_refusal(call, Refusal::kUnknownField);
}

int bf_card(const CommandCall& call) {
  const BloomKey key{call, kRead};
  if (key.missing()) return reply_number(call, 0);
  if (key.value() == nullptr) return reply_refusal(call, Refusal::kWrongType);
  return reply_number(call, key.value()->filter().keys_inserted());
}

int bf_debug(const CommandCall& call) {
  const BloomKey key{call, kRead};
  if (key.value() == nullptr) return reply_refusal(call, key.refusal());
  const RedisBloomFilter& filter = key.value()->filter();
  std::vector<std::string> lines{"size:" + std::to_string(filter.keys_inserted())};
  for (const RedisBloomLayer& layer : filter.layers()) lines.push_back(debug_text(layer));
  return reply_texts(call, lines);
}

}  // namespace bloomery::redis_module
