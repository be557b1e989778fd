// Replies in both protocols: RESP2 has neither booleans nor maps.
#pragma once
#include <string>
#include <string_view>

#include "apps/redis/server/command_call.h"
#include "apps/redis/server/errors.h"
#include "bloomery/formats/layered/insert_result.h"

namespace bloomery::redis_module {

int reply_refusal(const CommandCall& call, Refusal refusal);
int reply_ok(const CommandCall& call);
int reply_number(const CommandCall& call, std::uint64_t number);
int reply_bool(const CommandCall& call, bool answer);  // 1 or 0 in RESP2
int reply_insert_result(const CommandCall& call, InsertResult answer);
int reply_text(const CommandCall& call, std::string_view text);
int reply_texts(const CommandCall& call,
                const std::vector<std::string>& texts);  // an array of them
int reply_array(const CommandCall& call, std::size_t size);
int reply_map(const CommandCall& call, std::size_t pairs);  // an array of twice as many in RESP2
bool speaks_resp3(const CommandCall& call);

}  // namespace bloomery::redis_module
