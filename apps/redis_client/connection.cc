#include "apps/redis_client/connection.h"

#include <hiredis/hiredis.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "bloomery/base/message.h"

namespace bloomery::redis_client {
namespace {

constexpr int kMaxRedirections = 8;
constexpr std::size_t kReadBytes = std::size_t{64} << 10;
constexpr std::uint64_t kSlowestBytes = std::uint64_t{1} << 20;    // of a reply, in each timeout
constexpr std::uint64_t kMaxWordBytes = std::uint64_t{512} << 20;  // the protocol's limit

Error trouble(std::string sentence) { return {ErrorCode::kIo, std::move(sentence)}; }

std::string server_name(const RedisAddress& address) {
  return address.is_socket() ? address.host : message(address.host, ":", address.port);
}

// hiredis takes memory for an array as soon as it reads its length, 8 bytes for an element of which
// nothing has come yet. No reply asked for here is deep or has many elements, so others are not
// begun.
decltype(redisReplyObjectFunctions::createArray) create_any_array = nullptr;

template <class Count>  // int or std::size_t, by the version of hiredis
void* create_small_array(const redisReadTask* task, Count elements) {
  const bool absurd = task->parent != nullptr ||
                      static_cast<std::uint64_t>(elements) > RedisConnection::kMaxElements;
  return absurd ? nullptr : create_any_array(task, elements);
}

void limit_arrays(redisContext& context) {
  static redisReplyObjectFunctions limited = [&] {
    redisReplyObjectFunctions functions = *context.reader->fn;
    create_any_array = functions.createArray;
    functions.createArray = create_small_array;
    return functions;
  }();
  context.reader->fn = &limited;
}

RedisReply taken(const redisReply& raw) {
  RedisReply reply;
  const auto text = [&](RedisReply::Kind kind) {
    reply.kind = kind;
    reply.text.assign(raw.str, raw.len);
  };
  switch (raw.type) {
    case REDIS_REPLY_STATUS:
      text(RedisReply::Kind::kStatus);
      break;
    case REDIS_REPLY_STRING:
      text(RedisReply::Kind::kString);
      break;
    case REDIS_REPLY_ERROR:
      text(RedisReply::Kind::kError);
      break;
    case REDIS_REPLY_INTEGER:
      reply.kind = RedisReply::Kind::kInteger;
      reply.integer = raw.integer;
      break;
    case REDIS_REPLY_ARRAY:
      reply.kind = RedisReply::Kind::kArray;
      for (std::size_t i = 0; i < raw.elements; ++i)
        reply.elements.push_back(taken(*raw.element[i]));
      break;
    default:
      break;
  }
  return reply;
}

struct Redirection {
  bool asks = false;  // for this one command only
  std::string host;   // empty: the same as before
  std::uint16_t port = 0;
};

// "MOVED 3999 127.0.0.1:6381" or "ASK ...". Empty where the reply is anything else.
std::optional<Redirection> redirection_in(const RedisReply& reply) {
  if (!reply.is_error()) return std::nullopt;
  const std::string_view text = reply.text;
  const bool asks = text.starts_with("ASK ");
  if (!asks && !text.starts_with("MOVED ")) return std::nullopt;
  const std::size_t space = text.rfind(' ');
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || colon < space) return std::nullopt;
  Redirection redirection{asks, std::string{text.substr(space + 1, colon - space - 1)}};
  const std::string_view port = text.substr(colon + 1);
  const auto [end, bad] = std::from_chars(port.data(), port.data() + port.size(), redirection.port);
  if (bad != std::errc{} || end != port.data() + port.size()) return std::nullopt;
  return redirection;
}

}  // namespace

void RedisConnection::Deleter::operator()(redisContext* context) const { redisFree(context); }

