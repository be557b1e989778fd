// A reply of a Redis server, in protocol 2.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace bloomery::redis_client {

struct RedisReply {
  enum class Kind : std::uint8_t { kNothing, kStatus, kString, kInteger, kError, kArray };

  Kind kind = Kind::kNothing;
  std::int64_t integer = 0;
  std::string text;  // of a status, a string or an error
  std::vector<RedisReply> elements;

  bool is_error() const { return kind == Kind::kError; }
  bool is_integer() const { return kind == Kind::kInteger; }
  bool is_status(std::string_view word) const { return kind == Kind::kStatus && text == word; }
};

}  // namespace bloomery::redis_client
