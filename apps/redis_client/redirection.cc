#include "apps/redis_client/redirection.h"

#include "apps/redis_client/numbers.h"

namespace bloomery::redis_client {

std::optional<Redirection> redirection_in(const RedisReply& reply) {
  if (!reply.is_error()) return std::nullopt;
  const std::string_view text = reply.text;
  const bool asks = text.starts_with("ASK ");
  if (!asks && !text.starts_with("MOVED ")) return std::nullopt;
  const std::size_t space = text.rfind(' ');
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || colon < space) return std::nullopt;
  Redirection redirection{asks, std::string{text.substr(space + 1, colon - space - 1)}};
  if (!parse_number(text.substr(colon + 1), redirection.port)) return std::nullopt;
  return redirection;
}

}  // namespace bloomery::redis_client