Result<RedisConnection::Context> RedisConnection::connect(const RedisAddress& address) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(address.timeout);
  const timeval limit{.tv_sec = seconds.count(),
                      .tv_usec = std::chrono::microseconds{address.timeout - seconds}.count()};
  Context context{address.is_socket()
                      ? redisConnectUnixWithTimeout(address.host.c_str(), limit)
                      : redisConnectWithTimeout(address.host.c_str(), address.port, limit)};
  if (context == nullptr) return trouble("there is no memory for a connection");
  if (context->err != 0)
    return trouble(
        message("cannot connect to ", server_name(address), ": ", std::string{context->errstr}));
  if (redisSetTimeout(context.get(), limit) != REDIS_OK)
    return trouble(message("cannot set a time limit for ", server_name(address)));
  limit_arrays(*context);
  return context;
}

bool RedisConnection::goes_on() const { return interrupted_ == nullptr || !interrupted_(); }

Result<RedisConnection> RedisConnection::open(const RedisAddress& address,
                                              Interrupted interrupted) {
  auto context = connect(address);
  if (!context) return context.error();
  RedisConnection connection{address, std::move(*context), interrupted};
  if (connection.address_.password.empty())
    if (const char* password = std::getenv("REDISCLI_AUTH"))
      connection.address_.password = password;
  if (auto greeted = connection.greet(); !greeted) return greeted.error();
  return connection;
}

// No redirection is followed here: a node that answers so would lead from one to the next for ever.
Status RedisConnection::greet() {
  std::vector<RedisCommand> commands;
  if (!address_.password.empty()) {
    commands.push_back({"AUTH"});
    if (!address_.user.empty()) commands.back().push_back(address_.user);
    commands.back().push_back(address_.password);
  }
  const std::string database = std::to_string(address_.database);
  if (address_.database != 0) commands.push_back({"SELECT", database});
  for (const RedisCommand& command : commands) {
    const auto reply = exchange(command, kShortReply);
    if (!reply) return reply.error();
    if (reply->is_error()) return as_error(*reply);
  }
  return ok();
}

Status RedisConnection::send(const RedisCommand& command) {
  std::vector<const char*> words;
  std::vector<std::size_t> lengths;
  std::uint64_t total = 0;
  for (const std::string_view word : command) {
    words.push_back(word.data());
    lengths.push_back(word.size());
    total += word.size();
  }
  if (total > kMaxWordBytes)
    return Error{ErrorCode::kTooLarge,
                 message("a command of ", total, " bytes is more than a server takes, ",
                         kMaxWordBytes, " in one word")};
  char* raw = nullptr;
  const int size =
      redisFormatCommandArgv(&raw, static_cast<int>(command.size()), words.data(), lengths.data());
  if (size < 0) return trouble("there is no memory for a command");
  const std::unique_ptr<char, void (*)(char*)> formatted{raw, redisFreeCommand};
  // Not hiredis's own write: a server that hung up would end this program by SIGPIPE.
  for (std::size_t sent = 0; sent < static_cast<std::size_t>(size);) {
    const ssize_t some =
        ::send(context_->fd, raw + sent, static_cast<std::size_t>(size) - sent, MSG_NOSIGNAL);
    if (some < 0 && errno == EINTR && goes_on()) continue;
    if (some < 0)
      return trouble(
          message("cannot send to ", server_name(address_), ": ",
                  errno == EAGAIN ? "it takes no more, and time is up" : std::strerror(errno)));
    sent += static_cast<std::size_t>(some);
  }
  return ok();
}

