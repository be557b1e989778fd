#include "apps/redis/command/merge_arguments.h"

#include "apps/redis/server/names.h"
#include "apps/redis/server/numbers.h"
#include "bloomery/base/message.h"

namespace bloomery::redis_module {
namespace {

Error refused(std::string text) { return {ErrorCode::kInvalidArgument, std::move(text)}; }

}  // namespace

std::optional<std::size_t> counted_keys(const CommandCall& call) {
  if (call.words.size() <= kFirstSource) return std::nullopt;
  const auto keys = parse_integer(call.text(2));
  const auto most = static_cast<std::int64_t>(call.words.size() - kFirstSource);
  if (!keys || *keys < 1 || *keys > most) return std::nullopt;
  return static_cast<std::size_t>(*keys);
}

Result<MergeArguments> parse_merge(const CommandCall& call) {
  const auto sources = counted_keys(call);
  if (!sources) return refused("numkeys is a number from 1 to that of the words after it");
  const std::vector<std::string_view> rest = call.texts_from(kFirstSource + *sources);
  if (rest.size() > 1 || (rest.size() == 1 && !same_word(rest[0], "FORCE")))
    return refused("only FORCE may follow the sources; see that numkeys counts all of them");
  return MergeArguments{*sources, !rest.empty()};
}

int reply_error(const CommandCall& call, const Error& error) {
  return api.ReplyWithError(call.context, ("ERR " + error.message).c_str());
}

Status within_design(double rate, bool is_within, double designed) {
  if (is_within) return ok();
  return refused(message("the union would have an error rate of ", rate,
                         ", and the filter is designed for ", designed,
                         "; nothing is changed; say FORCE to merge all the same"));
}

void publish_merge(const CommandCall& call, std::size_t sources) {
  api.Replicate(call.context, replicated_command("BF.MERGE").c_str(), "slvc", call.key_name(),
                static_cast<long long>(sources), call.words.data() + kFirstSource, sources,
                "FORCE");
  notify_change(call, "bloom.merge");
}

}  // namespace bloomery::redis_module
