#include "apps/redis/command/merge_arguments.h"

#include "apps/redis/command/command_table.h"
#include "apps/redis/native/key.h"
#include "apps/redis/server/names.h"
#include "apps/redis/server/numbers.h"
#include "bloomery/base/message.h"

namespace bloomery::redis_module {
namespace {

Error refused(std::string text) { return {ErrorCode::kInvalidArgument, std::move(text)}; }

}  // namespace

Result<MergeWords> parse_merge(const Call& call) {
  const auto sources = counted_keys(call);
  if (!sources) return refused("numkeys is a number from 1 to that of the words after it");
  const std::vector<std::string_view> rest = call.texts_from(kFirstSource + *sources);
  if (rest.size() > 1 || (rest.size() == 1 && !same_word(rest[0], "FORCE")))
    return refused("only FORCE may follow the sources; see that numkeys counts all of them");
  return MergeWords{*sources, !rest.empty()};
}

int reply_error(const Call& call, const Error& error) {
  return api.ReplyWithError(call.context, ("ERR " + error.message).c_str());
}

Status within_design(double rate, bool is_within, double designed) {
  if (is_within) return ok();
  return refused(message("the union would have an error rate of ", rate,
                         ", and the filter is designed for ", designed,
                         "; nothing is changed; say FORCE to merge all the same"));
}

bool is_loading_at(const Call& call, std::size_t at) {
  const NativeKey key{{call.context, call.words.subspan(at - 1)}, kRead};
  return key.value() != nullptr && key.value()->filter().loading();
}

void publish_merge(const Call& call, std::size_t sources) {
  api.Replicate(call.context, sent_command("BF.MERGE").c_str(), "slvc", call.key_name(),
                static_cast<long long>(sources), call.words.data() + kFirstSource, sources,
                "FORCE");
  announce(call, "bloom.merge");
}

}  // namespace bloomery::redis_module
