#include "apps/redis/bloom/key.h"
#include "apps/redis/command/reserve_options.h"
#include "apps/redis/native/commands.h"
#include "apps/redis/native/window.h"
#include "apps/redis/server/config.h"
#include "apps/redis/server/memory.h"
#include "apps/redis/server/names.h"
#include "apps/redis/server/numbers.h"
#include "apps/redis/server/replication_role.h"
#include "apps/redis/server/replies.h"

namespace bloomery::redis_module {
namespace {

constexpr std::size_t kFirstWord = 2;  // after the command and the key

// Before anything is checked: monitors show the arguments of refused commands too.
void hide_secret(const CommandCall& call) {
  for (std::size_t i = kFirstWord; i + 1 < call.words.size(); ++i)
    if (same_word(call.text(i), "SECRETBYTES")) redact(call, i + 1);
}

Secret drawn_secret() {
  Secret secret;
  api.GetRandomBytes(reinterpret_cast<unsigned char*>(secret.data()), secret.size());
  return secret;
}

// Replicas get everything that was a default, drawn at random or read from the clock.
std::vector<std::string> words_for_replicas(const LayeredPlan& plan, std::int64_t start) {
  std::vector<std::string> words{double_text(plan.goal.false_positive_rate),
                                 std::to_string(plan.goal.keys), "EXPANSION",
                                 std::to_string(plan.expansion)};
  const auto say = [&](std::initializer_list<std::string> more) {
    words.insert(words.end(), more);
  };
  if (plan.layout == LayerKind::kCounting) say({"COUNTING"});
  if (plan.layout == LayerKind::kBlock) say({"LAYOUT", "BLOCK"});
  if (plan.part)
    say({"PART", std::to_string(plan.part->part.index), std::to_string(plan.part->part.parts)});
  if (plan.window)
    say({"WINDOW", std::to_string(plan.window->milliseconds / 1000), "SLICES",
         std::to_string(plan.window->slices), "START", std::to_string(start)});
  if (plan.secret) say({"SECRET", "SECRETBYTES", secret_text(*plan.secret)});
  return words;
}

// `sent` has room for all: nothing is allocated here but by the server.
void replicate(const CommandCall& call, const std::vector<std::string>& words,
               std::vector<String*>& sent) {
  for (const std::string& word : words)
    sent.push_back(api.CreateString(call.context, word.data(), word.size()));
  api.Replicate(call.context, replicated_command("BF.RESERVE").c_str(), "sv", call.key_name(),
                sent.data(), sent.size());
  for (String* word : sent) api.FreeString(call.context, word);
}

std::variant<NativeReserve, Refusal> parse(const CommandCall& call) {
  return parse_native_reserve(call.texts_from(kFirstWord), settings(), is_replicated(call.context));
}

}  // namespace

int reserve_native(const CommandCall& call) {
  hide_secret(call);
  if (refuses_extensions(call.context)) return reply_refusal(call, Refusal::kRedisBloomOnly);
  auto parsed = parse(call);
  if (const auto* refusal = std::get_if<Refusal>(&parsed)) return reply_refusal(call, *refusal);
  auto& wanted = std::get<NativeReserve>(parsed);
  if (parse_double(call.text(kFirstWord)) != wanted.plan.goal.false_positive_rate)
    api.Log(call.context, "warning", "An error rate above 0.25 is lowered to 0.25");
  const BloomKey of_the_peer{call, kRead | kWrite};
  if (!of_the_peer.missing())
    return reply_refusal(call,
                         of_the_peer.value() == nullptr ? Refusal::kWrongType : Refusal::kExists);
  if (wanted.draws_secret) wanted.plan.secret = drawn_secret();
  const std::int64_t start = wanted.start.value_or(read_clocks().wall);
  const std::vector<std::string> words = words_for_replicas(wanted.plan, start);
  std::vector<String*> sent;
  sent.reserve(words.size());
  const auto made = value_or_refusal<NativeValue>(Refusal::kNotCreated, [&] {
    return LayeredFilter::make(wanted.plan, start, limits_in(call.context), server_memory());
  });
  if (const auto* refusal = std::get_if<Refusal>(&made)) return reply_refusal(call, *refusal);
  NativeKey key{call, kRead | kWrite};
  key.set(std::get<NativeValue*>(made));
  start_clock(call.context, *key.value()->filter().filter());
  replicate(call, words, sent);
  notify_change(call, "bloom.reserve");
  return reply_ok(call);
}

int native_reserve_again(const CommandCall& call, NativeKey&) {
  const std::vector<std::string_view> words = call.texts_from(kFirstWord);
  if (asks_for_native_type(words)) {
    hide_secret(call);
    if (refuses_extensions(call.context)) return reply_refusal(call, Refusal::kRedisBloomOnly);
    const auto parsed = parse(call);
    if (const auto* refusal = std::get_if<Refusal>(&parsed)) return reply_refusal(call, *refusal);
  } else {
    const auto parsed = parse_reserve(words, settings());
    if (const auto* refusal = std::get_if<Refusal>(&parsed)) return reply_refusal(call, *refusal);
  }
  return reply_refusal(call, Refusal::kExists);
}

}  // namespace bloomery::redis_module
