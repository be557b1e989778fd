// A connection to a Redis server, through hiredis. It waits no longer than the address allows,
// takes no reply larger or deeper than its caller expects, and follows the redirections of a
// cluster.
#pragma once
#include <memory>
#include <span>
#include <vector>

#include "apps/redis_client/address.h"
#include "apps/redis_client/reply.h"

struct redisContext;

namespace bloomery::redis_client {

using RedisCommand = std::vector<std::string_view>;  // its words, valid until it is answered
// Asked when a signal interrupts a wait: true ends it.
using Interrupted = bool (*)();

class RedisConnection {
 public:
  static constexpr std::uint64_t kShortReply = std::uint64_t{1} << 20;  // bytes
  static constexpr std::uint64_t kMaxElements = 4096;                   // of an array

  // Connected, with the password given (the address's, or else that in REDISCLI_AUTH), in the
  // address's database.
  static Result<RedisConnection> open(const RedisAddress& address,
                                      Interrupted interrupted = nullptr);

  // The reply of one command. An error reply is an error, in words.
  Result<RedisReply> call(const RedisCommand& command, std::uint64_t reply_bytes = kShortReply);
  // Sends all, then waits for all. Error replies are among the replies: as_error() says what they
  // mean.
  Result<std::vector<RedisReply>> call_all(std::span<const RedisCommand> commands,
                                           std::uint64_t reply_bytes = kShortReply);

 private:
  struct Deleter {
    void operator()(redisContext* context) const;
  };
  using Context = std::unique_ptr<redisContext, Deleter>;

  RedisConnection(RedisAddress address, Context context, Interrupted interrupted)
      : address_{std::move(address)}, context_{std::move(context)}, interrupted_{interrupted} {}
  bool goes_on() const;  // after a signal
  static Result<Context> connect(const RedisAddress& address);
  Status greet();
  Status send(const RedisCommand& command);
  Result<RedisReply> receive(std::uint64_t reply_bytes);
  Result<RedisReply> exchange(const RedisCommand& command, std::uint64_t reply_bytes);
  Result<RedisReply> ask_elsewhere(const RedisReply& redirection, const RedisCommand& command,
                                   std::uint64_t reply_bytes);

  RedisAddress address_;  // of the node that answers now
  Context context_;
  Interrupted interrupted_;
};

// What an error reply means to whoever typed the command. Precondition: reply.is_error().
Error as_error(const RedisReply& reply);
// A server's words for a terminal: nothing in them steers it, and they end.
std::string printable(std::string_view text);

}  // namespace bloomery::redis_client
