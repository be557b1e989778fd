#include "apps/redis_client/connection.h"

#include <hiredis/hiredis.h>

#include <algorithm>
#include <array>
#include <chrono>

#include "apps/redis_client/redirection.h"
#include "apps/redis_client/settings.h"
#include "bloomery/base/message.h"

namespace bloomery::redis_client {
namespace {

constexpr int kMaxRedirections = 8;
constexpr std::size_t kReadBytes = std::size_t{64} << 10;
constexpr std::uint64_t kSlowestBytes = std::uint64_t{1} << 20;    // either way, in each timeout
constexpr std::uint64_t kMaxWordBytes = std::uint64_t{512} << 20;  // the protocol's limit

Error connection_error(std::string sentence) { return {ErrorCode::kIo, std::move(sentence)}; }

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

void limit_arrays(redisReader& reader) {
  static redisReplyObjectFunctions limited = [&] {
    redisReplyObjectFunctions functions = *reader.fn;
    create_any_array = functions.createArray;
    functions.createArray = create_small_array;
    return functions;
  }();
  reader.fn = &limited;
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

// A server may repeat what it does not understand.
RedisReply without_secret(RedisReply reply, const std::string& secret) {
  if (secret.empty()) return reply;
  for (std::size_t at = 0; (at = reply.text.find(secret, at)) != std::string::npos;)
    reply.text.replace(at, secret.size(), "***"), at += 3;
  return reply;
}

}  // namespace

void RedisConnection::Deleter::operator()(redisReader* reader) const { redisReaderFree(reader); }

Result<std::unique_ptr<Channel>> RedisConnection::connect(const RedisAddress& address,
                                                          Interrupted interrupted) {
  const auto failed = [&](const Error& why) {
    return Error{why.code, message("cannot connect to ", server_name(address), ": ",
                                   is_time_up(why) ? message("no answer within ",
                                                             address.timeout.count() / 1000, " s")
                                                   : why.message)};
  };
  const Patience patience{Clock::now() + address.timeout, interrupted};
  auto socket = Socket::connect(address, patience);
  if (!socket) return failed(socket.error());
  if (!address.is_encrypted) return plain_channel(std::move(*socket));
  auto channel = encrypted_channel(std::move(*socket), address, patience);
  if (!channel) return failed(channel.error());
  return channel;
}

Patience RedisConnection::patience(Clock::time_point at_most) const {
  return {std::min(Clock::now() + address_.timeout, at_most), interrupted_};
}

Result<RedisConnection> RedisConnection::open(const RedisAddress& address,
                                              Interrupted interrupted) {
  RedisAddress with_password = address;
  auto password = password_of(address);
  if (!password) return password.error();
  with_password.password = std::move(*password);
  auto channel = connect(with_password, interrupted);
  if (!channel) return channel.error();
  Reader reader{redisReaderCreate()};
  if (reader == nullptr) return connection_error("there is no memory for a connection");
  limit_arrays(*reader);
  RedisConnection connection{std::move(with_password), std::move(*channel), std::move(reader),
                             interrupted};
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
    if (reply->is_error()) return as_error(without_secret(*reply, address_.password));
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
  if (size < 0) return connection_error("there is no memory for a command");
  const std::unique_ptr<char, void (*)(char*)> formatted{raw, redisFreeCommand};
  std::string_view left{raw, static_cast<std::size_t>(size)};
  const auto over = Clock::now() + address_.timeout * (1 + left.size() / kSlowestBytes);
  while (!left.empty()) {
    const auto some = channel_->send(left, patience(over));
    if (!some)
      return connection_error(message("cannot send to ", server_name(address_), ": ",
                                      is_time_up(some.error())
                                          ? "it accepts no more data, and the time limit has passed"
                                          : some.error().message));
    left.remove_prefix(*some);
  }
  return ok();
}

Result<RedisReply> RedisConnection::receive(std::uint64_t reply_bytes) {
  std::array<char, kReadBytes> buffer;
  Clock::time_point first_bytes;
  for (std::uint64_t received = 0;;) {
    void* raw = nullptr;
    if (redisReaderGetReply(reader_.get(), &raw) != REDIS_OK)
      return Error{ErrorCode::kMalformed,
                   message(server_name(address_), " sent an invalid reply: ",
                           reader_->err == REDIS_ERR_OOM ? "an array is too long or too deep"
                                                         : std::string{reader_->errstr})};
    if (raw != nullptr) {
      const std::unique_ptr<void, void (*)(void*)> owned{raw, freeReplyObject};
      return taken(*static_cast<const redisReply*>(raw));
    }
    if (received > reply_bytes)
      return Error{ErrorCode::kTooLarge,
                   message(server_name(address_), " sent a reply above the expected ", reply_bytes,
                           " bytes")};
    const auto some = channel_->receive(buffer, patience(Clock::time_point::max()));
    if (!some)
      return connection_error(
          message(server_name(address_), " does not answer: ",
                  is_time_up(some.error())
                      ? message("nothing came within ", address_.timeout.count() / 1000, " s")
                      : some.error().message));
    if (*some == 0) return connection_error(message(server_name(address_), " hung up"));
    // A server that sends a byte now and then is never silent, and would never be done either.
    const auto now = Clock::now();
    if (received == 0) first_bytes = now;
    received += *some;
    if (now - first_bytes > address_.timeout * (1 + received / kSlowestBytes))
      return connection_error(message(server_name(address_), " answers too slowly"));
    if (redisReaderFeed(reader_.get(), buffer.data(), *some) != REDIS_OK)
      return connection_error("there is no memory for a reply");
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
  if (address.host != address_.host && !address_.password.empty() && !address_.is_cluster)
    return Error{ErrorCode::kInvalidArgument,
                 message(server_name(address_), " redirects to ", printable(server_name(address)),
                         ", but the password is only for ", address_.host,
                         "; if this is a cluster whose nodes may have it, add ?cluster=1")};
  auto other = open(address, interrupted_);
  if (!other) return other.error();
  if (!target->asks) {
    *this = std::move(*other);
    return exchange(command, reply_bytes);
  }
  if (auto allowed = other->exchange({"ASKING"}, kShortReply); !allowed) return allowed;
  return other->exchange(command, reply_bytes);
}

Status RedisConnection::post(std::span<const RedisCommand> commands) {
  for (const RedisCommand& command : commands)
    if (auto sent = send(command); !sent) return sent;
  return ok();
}

Result<std::vector<RedisReply>> RedisConnection::collect(std::size_t count,
                                                         std::uint64_t reply_bytes) {
  std::vector<RedisReply> replies;
  while (replies.size() < count) {
    auto reply = receive(reply_bytes);
    if (!reply) return reply.error();
    replies.push_back(std::move(*reply));
  }
  return replies;
}

Result<std::vector<RedisReply>> RedisConnection::call_all(std::span<const RedisCommand> commands,
                                                          std::uint64_t reply_bytes) {
  if (auto sent = post(commands); !sent) return sent.error();
  auto replies = collect(commands.size(), reply_bytes);
  if (!replies) return replies;
  for (std::size_t i = 0; i < replies->size(); ++i) {
    RedisReply& answer = (*replies)[i];
    for (int hops = 0; redirection_in(answer); ++hops) {
      if (hops == kMaxRedirections)
        return connection_error(
            message("the cluster redirected the command more than ", hops, " times"));
      auto reply = ask_elsewhere(answer, commands[i], reply_bytes);
      if (!reply) return reply.error();
      answer = std::move(*reply);
    }
  }
  return replies;
}

Result<RedisReply> RedisConnection::call(const RedisCommand& command, std::uint64_t reply_bytes) {
  auto replies = call_all({&command, 1}, reply_bytes);
  if (!replies) return replies.error();
  if (replies->front().is_error()) return as_error(replies->front());
  return std::move(replies->front());
}

Status take_answers(const RedisReply& reply, std::span<std::uint8_t> answers) {
  if (reply.is_error()) return as_error(reply);
  for (std::size_t i = 0; i < reply.elements.size() && i < answers.size(); ++i) {
    const RedisReply& answer = reply.elements[i];
    if (answer.is_error()) return as_error(answer);
    if (answer.is_integer() && answer.integer == -1)
      return Error{ErrorCode::kTooLarge,
                   "the server's filter is full; the keys before this one were added"};
    if (!answer.is_integer() || answer.integer < 0 || answer.integer > 1)
      return Error{ErrorCode::kMalformed,
                   "the server answers something other than 0 or 1 for a key"};
    answers[i] = static_cast<std::uint8_t>(answer.integer);
  }
  if (reply.elements.size() != answers.size())
    return Error{ErrorCode::kMalformed, message("the server gives ", reply.elements.size(),
                                                " answers for ", answers.size(), " keys")};
  return ok();
}

}  // namespace bloomery::redis_client
