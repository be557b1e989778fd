#include "apps/cli/remote/redis_options.h"

#include <algorithm>
#include <vector>

#include "apps/cli/shell/redis_client.h"
#include "apps/redis_client/settings.h"

namespace bloomery::cli {

namespace {

bool names_a_server(const CommandLine& app) {
  return std::ranges::any_of(app.options(), [](const auto& option) {
    return std::ranges::any_of(option->values(), is_redis_address);
  });
}

}  // namespace

void add_redis_options(CommandLine& app) {
  auto& settings = redis_client::connection_settings();
  std::vector<const Option*> options;
  const auto file = [&](const char* name, std::string& path, const char* help) {
    options.push_back(app.add_option(name, path, help)->value_name("FILE")->group("Redis servers"));
  };
  file("--redis-password-file", settings.password,
       "File whose first line is the password (default: BLOOMERY_REDIS_PASSWORD). Other users of "
       "this machine can see a password in an address");
  file("--redis-ca-file", settings.authorities,
       "Certificate authorities for rediss:// (TLS) (default: BLOOMERY_REDIS_CA, then the "
       "system's)");
  file("--redis-cert-file", settings.certificate,
       "Certificate of this client (default: BLOOMERY_REDIS_CERT)");
  file("--redis-key-file", settings.key, "Key of that certificate (default: BLOOMERY_REDIS_KEY)");
  app.check([&app, options]() -> Status {
    const auto given = std::ranges::find_if(options, &Option::given);
    if (given == options.end() || names_a_server(app)) return ok();
    return Error{ErrorCode::kInvalidArgument,
                 (*given)->name() + ": no redis:// address is given; leave the option out"};
  });
}

}  // namespace bloomery::cli
