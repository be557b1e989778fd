#include "apps/redis/server/settings.h"

#include <algorithm>

#include "apps/redis/server/numbers.h"
#include "bloomery/base/message.h"
#include "bloomery/formats/redis/redisbloom.h"
#include "bloomery/formats/redis/rediscuckoo.h"

namespace bloomery::redis_module {
namespace {

constexpr Setting kSettings[] = {
    {"bf-error-rate", "ERROR_RATE", true, nullptr, 0, 1},
    {"bf-initial-size", "INITIAL_SIZE", true, &Settings::initial_size, 1,
     RedisBloomFilter::kMaxGoalKeys},
    {"bf-expansion-factor", nullptr, false, &Settings::expansion, 0,
     RedisBloomFilter::kMaxExpansion},
    {"cf-bucket-size", nullptr, false, &Settings::cuckoo_bucket_size, 1,
     RedisCuckooFilter::kMaxBucketSize},
    {"cf-initial-size", nullptr, false, &Settings::cuckoo_initial_size, 2,
     RedisCuckooFilter::kMaxGoalKeys},
    {"cf-max-iterations", nullptr, false, &Settings::cuckoo_iterations, 1,
     RedisCuckooFilter::kMaxIterations},
    {"cf-expansion-factor", nullptr, false, &Settings::cuckoo_expansion, 0,
     RedisCuckooFilter::kMaxExpansion},
    {"cf-max-expansions", "CF_MAX_EXPANSIONS", true, &Settings::cuckoo_expansions, 1, 65536},
    {"bf-filter-memory-limit", nullptr, true, &Settings::filter_bytes, 64, kMaxBits / 8, false,
     true},
    {"bf-redisbloom-only", nullptr, true, &Settings::redisbloom_only, 0, 1, true},
};

std::string invalid(const Setting& setting) {
  return message("Invalid value for `", setting.name, "`");
}

std::optional<std::string> assign_rate(const Setting& setting, std::string_view value,
                                       Settings& settings) {
  const auto rate = parse_double(value);
  if (!rate) return invalid(setting);
  if (!(*rate > 0 && *rate < 1))
    return message("Value for `", setting.name, "` must be in the range (0.000000, 1.000000)");
  settings.error_rate = std::min(*rate, RedisBloomFilter::kMaxRate);
  return std::nullopt;
}

// A new cuckoo filter has two buckets at least, so that the sizes bound each other.
std::int64_t least_of(const Setting& setting, const Settings& settings) {
  if (setting.number != &Settings::cuckoo_initial_size) return setting.least;
  return std::max(setting.least, 2 * settings.cuckoo_bucket_size);
}
std::int64_t most_of(const Setting& setting, const Settings& settings) {
  if (setting.number != &Settings::cuckoo_bucket_size) return setting.most;
  return std::min(setting.most, settings.cuckoo_initial_size / 2);
}

bool valid_prefix(std::string_view prefix) {
  constexpr std::string_view kAllowed =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
  return !prefix.empty() && prefix.size() <= 32 &&
         prefix.find_first_not_of(kAllowed) == std::string_view::npos;
}

const Setting* named(std::string_view word) {
  const auto found = std::ranges::find_if(kSettings, [&](const Setting& setting) {
    return setting.load_argument &&
           (same_word(word, setting.name) ||
            (setting.older_name != nullptr && same_word(word, setting.older_name)));
  });
  return found == std::end(kSettings) ? nullptr : found;
}

std::optional<std::string> take_argument(std::string_view name, std::string_view value,
                                         LoadArguments& arguments) {
  if (same_word(name, "PREFIX")) {
    if (!valid_prefix(value)) return "PREFIX takes 1 to 32 letters, digits, underscores or hyphens";
    arguments.prefix = value;
    return std::nullopt;
  }
  const Setting* setting = named(name);
  if (setting == nullptr) return message("Unknown load argument `", name, "`");
  if (!same_word(name, setting->name))
    arguments.notices.push_back(message("The load argument ", setting->older_name,
                                        " is deprecated: write ", setting->name));
  if (auto refused = assign(*setting, value, arguments.settings)) return refused;
  if (setting->number == nullptr && parse_double(value) != arguments.settings.error_rate)
    arguments.notices.push_back(message("An error rate of ", value, " is lowered to 0.25"));
  return std::nullopt;
}

}  // namespace

std::span<const Setting> settings_table() { return kSettings; }

std::optional<std::string> assign(const Setting& setting, std::string_view value,
                                  Settings& settings) {
  if (setting.number == nullptr) return assign_rate(setting, value, settings);
  if (setting.is_flag) {
    if (!same_word(value, "yes") && !same_word(value, "no"))
      return message("Value for `", setting.name, "` must be yes or no");
    settings.*setting.number = same_word(value, "yes") ? 1 : 0;
    return std::nullopt;
  }
  const auto number = parse_integer(value);
  if (!number) return invalid(setting);
  const std::int64_t least = least_of(setting, settings);
  const std::int64_t most = most_of(setting, settings);
  const bool is_zero = setting.zero_too && *number == 0;
  if (!is_zero && (*number < least || *number > most))
    return message("Value for `", setting.name, "` must be in the range [", least, ", ", most, "]");
  settings.*setting.number = *number;
  return std::nullopt;
}

std::string value_text(const Setting& setting, const Settings& settings) {
  if (setting.is_flag) return settings.*setting.number != 0 ? "yes" : "no";
  return setting.number == nullptr ? double_text(settings.error_rate)
                                   : std::to_string(settings.*setting.number);
}

std::variant<LoadArguments, std::string> parse_load_arguments(
    std::span<const std::string_view> words) {
  if (words.size() % 2 != 0)
    return message("Load arguments are pairs of a name and a value, and there are ", words.size(),
                   " words");
  LoadArguments arguments;
  for (std::size_t i = 0; i < words.size(); i += 2)
    if (auto refused = take_argument(words[i], words[i + 1], arguments)) return *refused;
  return arguments;
}

}  // namespace bloomery::redis_module
