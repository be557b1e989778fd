#include "apps/http/request_check.h"

namespace bloomery::http {

namespace beast = boost::beast;
namespace wire = boost::beast::http;

Reply sentence(unsigned status, std::string text) {
  return {.status = status, .body = std::move(text += '\n')};
}

std::optional<Reply> request_refusal(const Message& request) {
  const std::size_t hosts = request.count(wire::field::host);
  if (hosts > 1 || (hosts == 0 && request.version() >= 11))
    return sentence(400, "an HTTP/1.1 request has exactly one Host");
  if (request.version() != 10 && request.version() != 11)
    return sentence(505, "the server supports only HTTP/1.0 and HTTP/1.1");
  if (!request.target().starts_with('/') &&
      !(request.target() == "*" && request.method() == wire::verb::options))
    return sentence(400, "the request's target must begin with a slash");
  const std::size_t lengths = request.count(wire::field::content_length);
  const std::size_t encodings = request.count(wire::field::transfer_encoding);
  if (lengths > 1 || encodings > 1 || lengths + encodings > 1)
    return sentence(400, "a request has one length: one Content-Length or one Transfer-Encoding");
  if (encodings != 0 && request.version() < 11)
    return sentence(400, "a request of HTTP/1.0 has no Transfer-Encoding");
  if (encodings != 0 && !beast::iequals(request[wire::field::transfer_encoding], "chunked"))
    return sentence(501, "the only supported transfer encoding is chunked");
  if (request.count(wire::field::content_encoding) != 0 &&
      !beast::iequals(request[wire::field::content_encoding], "identity"))
    return sentence(415, "a content encoding is not supported; send the body as it is");
  return std::nullopt;
}

}  // namespace bloomery::http
