// The first lines of a reply.
#pragma once
#include <string>
#include <string_view>

#include "apps/http/server.h"

namespace bloomery::http {

// Empty for a name or value that would be more than one line.
std::string header_line(std::string_view name, std::string_view value);
// `more` are header lines too.
std::string reply_head(const Reply& reply, std::size_t body_bytes, bool keep_alive,
                       std::string_view more);

}  // namespace bloomery::http
