// A cluster's reply that another node serves the key.
#pragma once
#include <optional>

#include "apps/redis_client/reply.h"

namespace bloomery::redis_client {

struct Redirection {
  bool asks = false;  // for this one command only
  std::string host;   // empty: the same as before
  std::uint16_t port = 0;
};

// "MOVED 3999 127.0.0.1:6381" or "ASK ...". Empty where the reply is anything else.
std::optional<Redirection> redirection_in(const RedisReply& reply);

}  // namespace bloomery::redis_client
