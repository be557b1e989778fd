// A whole request, given to the program's handler.
#pragma once
#include "apps/http/client_key.h"
#include "apps/http/request_check.h"

namespace bloomery::http {

// A target's path, and what follows its '?'.
struct TargetParts {
  std::string_view path, query;
};
TargetParts parts_of(std::string_view target);

// What options.handle says; 500 where it throws. On a worker's thread.
Reply answer(const ServerOptions& options, const Message& request, const ClientKey& client,
             const std::stop_token& stop);

}  // namespace bloomery::http
