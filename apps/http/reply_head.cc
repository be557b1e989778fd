#include "apps/http/reply_head.h"

#include <array>

namespace bloomery::http {
namespace {

constexpr auto kReasons = std::to_array<std::pair<unsigned, std::string_view>>({
    {200, "OK"},
    {202, "Accepted"},
    {204, "No Content"},
    {301, "Moved Permanently"},
    {302, "Found"},
    {304, "Not Modified"},
    {400, "Bad Request"},
    {401, "Unauthorized"},
    {403, "Forbidden"},
    {404, "Not Found"},
    {405, "Method Not Allowed"},
    {408, "Request Timeout"},
    {409, "Conflict"},
    {413, "Content Too Large"},
    {415, "Unsupported Media Type"},
    {429, "Too Many Requests"},
    {431, "Request Header Fields Too Large"},
    {500, "Internal Server Error"},
    {501, "Not Implemented"},
    {503, "Service Unavailable"},
    {505, "HTTP Version Not Supported"},
});

// RFC 9112, 4: a reason may be empty.
std::string_view reason(unsigned status) {
  for (const auto& [known, text] : kReasons)
    if (known == status) return text;
  return {};
}

}  // namespace

std::string header_line(std::string_view name, std::string_view value) {
  constexpr std::string_view kLineEnds{"\r\n\0", 3};
  if (name.empty() || name.find_first_of(kLineEnds) != std::string_view::npos ||
      value.find_first_of(kLineEnds) != std::string_view::npos)
    return {};
  std::string line{name};
  return line.append(": ").append(value).append("\r\n");
}

std::string reply_head(const Reply& reply, std::size_t body_bytes, bool keep_alive,
                       std::string_view more) {
  const bool may_have_body = reply.status != 204 && reply.status != 304;
  std::string head = "HTTP/1.1 " + std::to_string(reply.status) + ' ';
  head.append(reason(reply.status)).append("\r\n");
  if (may_have_body) {
    head += header_line("Content-Type", reply.content_type);
    head += header_line("Content-Length", std::to_string(body_bytes));
  }
  head += header_line("Connection", keep_alive ? "keep-alive" : "close");
  for (const auto& [name, value] : reply.headers) head += header_line(name, value);
  return head.append(more).append("\r\n");
}

}  // namespace bloomery::http
