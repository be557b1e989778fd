#include "apps/redis/server/names.h"

#include <algorithm>
#include <array>

#include "bloomery/formats/redis/redisbloom_rdb.h"
#include "bloomery/formats/redis/rediscuckoo_rdb.h"

namespace bloomery::redis_module {
namespace {

std::string& prefix() {
  static std::string text;
  return text;
}

constexpr std::string_view kSent[] = {"BF.INSERT", "BF.MADD",    "BF.MERGE", "BF.RESERVE",
                                      "BF.ROTATE", "CF.RESERVE", "CF.INSERT"};
std::array<std::string, std::size(kSent)>& sent() {
  static std::array<std::string, std::size(kSent)> names;
  return names;
}

}  // namespace

void set_prefix(std::string text) {
  prefix() = std::move(text);
  for (std::size_t i = 0; i < std::size(kSent); ++i) sent()[i] = command_name(kSent[i]);
}

const std::string& replicated_command(std::string_view name) {
  return sent()[static_cast<std::size_t>(std::ranges::find(kSent, name) - std::begin(kSent))];
}

std::string module_name() { return prefix().empty() ? "bf" : prefix(); }

std::string command_name(std::string_view name) {
  return prefix().empty() ? std::string{name} : prefix() + "." + std::string{name};
}

std::string bloom_type_name() {
  return prefix().empty() ? std::string{kRedisBloomTypeName} : "BLMbloom-";
}

std::string cuckoo_type_name() {
  return prefix().empty() ? std::string{kRedisCuckooTypeName} : "BLMcuckoo";
}

std::string native_type_name() { return prefix().empty() ? "BLOOMERY1" : "BLMown---"; }

}  // namespace bloomery::redis_module
