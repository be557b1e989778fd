#include "apps/redis/server/replies.h"

namespace bloomery::redis_module {

int reply_refusal(const CommandCall& call, Refusal refusal) {
  if (refusal == Refusal::kArity) return api.WrongArity(call.context);
  return api.ReplyWithError(call.context, error_text(refusal));
}

int reply_ok(const CommandCall& call) { return api.ReplyWithSimpleString(call.context, "OK"); }

int reply_number(const CommandCall& call, std::uint64_t number) {
  return api.ReplyWithLongLong(call.context, static_cast<long long>(number));
}

int reply_bool(const CommandCall& call, bool answer) {
  if (api.ReplyWithBool == nullptr) return reply_number(call, answer ? 1 : 0);
  return api.ReplyWithBool(call.context, answer ? 1 : 0);
}

int reply_insert_result(const CommandCall& call, InsertResult answer) {
  if (answer == InsertResult::kFull) return reply_refusal(call, Refusal::kFull);
  if (answer == InsertResult::kFailed) return reply_refusal(call, Refusal::kNotInserted);
  return reply_bool(call, answer == InsertResult::kNew);
}

int reply_text(const CommandCall& call, std::string_view text) {
  return api.ReplyWithStringBuffer(call.context, text.data(), text.size());
}

int reply_texts(const CommandCall& call, const std::vector<std::string>& texts) {
  reply_array(call, texts.size());
  for (const std::string& text : texts) reply_text(call, text);
  return kOk;
}

int reply_array(const CommandCall& call, std::size_t size) {
  return api.ReplyWithArray(call.context, static_cast<long>(size));
}

int reply_map(const CommandCall& call, std::size_t pairs) {
  if (api.ReplyWithMap == nullptr) return reply_array(call, pairs * 2);
  return api.ReplyWithMap(call.context, static_cast<long>(pairs));
}

bool speaks_resp3(const CommandCall& call) {
  return api.ReplyWithMap != nullptr && (api.GetContextFlags(call.context) & kFlagResp3) != 0;
}

}  // namespace bloomery::redis_module
