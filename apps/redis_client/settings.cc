#include "apps/redis_client/settings.h"

#include <cstdlib>
#include <fstream>

#include "bloomery/base/message.h"

namespace bloomery::redis_client {
namespace {

constexpr std::size_t kLongestPassword = 4096;

std::string from_environment(const char* name) {
  const char* text = std::getenv(name);
  return text == nullptr ? std::string{} : std::string{text};
}

Result<std::string> first_line_of(const std::string& path) {
  std::ifstream file{path, std::ios::binary};
  std::string line(kLongestPassword + 1, '\0');
  if (!file.is_open() || file.read(line.data(), static_cast<std::streamsize>(line.size())).bad())
    return Error{ErrorCode::kIo, message(path, ": cannot read the password of the Redis server")};
  line.resize(static_cast<std::size_t>(file.gcount()));
  const std::size_t end = line.find('\n');
  if (end == std::string::npos && line.size() > kLongestPassword)
    return Error{ErrorCode::kInvalidArgument,
                 message(path, ": its first line is longer than a password, which has at most ",
                         kLongestPassword, " bytes")};
  line.resize(std::min(end, line.size()));
  if (line.ends_with('\r')) line.pop_back();
  if (line.empty())
    return Error{ErrorCode::kInvalidArgument,
                 message(path, ": its first line is empty, and should be the password")};
  return line;
}

}  // namespace

ConnectionSettings& connection_settings() {
  static ConnectionSettings settings;
  return settings;
}

Result<std::string> password_of(const RedisAddress& address) {
  if (!address.password.empty()) return address.password;
  if (const std::string& file = connection_settings().password; !file.empty())
    return first_line_of(file);
  if (auto password = from_environment("BLOOMERY_REDIS_PASSWORD"); !password.empty())
    return password;
  return from_environment("REDISCLI_AUTH");
}

ConnectionSettings tls_settings() {
  ConnectionSettings settings = connection_settings();
  const auto fill = [](std::string& file, const char* name) {
    if (file.empty()) file = from_environment(name);
  };
  fill(settings.authorities, "BLOOMERY_REDIS_CA");
  fill(settings.certificate, "BLOOMERY_REDIS_CERT");
  fill(settings.key, "BLOOMERY_REDIS_KEY");
  return settings;
}

}  // namespace bloomery::redis_client
