#include "apps/http/broken_request.h"

#include <algorithm>

#include "apps/http/answer.h"

namespace bloomery::http {
namespace {

namespace beast = boost::beast;
namespace wire = boost::beast::http;

std::string copied(beast::string_view view) { return {view.data(), view.size()}; }

std::string_view without_blanks(std::string_view value) {
  const std::size_t begin = std::min(value.find_first_not_of(" \t"), value.size());
  value.remove_prefix(begin);
  return value.substr(0, value.find_last_not_of(" \t") + 1);
}

// A header line of that name gives its value to a member that has none yet.
void take_field(std::string_view line, std::string_view name, std::string& value) {
  if (!value.empty() || line.size() <= name.size() || line[name.size()] != ':') return;
  if (!beast::iequals({line.data(), name.size()}, {name.data(), name.size()})) return;
  value = without_blanks(line.substr(name.size() + 1));
}

}  // namespace

HeadSoFar head_so_far(const Message& request, std::string_view unread, bool is_whole) {
  HeadSoFar head{.method = copied(request.method_string()),
                 .target = copied(request.target()),
                 .authorization = copied(request[wire::field::authorization]),
                 .host = copied(request[wire::field::host]),
                 .origin = copied(request[wire::field::origin]),
                 .is_whole = is_whole};
  while (!head.is_whole) {
    const std::size_t end = unread.find("\r\n");
    if (end == std::string_view::npos) break;  // the last line may be half of one
    const std::string_view line = unread.substr(0, end);
    unread.remove_prefix(end + 2);
    head.is_whole = line.empty();
    take_field(line, "Authorization", head.authorization);
    take_field(line, "Host", head.host);
    take_field(line, "Origin", head.origin);
  }
  return head;
}

void report_broken(const ServerOptions& options, const Access& access, const ClientKey& client,
                   const Message* request, std::string_view unread, bool is_head_whole,
                   std::string_view reason) noexcept {
  if (!options.broken) return;
  try {
    const HeadSoFar head =
        request == nullptr ? HeadSoFar{} : head_so_far(*request, unread, is_head_whole);
    if (!head.host.empty() && !access.host_refusal(head.host).empty()) return;
    if (!head.origin.empty() && !access.origin_refusal(head.origin, head.host).empty()) return;
    const std::string name = text_of(client);
    const TargetParts target = parts_of(head.target);
    Request reported{};
    reported.method = head.method;
    reported.path = target.path;
    reported.query = target.query;
    reported.authorization = head.authorization;
    reported.client = name;
    options.broken({reported, head.is_whole, reason});
  } catch (...) {
    try {
      options.broken({Request{}, false, reason});
    } catch (...) {  // it was asked twice, and has no memory either
    }
  }
}

std::string reason_of(const Reply& reply) {
  return reply.body.substr(0, reply.body.find_last_not_of('\n') + 1);
}

}  // namespace bloomery::http
