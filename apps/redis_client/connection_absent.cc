// In place of connection.cc where hiredis is not installed.
#include "apps/redis_client/connection.h"

namespace bloomery::redis_client {
namespace {

Error built_without() {
  return {ErrorCode::kUnsupported,
          "this bloomery was built without hiredis, and cannot reach servers; install "
          "libhiredis-dev and build it again"};
}

}  // namespace

void RedisConnection::Deleter::operator()(redisReader*) const {}

Result<RedisConnection> RedisConnection::open(const RedisAddress&, Interrupted) {
  return built_without();
}

Result<RedisReply> RedisConnection::call(const RedisCommand&, std::uint64_t) {
  return built_without();
}

Result<std::vector<RedisReply>> RedisConnection::call_all(std::span<const RedisCommand>,
                                                          std::uint64_t) {
  return built_without();
}

Status RedisConnection::post(std::span<const RedisCommand>) { return built_without(); }

Result<std::vector<RedisReply>> RedisConnection::collect(std::size_t, std::uint64_t) {
  return built_without();
}

}  // namespace bloomery::redis_client
