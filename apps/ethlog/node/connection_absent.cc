// In a build without Boost.Beast or OpenSSL.
#include "apps/ethlog/node/connection.h"

namespace bloomery::ethlog {

std::string base64(ByteView) { return {}; }
std::string jwt_token(ByteView, std::uint64_t) { return {}; }

Result<std::unique_ptr<NodeConnector>> NodeConnector::make(const NodeOptions&) {
  return Error{
      ErrorCode::kUnsupported,
      "this build cannot reach nodes: it was built without Boost.Beast or OpenSSL; install "
      "libboost-dev and libssl-dev, and build it again"};
}

}  // namespace bloomery::ethlog
