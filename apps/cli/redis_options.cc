#include "apps/cli/redis_options.h"

#include <CLI/CLI.hpp>
#include <cstring>

#include "apps/redis_client/settings.h"

namespace bloomery::cli {

void add_redis_options(CLI::App& app) {
  auto& settings = redis_client::connection_settings();
  const auto file = [&](const char* name, std::string& path, const char* help) {
    app.add_option(name, path, help)->type_name("FILE")->group("Redis servers");
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
}

void hide_passwords(int argument_count, char** arguments) {
  for (int i = 1; i < argument_count; ++i)
    redis_client::overwrite_passwords({arguments[i], std::strlen(arguments[i])});
}

}  // namespace bloomery::cli
