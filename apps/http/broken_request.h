// A request that broke before a handler could see it: the program may have to act upon what is
// lost, and the head, as far as it came, says whose it was.
#pragma once
#include <string>
#include <string_view>

#include "apps/http/access.h"
#include "apps/http/client_key.h"
#include "apps/http/request_check.h"

namespace bloomery::http {

// Copies: the request is thrown away. A member is empty where it was not sent, or not read.
struct HeadSoFar {
  std::string method = {};
  std::string target = {};
  std::string authorization = {};
  std::string host = {};
  std::string origin = {};
  bool is_whole = false;  // what is empty was not sent
};

// `unread`: what was received behind the last good line. The fields in it are looked for too: a
// field that cannot be read does not hide those that follow it.
HeadSoFar head_so_far(const Message& request, std::string_view unread, bool is_whole);

// Calls options.broken, unless the Host or the Origin has no right to ask. `request` may be null.
// Where there is no memory for the head, it is reported without one.
void report_broken(const ServerOptions& options, const Access& access, const ClientKey& client,
                   const Message* request, std::string_view unread, bool is_head_whole,
                   std::string_view reason) noexcept;

// The text of a reply as a reason: without the newline at its end.
std::string reason_of(const Reply& reply);

}  // namespace bloomery::http
