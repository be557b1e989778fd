// Settings of the module: the defaults of new filters and the memory limit of one. Load arguments
// and CONFIG SET set the same table.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace bloomery::redis_module {

struct Settings {
  double error_rate = 0.01;
  std::int64_t initial_size = 100;
  std::int64_t expansion = 2;           // 0 does not grow
  std::int64_t cuckoo_bucket_size = 2;  // at most half of the initial size
  std::int64_t cuckoo_initial_size = 1024;
  std::int64_t cuckoo_iterations = 20;
  std::int64_t cuckoo_expansion = 1;    // 0 does not grow
  std::int64_t cuckoo_expansions = 32;  // with as many layers, nothing is inserted
  std::int64_t filter_bytes = 0;     // ours: more is refused, growth included; 0 follows the server
  std::int64_t redisbloom_only = 0;  // ours: 1 refuses what RedisBloom does not have
};

struct Setting {
  const char* name;
  const char* older_name;          // as a load argument; may be null
  bool load_argument;              // else it is set at run time only
  std::int64_t Settings::*number;  // null: the error rate
  std::int64_t least;              // assign() may narrow these two
  std::int64_t most;
  bool is_flag = false;   // yes or no
  bool zero_too = false;  // 0 is below the least, and means something of its own
};
std::span<const Setting> settings_table();

// The sentence to answer where the value is refused. A rate above 0.25 becomes 0.25, as in the
// peer.
std::optional<std::string> assign(const Setting& setting, std::string_view value,
                                  Settings& settings);
std::string value_text(const Setting& setting, const Settings& settings);

struct LoadArguments {
  Settings settings;
  std::string prefix;                // put before every name the module takes; empty: none
  std::vector<std::string> notices;  // for the log: older names, a rate that was lowered
};
// Pairs of name and value, or the sentence that says why the module cannot be loaded.
std::variant<LoadArguments, std::string> parse_load_arguments(
    std::span<const std::string_view> words);

}  // namespace bloomery::redis_module
