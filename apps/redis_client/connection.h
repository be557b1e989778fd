// A connection to a Redis server; hiredis reads the protocol. It waits no longer than the address
// allows, takes no reply larger or deeper than its caller expects, and follows the redirections of
// a cluster.
#pragma once
#include <memory>
#include <span>
#include <vector>

#include "apps/redis_client/address.h"
#include "apps/redis_client/channel.h"
#include "apps/redis_client/reply.h"

struct redisReader;

namespace bloomery::redis_client {

using RedisCommand = std::vector<std::string_view>;  // its words, valid until it is answered
class RedisConnection {
 public:
  static constexpr std::uint64_t kShortReply = std::uint64_t{1} << 20;  // bytes
  static constexpr std::uint64_t kMaxElements = 4096;                   // of an array

  // Connected, with the password of password_of() given, in the address's database.
  static Result<RedisConnection> open(const RedisAddress& address,
                                      Interrupted interrupted = nullptr);

  // The reply of one command. An error reply is an error, in words.
  Result<RedisReply> call(const RedisCommand& command, std::uint64_t reply_bytes = kShortReply);
  // Sends all, then waits for all. Error replies are among the replies: as_error() says what they
  // mean.
  Result<std::vector<RedisReply>> call_all(std::span<const RedisCommand> commands,
                                           std::uint64_t reply_bytes = kShortReply);
  // The two halves of that, for a caller who waits for several servers at once and follows
  // redirections itself. After an error the connection is of no use.
  Status post(std::span<const RedisCommand> commands);
  Result<std::vector<RedisReply>> collect(std::size_t count,
                                          std::uint64_t reply_bytes = kShortReply);

 private:
  struct Deleter {
    void operator()(redisReader* reader) const;
  };
  using Reader = std::unique_ptr<redisReader, Deleter>;

  RedisConnection(RedisAddress address, std::unique_ptr<Channel> channel, Reader reader,
                  Interrupted interrupted)
      : address_{std::move(address)},
        channel_{std::move(channel)},
        reader_{std::move(reader)},
        interrupted_{interrupted} {}
  static Result<std::unique_ptr<Channel>> connect(const RedisAddress& address,
                                                  Interrupted interrupted);
  Patience patience(Clock::time_point at_most) const;
  Status greet();
  Status send(const RedisCommand& command);
  Result<RedisReply> receive(std::uint64_t reply_bytes);
  Result<RedisReply> exchange(const RedisCommand& command, std::uint64_t reply_bytes);
  Result<RedisReply> ask_elsewhere(const RedisReply& redirection, const RedisCommand& command,
                                   std::uint64_t reply_bytes);

  RedisAddress address_;  // of the node that answers now
  std::unique_ptr<Channel> channel_;
  Reader reader_;
  Interrupted interrupted_;
};

// An error reply, in words for the user of the command. Precondition: reply.is_error().
Error as_error(const RedisReply& reply);
// The answers to a command on many keys: 1 or 0 for each, or the reason why the server stopped
// there.
Status take_answers(const RedisReply& reply, std::span<std::uint8_t> answers);
// A server's words for a terminal: nothing in them steers it, and they end.
std::string printable(std::string_view text);

}  // namespace bloomery::redis_client
