// What the error replies of a Redis server mean, for people.
#include <algorithm>

#include "apps/redis_client/connection.h"
#include "bloomery/base/message.h"

namespace bloomery::redis_client {
namespace {

struct Meaning {
  std::string_view begins;
  ErrorCode code;
  std::string_view advice;
};

constexpr Meaning kMeanings[] = {
    {"NOAUTH", ErrorCode::kIo,
     "; give the password with --redis-password-file, or in BLOOMERY_REDIS_PASSWORD or "
     "REDISCLI_AUTH"},
    {"WRONGPASS", ErrorCode::kIo, ""},
    {"NOPERM", ErrorCode::kIo, "; ask for a user who may run it"},
    {"ERR unknown command", ErrorCode::kUnsupported,
     "; load bloomery.so (or RedisBloom) into the server, and say ?prefix=NAME where it was loaded "
     "with PREFIX"},
    {"OOM", ErrorCode::kTooLarge, ""},
    {"ERR non scaling filter is full", ErrorCode::kTooLarge,
     "; keys that came before are in, and this one is not"},
    {"ERR problem inserting into filter", ErrorCode::kTooLarge, ""},
    {"ERR Insufficient memory", ErrorCode::kTooLarge, ""},
    {"Maximum expansions reached", ErrorCode::kTooLarge, ""},
    {"ERR received bad data", ErrorCode::kMalformed, ""},
    {"WRONGTYPE", ErrorCode::kMalformed, ""},
};

}  // namespace

std::string printable(std::string_view text) {
  constexpr std::size_t kLongest = 300;
  std::string shown{text.substr(0, kLongest)};
  std::ranges::replace_if(
      shown, [](unsigned char letter) { return letter < 0x20 || letter == 0x7f; }, '?');
  return shown;
}

Error as_error(const RedisReply& reply) {
  const auto* meaning = std::ranges::find_if(
      kMeanings, [&](const Meaning& known) { return reply.text.starts_with(known.begins); });
  const bool known = meaning != std::end(kMeanings);
  return {known ? meaning->code : ErrorCode::kIo,
          message("the server says: ", printable(reply.text), known ? meaning->advice : "")};
}

}  // namespace bloomery::redis_client
