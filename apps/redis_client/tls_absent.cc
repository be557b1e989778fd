// In place of tls_channel.cc where OpenSSL is not installed.
#include "apps/redis_client/channel.h"

namespace bloomery::redis_client {

Result<std::unique_ptr<Channel>> encrypted_channel(Socket, const RedisAddress&, const Patience&) {
  return Error{ErrorCode::kUnsupported,
               "this bloomery was built without OpenSSL, and cannot connect by TLS; install "
               "libssl-dev and build it again"};
}

}  // namespace bloomery::redis_client
