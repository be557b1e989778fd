// A filter in a Redis server: queried and added to where it is, or fetched whole. redis_store.h
// stores one.
#pragma once
#include <functional>

#include "apps/cli/remote/redis_facts.h"
#include "apps/cli/remote/redis_kind.h"
#include "apps/cli/remote/remote_filter.h"

namespace bloomery::cli {

class RedisFilter final : public RemoteFilter {
 public:
  static constexpr std::size_t kKeysPerCommand = 1000;
  static constexpr std::uint64_t kBytesPerCommand = std::uint64_t{1} << 20;  // of keys, or one key
  static constexpr std::size_t kCommandsInFlight = 16;

  // kIo where there is no such key.
  static Result<RedisFilter> open(const RedisAddress& address);
  RedisFilter(RedisFilter&& other) noexcept
      : address_{std::move(other.address_)},
        connection_{std::move(other.connection_)},
        kind_{other.kind_},
        facts_{std::move(other.facts_)},
        format_{other.format_} {}

  const Format& format() const override { return *format_; }

  // An error where the key has gone meanwhile, or holds what cannot be the filter of the batch
  // before: of a missing key the server says that nothing is in it.
  Status may_contain_batch(std::span<const ByteView> keys,
                           std::span<std::uint8_t> answers) override;
  // Never makes a filter. Keys before an error may be in. is_new as in AnyFilter's.
  Result<std::size_t> insert_batch(std::span<const ByteView> keys,
                                   std::span<std::uint8_t> is_new) override;

  // The dump, in the bytes of format(). A filter that must be still is fetched again when another
  // client wrote to it meanwhile; another may hold some of the keys that come while it is fetched.
  Result<std::vector<std::byte>> fetch(DecodeLimits limits) override;

  // Health from the counts that the server keeps; none where it does not report them.
  Description describe() override;

 private:
  using UseReply =
      std::function<Status(std::span<const ByteView> keys, std::size_t first, const RedisReply&)>;

  RedisFilter(RedisAddress address, RedisConnection connection, const RedisKind* kind,
              const Format* format)
      : address_{std::move(address)},
        connection_{std::move(connection)},
        kind_{kind},
        format_{format} {}
  std::string command(std::string_view verb) const { return redis_command(address_, *kind_, verb); }
  Status for_each_reply(const RedisCommand& start, std::span<const ByteView> keys,
                        const UseReply& use);
  Status still_there();
  Result<std::size_t> insert_counting_copies(std::span<const ByteView> keys,
                                             std::span<std::uint8_t> is_new);
  Result<std::vector<std::byte>> fetch_once(DecodeLimits limits);
  Result<std::vector<std::byte>> fetch_file(std::int64_t position, DecodeLimits limits);
  Result<bool> append_chunk(std::int64_t& position, std::vector<std::byte>& dump,
                            std::uint64_t most);

  RedisAddress address_;
  RedisConnection connection_;
  const RedisKind* kind_;
  std::optional<RedisFacts> facts_;  // after the last batch
  const Format* format_;
};

}  // namespace bloomery::cli
