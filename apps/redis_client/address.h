// Where a filter lies in a Redis server:
//   redis://[[user:]password@]host[:port]/key[?option=value&...]
//   rediss://...                                     the same, encrypted (TLS)
//   unix://[[user:]password@]/path/of/redis.sock[?option=value&...]#key
// Key, user, password, host and path are percent-decoded. A host that begins with a slash
// (%2Frun%2Fredis.sock) is a socket of this machine too. Options: db (a number), timeout (seconds),
// prefix (what the module was loaded with as PREFIX), cluster (1: other nodes get the password).
// One filter over many keys: shards (auto, or a number), wait (replicas that confirm a write),
// replicas (1: reads may go to them).
#pragma once
#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "bloomery/base/result.h"

namespace bloomery::redis_client {

struct RedisAddress {
  std::string host;
  std::uint16_t port = 6379;
  std::string user;
  std::string password;  // empty: none
  std::string key;       // any bytes, at least one
  std::uint32_t database = 0;
  std::chrono::milliseconds timeout{30'000};  // for a connection, and for any word from the server
  std::string prefix;
  bool is_encrypted = false;
  bool is_cluster = false;
  std::optional<std::uint32_t> shards = std::nullopt;  // of a sharded filter; 0: auto
  std::uint32_t wait_replicas = 0;
  bool reads_replicas = false;

  bool is_socket() const { return host.starts_with('/'); }
};

// True for what parse_redis_address takes or explains; everything else is the name of a file.
bool is_redis_address(std::string_view text);
Result<RedisAddress> parse_redis_address(std::string_view text);

// The text with user and password left out of every address in it: for people, and for logs.
std::string without_password(std::string_view text);
// In place, by asterisks: for a process list.
void overwrite_passwords(std::span<char> text);

}  // namespace bloomery::redis_client
