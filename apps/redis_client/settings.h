// Connection settings of this process, for what an address leaves open.
#pragma once
#include <string>

#include "apps/redis_client/address.h"

namespace bloomery::redis_client {

// Names of files; empty: none was given.
struct ConnectionSettings {
  std::string password;     // its first line
  std::string authorities;  // certificates that are trusted, in PEM; else the system's
  std::string certificate;  // of this client, in PEM
  std::string key;          // of that certificate
};

// Set before the first connection; the command line does.
ConnectionSettings& connection_settings();

// The address's own password, else that in the file, in BLOOMERY_REDIS_PASSWORD or in
// REDISCLI_AUTH. Empty: none.
Result<std::string> password_of(const RedisAddress& address);
// With BLOOMERY_REDIS_CA, BLOOMERY_REDIS_CERT and BLOOMERY_REDIS_KEY where no file was given.
ConnectionSettings tls_settings();

}  // namespace bloomery::redis_client
