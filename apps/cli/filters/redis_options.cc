#include "apps/cli/filters/redis_options.h"

#include <algorithm>
#include <cstring>
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
       "First line: the password (else BLOOMERY_REDIS_PASSWORD); in an\n"
       "address other users of this machine can see it");
  file("--redis-ca-file", settings.authorities,
       "Certificates that rediss:// (TLS) trusts (else BLOOMERY_REDIS_CA,\n"
       "or the system's)");
  file("--redis-cert-file", settings.certificate,
       "This client's certificate (else BLOOMERY_REDIS_CERT)");
  file("--redis-key-file", settings.key, "Its key (else BLOOMERY_REDIS_KEY)");
  app.check([&app, options]() -> Status {
    const auto given = std::ranges::find_if(options, &Option::given);
    if (given == options.end() || names_a_server(app)) return ok();
    return Error{
        ErrorCode::kInvalidArgument,
        (*given)->name() + ": it is for a filter in a server, and no redis:// address is given"};
  });
}

void hide_passwords(int argument_count, char** arguments) {
  for (int i = 1; i < argument_count; ++i)
    redis_client::overwrite_passwords({arguments[i], std::strlen(arguments[i])});
}

}  // namespace bloomery::cli