Result<RedisReply> RedisConnection::receive(std::uint64_t reply_bytes) {
  std::array<char, kReadBytes> buffer;
  std::chrono::steady_clock::time_point first_bytes;
  for (std::uint64_t received = 0;;) {
    void* raw = nullptr;
    if (redisReaderGetReply(context_->reader, &raw) != REDIS_OK)
      return Error{
          ErrorCode::kMalformed,
          message(server_name(address_), " does not answer as a Redis server does: ",
                  context_->reader->err == REDIS_ERR_OOM ? "an array is too long or too deep"
                                                         : std::string{context_->reader->errstr})};
    if (raw != nullptr) {
      const std::unique_ptr<void, void (*)(void*)> owned{raw, freeReplyObject};
      return taken(*static_cast<const redisReply*>(raw));
    }
    if (received > reply_bytes)
      return Error{ErrorCode::kTooLarge,
                   message(server_name(address_), " answers with more than the ", reply_bytes,
                           " bytes that were expected at most")};
    const ssize_t some = ::recv(context_->fd, buffer.data(), buffer.size(), 0);
    if (some < 0 && errno == EINTR && goes_on()) continue;
    if (some == 0) return trouble(message(server_name(address_), " hung up"));
    if (some < 0)
      return trouble(message(
          server_name(address_), " does not answer: ",
          errno == EAGAIN ? message("nothing came within ", address_.timeout.count() / 1000, " s")
                          : std::strerror(errno)));
    // A server that sends a byte now and then is never silent, and would never be done either.
    const auto now = std::chrono::steady_clock::now();
    if (received == 0) first_bytes = now;
    received += static_cast<std::uint64_t>(some);
    if (now - first_bytes > address_.timeout * (1 + received / kSlowestBytes))
      return trouble(message(server_name(address_), " answers too slowly"));
    if (redisReaderFeed(context_->reader, buffer.data(), static_cast<std::size_t>(some)) !=
        REDIS_OK)
      return trouble("there is no memory for a reply");
  }
}

Result<RedisReply> RedisConnection::exchange(const RedisCommand& command,
                                             std::uint64_t reply_bytes) {
  if (auto sent = send(command); !sent) return sent.error();
  return receive(reply_bytes);
}

// MOVED moves this connection to the node it names; ASK asks that node once.
Result<RedisReply> RedisConnection::ask_elsewhere(const RedisReply& redirection,
                                                  const RedisCommand& command,
                                                  std::uint64_t reply_bytes) {
  const auto target = redirection_in(redirection);
  RedisAddress address = address_;
  if (!target->host.empty()) address.host = target->host;
  address.port = target->port;
  const bool is_here = address.host == address_.host && address.port == address_.port;
  if (!target->asks && is_here) return exchange(command, reply_bytes);
  auto other = open(address, interrupted_);
  if (!other) return other.error();
  if (!target->asks) {
    *this = std::move(*other);
    return exchange(command, reply_bytes);
  }
  if (auto allowed = other->exchange({"ASKING"}, kShortReply); !allowed) return allowed;
  return other->exchange(command, reply_bytes);
}

Result<std::vector<RedisReply>> RedisConnection::call_all(std::span<const RedisCommand> commands,
                                                          std::uint64_t reply_bytes) {
  std::vector<RedisReply> replies;
  for (const RedisCommand& command : commands)
    if (auto sent = send(command); !sent) return sent.error();
  while (replies.size() < commands.size()) {
    auto reply = receive(reply_bytes);
    if (!reply) return reply.error();
    replies.push_back(std::move(*reply));
  }
  for (std::size_t i = 0; i < replies.size(); ++i)
    for (int hops = 0; redirection_in(replies[i]); ++hops) {
      if (hops == kMaxRedirections)
        return trouble(message("the cluster sends us from node to node; after ", hops,
                               " redirections we gave up"));
      auto reply = ask_elsewhere(replies[i], commands[i], reply_bytes);
      if (!reply) return reply.error();
      replies[i] = std::move(*reply);
    }
  return replies;
}

Result<RedisReply> RedisConnection::call(const RedisCommand& command, std::uint64_t reply_bytes) {
  auto replies = call_all({&command, 1}, reply_bytes);
  if (!replies) return replies.error();
  if (replies->front().is_error()) return as_error(replies->front());
  return std::move(replies->front());
}

}  // namespace bloomery::redis_client
