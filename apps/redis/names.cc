#include "apps/redis/names.h"

#include "bloomery/formats/redisbloom_rdb.h"
#include "bloomery/formats/rediscuckoo_rdb.h"

namespace bloomery::redis_module {
namespace {

std::string& prefix() {
  static std::string text;
  return text;
}

}  // namespace

void set_prefix(std::string text) { prefix() = std::move(text); }

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

std::string own_type_name() { return prefix().empty() ? "BLOOMERY1" : "BLMown---"; }

}  // namespace bloomery::redis_module
