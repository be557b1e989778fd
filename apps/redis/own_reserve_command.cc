#include "apps/redis/bloom_key.h"
#include "apps/redis/config.h"
#include "apps/redis/memory.h"
#include "apps/redis/names.h"
#include "apps/redis/numbers.h"
#include "apps/redis/own_commands.h"
#include "apps/redis/primary.h"
#include "apps/redis/replies.h"
#include "apps/redis/reserve_options.h"

namespace bloomery::redis_module {
namespace {

constexpr std::size_t kFirstWord = 2;  // after the command and the key

// The secret comes in the words of a primary: monitors and the slow log are not to show it. A
// server that replays its own file has neither.
void hide_secret(const Call& call, const OwnReserve& wanted) {
  if (wanted.secret_at == 0 || api.RedactClientCommandArgument == nullptr) return;
  if ((api.GetContextFlags(call.context) & kFlagLoading) != 0) return;
  api.RedactClientCommandArgument(call.context, static_cast<int>(kFirstWord + wanted.secret_at));
}

Secret drawn_secret() {
  Secret secret;
  api.GetRandomBytes(reinterpret_cast<unsigned char*>(secret.data()), secret.size());
  return secret;
}

// Everything that was a default, drawn or read from the clock is said to replicas.
std::vector<std::string> words_for_replicas(const OwnPlan& plan, std::int64_t start) {
  std::vector<std::string> words{double_text(plan.goal.false_positive_rate),
                                 std::to_string(plan.goal.keys), "EXPANSION",
                                 std::to_string(plan.expansion)};
  const auto say = [&](std::initializer_list<std::string> more) {
    words.insert(words.end(), more);
  };
  if (plan.layout == OwnLayout::kCounting) say({"COUNTING"});
  if (plan.layout == OwnLayout::kBlock) say({"LAYOUT", "BLOCK"});
  if (plan.window)
    say({"WINDOW", std::to_string(plan.window->milliseconds / 1000), "SLICES",
         std::to_string(plan.window->slices), "START", std::to_string(start)});
  if (plan.secret) say({"SECRET", "SECRETBYTES", secret_text(*plan.secret)});
  return words;
}

void replicate(const Call& call, const OwnPlan& plan, std::int64_t start) {
  std::vector<String*> words;
  for (const std::string& word : words_for_replicas(plan, start))
    words.push_back(api.CreateString(call.context, word.data(), word.size()));
  api.Replicate(call.context, command_name("BF.RESERVE").c_str(), "sv", call.key_name(),
                words.data(), words.size());
  for (String* word : words) api.FreeString(call.context, word);
}

std::variant<OwnReserve, Refusal> parse(const Call& call) {
  return parse_own_reserve(call.texts_from(kFirstWord), settings(), is_told(call.context));
}

}  // namespace

int reserve_own(const Call& call) {
  auto parsed = parse(call);
  if (const auto* refusal = std::get_if<Refusal>(&parsed)) return reply_refusal(call, *refusal);
  auto& wanted = std::get<OwnReserve>(parsed);
  hide_secret(call, wanted);
  if (parse_double(call.text(kFirstWord)) != wanted.plan.goal.false_positive_rate)
    api.Log(call.context, "warning", "An error rate above 0.25 is lowered to 0.25");
  const BloomKey of_the_peer{call, kRead | kWrite};
  if (!of_the_peer.missing())
    return reply_refusal(call,
                         of_the_peer.value() == nullptr ? Refusal::kWrongType : Refusal::kExists);
  if (wanted.draws_secret) wanted.plan.secret = drawn_secret();
  const std::int64_t start = wanted.start.value_or(now_milliseconds());
  const auto made = value_or_refusal<OwnValue>(Refusal::kNotCreated, [&] {
    return OwnFilter::make(wanted.plan, start, limits_in(call.context), server_memory());
  });
  if (const auto* refusal = std::get_if<Refusal>(&made)) return reply_refusal(call, *refusal);
  OwnKey key{call, kRead | kWrite};
  key.set(std::get<OwnValue*>(made));
  replicate(call, wanted.plan, start);
  announce(call, "bloom.reserve");
  return reply_ok(call);
}

int own_reserve_again(const Call& call, OwnKey&) {
  const std::vector<std::string_view> words = call.texts_from(kFirstWord);
  if (asks_for_own_type(words)) {
    const auto parsed = parse(call);
    if (const auto* refusal = std::get_if<Refusal>(&parsed)) return reply_refusal(call, *refusal);
    hide_secret(call, std::get<OwnReserve>(parsed));
  } else {
    const auto parsed = parse_reserve(words, settings());
    if (const auto* refusal = std::get_if<Refusal>(&parsed)) return reply_refusal(call, *refusal);
  }
  return reply_refusal(call, Refusal::kExists);
}

}  // namespace bloomery::redis_module
