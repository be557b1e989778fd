#include "apps/redis/cuckoo/arguments.h"
#include "apps/redis/cuckoo/commands.h"
#include "apps/redis/cuckoo/key.h"
#include "apps/redis/server/config.h"
#include "apps/redis/server/guard.h"
#include "apps/redis/server/names.h"
#include "apps/redis/server/replies.h"

namespace bloomery::redis_module {
namespace {

using Keys = std::span<String* const>;
using Outcomes = std::vector<CuckooOutcome>;

enum class Copies : std::uint8_t { kMany, kOne };  // one: a key that seems present stays as it is

CuckooOutcome insert_one(RedisCuckooFilter& filter, ByteView key, Copies copies) noexcept {
  return guard(CuckooOutcome::kBeyondLimit, [&] {
    return copies == Copies::kOne ? filter.insert_if_absent(key) : filter.insert(key);
  });
}

void replicate_reserve(const CommandCall& call, const RedisCuckooOptions& made) {
  api.Replicate(call.context, replicated_command("CF.RESERVE").c_str(), "slclclcl", call.key_name(),
                static_cast<long long>(made.keys), "BUCKETSIZE",
                static_cast<long long>(made.bucket_size), "MAXITERATIONS",
                static_cast<long long>(made.max_iterations), "EXPANSION",
                static_cast<long long>(made.expansion));
}

// Replicates the change and notifies listeners. A filter made here is replicated with all its
// parameters, and of the keys those that were inserted: a replica's settings and memory may differ.
void publish(const CommandCall& call, const RedisCuckooOptions* made,
             std::vector<String*>& inserted) {
  if (made != nullptr) {
    replicate_reserve(call, *made);
    notify_change(call, "cuckoo.reserve");
  }
  if (inserted.empty()) return;
  api.Replicate(call.context, replicated_command("CF.INSERT").c_str(), "scv", call.key_name(),
                "ITEMS", inserted.data(), inserted.size());
  notify_change(call, "cuckoo.add");
}

// `wanted` is null where the key must exist. The layers are counted before the first insertion
// only, as in RedisBloom: one command may exceed their number.
std::variant<Outcomes, Refusal> insert(const CommandCall& call, const RedisCuckooOptions* wanted,
                                       Keys keys, Copies copies) {
  Outcomes outcomes(keys.size(), CuckooOutcome::kBeyondLimit);
  std::vector<String*> inserted;
  inserted.reserve(keys.size());
  CuckooKey key{call, kRead | kWrite};
  const bool created = key.missing();
  if (created && wanted == nullptr) return Refusal::kNotFound;
  if (!created && key.value() == nullptr) return Refusal::kWrongType;
  if ((created ? 1 : key.value()->filter().layers()) >= cuckoo_layers_in(call.context))
    return Refusal::kCuckooTooManyLayers;
  if (created) {
    const auto made = make_value(*wanted, limits_in(call.context));
    if (const auto* refusal = std::get_if<Refusal>(&made)) return *refusal;
    key.set(std::get<CuckooValue*>(made));
  }
  RedisCuckooFilter& filter = key.value()->filter();
  filter.set_limits(limits_in(call.context));
  bool refused = false;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    outcomes[i] = insert_one(filter, bytes_of(text_of(keys[i])), copies);
    if (outcomes[i] == CuckooOutcome::kInserted)
      inserted.push_back(keys[i]);
    else
      refused = refused || outcomes[i] != CuckooOutcome::kPresent;
  }
  const Change change = inserted.empty() && !created ? Change::kNothing : Change::kSome;
  key.value()->account(refused ? Change::kRefused : change);
  publish(call, created ? wanted : nullptr, inserted);
  return outcomes;
}

int add(const CommandCall& call, Copies copies) {
  const RedisCuckooOptions wanted = default_cuckoo(settings());
  const auto inserted = insert(call, &wanted, call.words.subspan(2), copies);
  if (const auto* refusal = std::get_if<Refusal>(&inserted)) return reply_refusal(call, *refusal);
  switch (std::get<Outcomes>(inserted).front()) {
    case CuckooOutcome::kInserted:
      return reply_bool(call, true);
    case CuckooOutcome::kPresent:
      return reply_bool(call, false);
    case CuckooOutcome::kFull:
      return reply_refusal(call, Refusal::kCuckooFull);
    case CuckooOutcome::kTooManyLayers:
      return reply_refusal(call, Refusal::kCuckooTooManyLayers);
    case CuckooOutcome::kBeyondLimit:
      break;
  }
  return reply_refusal(call, Refusal::kCuckooNoMemory);
}

// 1, 0 where it seemed present, -1 where the filter is full. Of CF.INSERT alone RESP3 says so in
// booleans, which have no word for -1.
int reply_outcome(const CommandCall& call, CuckooOutcome outcome, Copies copies) {
  if (outcome == CuckooOutcome::kBeyondLimit) return reply_refusal(call, Refusal::kCuckooNoMemory);
  const bool inserted = outcome == CuckooOutcome::kInserted;
  if (copies == Copies::kMany && (inserted || speaks_resp3(call)))
    return reply_bool(call, inserted);
  if (inserted || outcome == CuckooOutcome::kPresent) return reply_number(call, inserted ? 1 : 0);
  return api.ReplyWithLongLong(call.context, -1);
}

int insert_and_reply_all(const CommandCall& call, Copies copies) {
  const auto parsed = parse_cuckoo_insert(call.texts_from(2), settings());
  if (const auto* refusal = std::get_if<Refusal>(&parsed)) return reply_refusal(call, *refusal);
  const CuckooInsertion& insertion = std::get<CuckooInsertion>(parsed);
  const auto inserted = insert(call, insertion.may_create ? &insertion.filter : nullptr,
                               call.words.subspan(2 + insertion.first_key), copies);
  if (const auto* refusal = std::get_if<Refusal>(&inserted)) return reply_refusal(call, *refusal);
  const Outcomes& outcomes = std::get<Outcomes>(inserted);
  reply_array(call, outcomes.size());
  for (const CuckooOutcome outcome : outcomes) reply_outcome(call, outcome, copies);
  return kOk;
}

}  // namespace

int cf_reserve(const CommandCall& call) {
  const auto parsed = parse_cuckoo_reserve(call.texts_from(2), settings());
  if (const auto* refusal = std::get_if<Refusal>(&parsed)) return reply_refusal(call, *refusal);
  const RedisCuckooOptions& wanted = std::get<RedisCuckooOptions>(parsed);
  CuckooKey key{call, kRead | kWrite};
  if (!key.missing())
    return reply_refusal(call, key.value() == nullptr ? Refusal::kWrongType : Refusal::kExists);
  const auto made = make_value(wanted, limits_in(call.context));
  if (const auto* refusal = std::get_if<Refusal>(&made)) return reply_refusal(call, *refusal);
  key.set(std::get<CuckooValue*>(made));
  std::vector<String*> none;
  publish(call, &wanted, none);
  return reply_ok(call);
}

int cf_add(const CommandCall& call) { return add(call, Copies::kMany); }
int cf_addnx(const CommandCall& call) { return add(call, Copies::kOne); }
int cf_insert(const CommandCall& call) { return insert_and_reply_all(call, Copies::kMany); }
int cf_insertnx(const CommandCall& call) { return insert_and_reply_all(call, Copies::kOne); }

}  // namespace bloomery::redis_module
