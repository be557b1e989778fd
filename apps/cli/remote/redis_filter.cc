#include "apps/cli/remote/redis_filter.h"

#include <algorithm>
#include <unordered_set>

#include "apps/cli/shell/interrupts.h"
#include "bloomery/base/message.h"

namespace bloomery::cli {
namespace {

Error malformed(std::string sentence) { return {ErrorCode::kMalformed, std::move(sentence)}; }

// The keys of the next command: so many, or so many bytes of them, but at least one.
std::span<const ByteView> next_keys(std::span<const ByteView> keys) {
  std::size_t count = 0;
  std::uint64_t bytes = 0;
  while (count < keys.size() && count < RedisFilter::kKeysPerCommand &&
         (count == 0 || bytes + keys[count].size() <= RedisFilter::kBytesPerCommand))
    bytes += keys[count++].size();
  return keys.first(count);
}

}  // namespace

Result<RedisFilter> RedisFilter::open(const RedisAddress& address) {
  auto connection = RedisConnection::open(address, InterruptGuard::interrupted);
  if (!connection) return connection.error();
  const auto kind = find_redis_kind(*connection, address);
  if (!kind) return kind.error();
  return RedisFilter{address, std::move(*connection), *kind, find_format((*kind)->format)};
}

// Calls `start keys...` for all keys, several commands under way at a time.
Status RedisFilter::for_each_reply(const RedisCommand& start, std::span<const ByteView> keys,
                                   const UseReply& use) {
  for (std::size_t done = 0; done < keys.size();) {
    std::vector<RedisCommand> commands;
    std::vector<std::span<const ByteView>> parts;
    std::size_t planned = done;
    while (planned < keys.size() && commands.size() < kCommandsInFlight) {
      parts.push_back(next_keys(keys.subspan(planned)));
      commands.push_back(start);
      for (const ByteView key : parts.back()) commands.back().push_back(text_of(key));
      planned += parts.back().size();
    }
    const auto replies = connection_.call_all(commands);
    if (!replies) return replies.error();
    for (std::size_t i = 0; i < parts.size(); done += parts[i++].size())
      if (auto used = use(parts[i], done, (*replies)[i]); !used) return used;
  }
  return ok();
}

Status RedisFilter::still_there() {
  const RedisCommand questions[] = {{"TYPE", address_.key}, {command("INFO"), address_.key}};
  const auto replies = connection_.call_all(questions);
  if (!replies) return replies.error();
  if ((*replies)[0].is_error()) return as_error((*replies)[0]);
  RedisFacts now = redis_facts((*replies)[1]);
  const bool same = redis_kind_of_type((*replies)[0].text) == kind_ &&
                    may_be_the_same(facts_.value_or(RedisFacts{}), now);
  if (!same)
    return Error{ErrorCode::kIo, "the key was deleted or replaced during the query; try again"};
  if (!facts_ || !now.empty()) facts_ = std::move(now);
  return ok();
}

Status RedisFilter::may_contain_batch(std::span<const ByteView> keys,
                                      std::span<std::uint8_t> answers) {
  if (keys.empty()) return ok();
  if (!facts_)
    if (auto there = still_there(); !there) return there;
  const std::string command = this->command("MEXISTS");
  auto asked = for_each_reply(
      {command, address_.key}, keys,
      [&](std::span<const ByteView> part, std::size_t first, const RedisReply& reply) {
        return take_answers(reply, answers.subspan(first, part.size()));
      });
  return asked ? still_there() : asked;
}

Result<std::size_t> RedisFilter::insert_batch(std::span<const ByteView> keys,
                                              std::span<std::uint8_t> is_new) {
  std::ranges::fill(is_new, std::uint8_t{0});
  if (!kind_->tells_new) return insert_counting_copies(keys, is_new);
  const std::string command = this->command("INSERT");
  const auto inserted = for_each_reply(
      {command, address_.key, "NOCREATE", "ITEMS"}, keys,
      [&](std::span<const ByteView> part, std::size_t first, const RedisReply& reply) {
        return take_answers(reply, is_new.subspan(first, part.size()));
      });
  if (!inserted) return inserted.error();
  return static_cast<std::size_t>(std::ranges::count(is_new, std::uint8_t{1}));
}

// CF.INSERT keeps equal keys as often as they come, and so does not say which it had: they are
// looked up before, and a copy within the batch is found here.
Result<std::size_t> RedisFilter::insert_counting_copies(std::span<const ByteView> keys,
                                                        std::span<std::uint8_t> is_new) {
  std::vector<std::uint8_t> known(keys.size());
  if (auto asked = may_contain_batch(keys, known); !asked) return asked.error();
  const std::string command = this->command("INSERT");
  std::unordered_set<std::string_view> seen;
  std::size_t count = 0;
  const auto inserted = for_each_reply(
      {command, address_.key, "NOCREATE", "ITEMS"}, keys,
      [&](std::span<const ByteView> part, std::size_t first, const RedisReply& reply) -> Status {
        std::vector<std::uint8_t> done(part.size());
        if (auto taken = take_answers(reply, done); !taken) return taken;
        for (std::size_t i = 0; i < part.size(); ++i) {
          const bool is_first = seen.insert(text_of(part[i])).second;
          is_new[first + i] = is_first && known[first + i] == 0 ? 1 : 0;
          count += is_new[first + i];
        }
        return ok();
      });
  if (!inserted) return inserted.error();
  return count;
}

// False at the end of the dump.
Result<bool> RedisFilter::append_chunk(std::int64_t& position, std::vector<std::byte>& dump,
                                       std::uint64_t most) {
  constexpr std::uint64_t kLongestWord = std::uint64_t{512} << 20;
  const std::string command = this->command("SCANDUMP");
  const std::string iterator = std::to_string(position);
  const auto reply = connection_.call({command, address_.key, iterator},
                                      std::min(most, kLongestWord) + RedisConnection::kShortReply);
  if (!reply) return reply.error();
  if (reply->elements.size() != 2 || !reply->elements[0].is_integer())
    return malformed(message("the server answers ", command, " with something other than a chunk"));
  const std::int64_t next = reply->elements[0].integer;
  const ByteView chunk = bytes_of(reply->elements[1].text);
  if (next == 0) return false;
  if (next <= position || chunk.empty())
    return malformed(message("the server's dump does not go on after position ", position));
  if (chunk.size() > most)
    return Error{ErrorCode::kTooLarge, message("the server's dump has more than the ", most,
                                               " bytes left of what --memory allows")};
  dump.insert(dump.end(), chunk.begin(), chunk.end());
  position = next;
  return true;
}

// A layer that is added meanwhile is left out: as many bytes are read as the header, the first
// chunk, speaks of.
Result<std::vector<std::byte>> RedisFilter::fetch_once(DecodeLimits limits) {
  constexpr std::uint64_t kLongestHeader = std::uint64_t{1} << 20;
  std::vector<std::byte> dump;
  std::int64_t position = 0;
  const auto begun = append_chunk(position, dump, kLongestHeader);
  if (!begun) return begun.error();
  if (!*begun) {  // a cuckoo filter with no key in it: the peer's dump of one is empty
    const auto payload =
        connection_.call({"DUMP", address_.key}, limits.max_bytes + kLongestHeader);
    if (!payload) return payload.error();
    const ByteView bytes = bytes_of(payload->text);
    return std::vector<std::byte>{bytes.begin(), bytes.end()};
  }
  if (kind_->bytes_behind == nullptr) return fetch_file(position, limits);
  const auto body = kind_->bytes_behind(dump);
  if (!body) return body.error();
  if (*body > limits.max_bytes)
    return Error{ErrorCode::kTooLarge, message("the filter has ", *body, " bytes; --memory ",
                                               "allows ", limits.max_bytes)};
  for (std::uint64_t left = *body; left > 0;) {
    const std::size_t before = dump.size();
    const auto more = append_chunk(position, dump, left);
    if (!more) return more.error();
    if (!*more)
      return Error{ErrorCode::kTruncated,
                   message("the server's dump ends ", left, " bytes before its header says")};
    left -= dump.size() - before;
  }
  return dump;
}

// What follows the manifest of a filter in one part, which is a file of ours.
Result<std::vector<std::byte>> RedisFilter::fetch_file(std::int64_t position, DecodeLimits limits) {
  const std::string command = this->command("INFO");
  const auto parts = connection_.call({command, address_.key, "FILTERS"});
  if (!parts) return parts.error();
  if (parts->elements.size() != 1 || !parts->elements[0].is_integer())
    return malformed("the server does not say in how many parts the filter is");
  if (const std::int64_t count = parts->elements[0].integer; count != 1)
    return Error{
        ErrorCode::kUnsupported,
        message(
            "the filter is in ", count, " parts (it grew, or forgets by time), and ",
            "only a filter in one part can be fetched; query and add work on the server itself")};
  std::vector<std::byte> file;
  for (;;) {
    const auto more = append_chunk(position, file, limits.max_bytes - file.size());
    if (!more) return more.error();
    if (!*more) return file;
  }
}

Result<std::vector<std::byte>> RedisFilter::fetch(DecodeLimits limits) {
  if (!kind_->must_be_still) return fetch_once(limits);
  constexpr int kTries = 5;
  for (int i = 0; i < kTries; ++i) {
    if (auto watched = connection_.call({"WATCH", address_.key}); !watched) return watched.error();
    auto dump = fetch_once(limits);
    if (!dump) return dump;
    const RedisCommand transaction[] = {{"MULTI"}, {"EXEC"}};
    const auto replies = connection_.call_all(transaction);
    if (!replies) return replies.error();
    if (replies->back().is_error()) return as_error(replies->back());
    if (replies->back().kind != RedisReply::Kind::kNothing) return dump;
  }
  return Error{ErrorCode::kIo, message("in each of ", kTries,
                                       " tries another client wrote to the filter while it was ",
                                       "fetched; try again when there are fewer writes")};
}

Description RedisFilter::describe() {
  auto predicted = kind_->foretell(connection_, address_);
  if (predicted) return std::move(*predicted);
  Description unknown;
  unknown.format = kind_->format;
  unknown.layout = "unknown";
  return unknown;
}

}  // namespace bloomery::cli
