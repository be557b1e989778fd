#include "apps/cli/remote/redis_store.h"

#include <functional>
#include <random>

#include "apps/cli/shell/interrupts.h"
#include "bloomery/base/message.h"

namespace bloomery::cli {
namespace {

// What LOADCHUNK takes, first to last.
struct Pieces {
  const RedisKind* kind;
  std::vector<std::byte> header;
  std::function<RedisChunk(std::int64_t position)> chunk_at;
};

template <class Filter>
Pieces pieces(const Filter& filter, std::string_view format, std::vector<std::byte> header) {
  return {redis_kind_of_format(format), std::move(header),
          [&filter](std::int64_t position) { return chunk_at(filter, position); }};
}

Error no_such_kind() {
  std::string names;
  for (const RedisKind& kind : redis_kinds())
    if (kind.can_be_stored) names += message(names.empty() ? "" : " and ", kind.format);
  return {ErrorCode::kUnsupported, message("a server holds filters of the formats ", names,
                                           " only; build the filter with --format redisbloom")};
}

Result<Pieces> pieces_of(const AnyFilter& filter) {
  if (const auto* bloom = std::get_if<RedisBloomFilter>(&filter)) {
    auto header = encode_redisbloom_header(*bloom);
    if (!header) return header.error();
    return pieces(*bloom, "redisbloom", std::move(*header));
  }
  if (const auto* cuckoo = std::get_if<RedisCuckooFilter>(&filter))
    return pieces(*cuckoo, "rediscuckoo", encode_rediscuckoo_header(*cuckoo));
  return no_such_kind();
}

// In the same slot of a cluster as the key, by its hash tag: its own, or the whole key.
std::string temporary_key(std::string_view key) {
  std::random_device device;
  const std::string suffix =
      message(":bloomery-loading-", std::hex, device(), device(), device(), device());
  const std::size_t open = key.find('{');
  const std::size_t close = open == std::string_view::npos ? open : key.find('}', open);
  const bool has_tag = close != std::string_view::npos && close > open + 1;
  const bool can_be_tag = !has_tag && key.find('}') == std::string_view::npos;
  return can_be_tag ? message("{", key, "}", suffix) : message(key, suffix);
}

class Storing {
 public:
  Storing(const RedisAddress& address, RedisConnection connection)
      : address_{address},
        connection_{std::move(connection)},
        temporary_{temporary_key(address.key)} {}

  Status run(const Pieces& pieces, bool replace) {
    auto stored = load(pieces);
    if (stored) stored = put_in_place(replace);
    if (!stored) remove_temporary();
    return stored;
  }

 private:
  // Over a new connection: the old one may have been interrupted in the middle of a command, and
  // would take DEL for a part of it. Where there is none, the server removes the key in time.
  void remove_temporary() {
    auto again = RedisConnection::open(address_);
    if (!again) return;
    connection_ = std::move(*again);
    (void)connection_.call({"DEL", temporary_});
  }

  Status load(const Pieces& pieces) {
    const std::string command = redis_command(address_, *pieces.kind, "LOADCHUNK");
    if (auto sent = load_piece(command, 1, pieces.header); !sent) return sent;
    for (RedisChunk chunk = pieces.chunk_at(1); !chunk.bytes.empty();
         chunk = pieces.chunk_at(chunk.next)) {
      if (InterruptGuard::interrupted())
        return Error{ErrorCode::kIo, "interrupted; the key is unchanged"};
      if (auto sent = load_piece(command, chunk.next, chunk.bytes); !sent) return sent;
    }
    return ok();
  }

  Status load_piece(const std::string& command, std::int64_t position, ByteView bytes) {
    const std::string iterator = std::to_string(position);
    const RedisCommand commands[] = {{command, temporary_, iterator, text_of(bytes)},
                                     {"EXPIRE", temporary_, "3600"}};
    const auto replies = connection_.call_all(commands);
    if (!replies) return replies.error();
    for (const RedisReply& reply : *replies)
      if (reply.is_error()) return as_error(reply);
    return ok();
  }

  Status put_in_place(bool replace) {
    const auto lifetime = connection_.call({"PTTL", address_.key});
    if (!lifetime) return lifetime.error();
    const std::string milliseconds = std::to_string(lifetime->integer);
    const bool expires = replace && lifetime->integer > 0;
    const RedisCommand commands[] = {{"MULTI"},
                                     expires ? RedisCommand{"PEXPIRE", temporary_, milliseconds}
                                             : RedisCommand{"PERSIST", temporary_},
                                     {replace ? "RENAME" : "RENAMENX", temporary_, address_.key},
                                     {"EXEC"}};
    const auto replies = connection_.call_all(commands);
    if (!replies) return replies.error();
    for (const RedisReply& reply : *replies)
      if (reply.is_error()) return as_error(reply);
    return renamed(replies->back(), replace);
  }

  static Status renamed(const RedisReply& reply, bool replace) {
    if (reply.elements.size() != 2)
      return Error{ErrorCode::kMalformed, "the server did not report whether the key was stored"};
    const RedisReply& last = reply.elements.back();
    if (last.is_error()) return as_error(last);
    if (!replace && last.integer != 1)
      return Error{ErrorCode::kInvalidArgument,
                   "another client created this key meanwhile; --force replaces it"};
    return ok();
  }

  const RedisAddress& address_;
  RedisConnection connection_;
  std::string temporary_;
};

}  // namespace

Status server_holds(std::string_view format) {
  const RedisKind* kind = redis_kind_of_format(format);
  return kind != nullptr && kind->can_be_stored ? ok() : Status{no_such_kind()};
}

Status may_store(const RedisAddress& address, bool replace) {
  auto connection = RedisConnection::open(address, InterruptGuard::interrupted);
  if (!connection) return connection.error();
  const auto type = connection->call({"TYPE", address.key});
  if (!type) return type.error();
  if (type->is_status("none")) return ok();
  if (redis_kind_of_type(type->text) == nullptr)
    return Error{ErrorCode::kInvalidArgument,
                 message("the key holds a value of type '", printable(type->text),
                         "'; only a filter can be replaced")};
  if (replace) return ok();
  return Error{ErrorCode::kInvalidArgument, "the key exists; --force replaces it"};
}

Status store_filter(const RedisAddress& address, const AnyFilter& filter, bool replace) {
  const auto pieces = pieces_of(filter);
  if (!pieces) return pieces.error();
  auto connection = RedisConnection::open(address, InterruptGuard::interrupted);
  if (!connection) return connection.error();
  const InterruptGuard guard;
  return Storing{address, std::move(*connection)}.run(*pieces, replace);
}

}  // namespace bloomery::cli
