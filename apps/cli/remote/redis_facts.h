// The numbers of a server's INFO command on a filter, to notice that another filter took its key.
#pragma once
#include <map>
#include <optional>
#include <string>

#include "apps/cli/shell/redis_client.h"

namespace bloomery::cli {

// By the names that the server gives; empty where it reported nothing.
using RedisFacts = std::map<std::string, std::string, std::less<>>;

// Of a reply to BF.INFO or CF.INFO. Empty where it is an error, such as a user without the right.
RedisFacts redis_facts(const RedisReply& reply);

// False: the later facts cannot be of the same filter, or it was emptied. What was made with the
// same parameters and holds as many items by then cannot be distinguished from it; nor can a filter
// that forgets, by time or by removal, be distinguished from one that holds fewer.
bool may_be_the_same(const RedisFacts& before, const RedisFacts& after);

}  // namespace bloomery::cli
