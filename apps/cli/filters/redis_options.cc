#include "apps/cli/filters/redis_options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstring>
#include <vector>

#include "apps/cli/shell/redis_client.h"
#include "apps/redis_client/settings.h"

namespace bloomery::cli {

namespace {

bool names_a_server(const CLI::App& app) {
  return std::ranges::any_of(app.get_options(), [](const CLI::Option* option) {
    return std::ranges::any_of(option->results(), is_redis_address);
  });
}

}  // namespace

void add_redis_options(CLI::App& app) {
  auto& settings = redis_client::connection_settings();
  std::vector<const CLI::Option*> options;
  const auto file = [&](const char* name, std::string& path, const char* help) {
    options.push_back(app.add_option(name, path, help)->type_name("FILE")->group("Redis servers"));
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
  app.parse_complete_callback([&app, options] {
    const auto given = std::ranges::find_if(
        options, [](const CLI::Option* option) { return option->count() > 0; });
    if (given == options.end() || names_a_server(app)) return;
    throw CLI::ValidationError((*given)->get_name(),
                               "it is for a filter in a server, and no redis:// address is given");
  });
}

void hide_passwords(int argument_count, char** arguments) {
  for (int i = 1; i < argument_count; ++i)
    redis_client::overwrite_passwords({arguments[i], std::strlen(arguments[i])});
}

}  // namespace bloomery::cli
