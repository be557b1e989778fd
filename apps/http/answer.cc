#include "apps/http/answer.h"

#include "apps/http/compression.h"

namespace bloomery::http {
namespace {

namespace wire = boost::beast::http;

std::string_view text(boost::beast::string_view text) { return {text.data(), text.size()}; }
std::string_view text(const boost::beast::flat_buffer& buffer) {
  return {static_cast<const char*>(buffer.data().data()), buffer.size()};
}

}  // namespace

TargetParts parts_of(std::string_view target) {
  const std::size_t mark = target.find('?');
  if (mark == std::string_view::npos) return {target, {}};
  return {target.substr(0, mark), target.substr(mark + 1)};
}

Reply answer(const ServerOptions& options, const Message& request, const ClientKey& client,
             const std::stop_token& stop) {
  const TargetParts target = parts_of(text(request.target()));
  try {
    const std::string name = text_of(client);
    Reply reply = options.handle({.method = text(request.method_string()),
                                  .path = target.path,
                                  .query = target.query,
                                  .content_type = text(request[wire::field::content_type]),
                                  .authorization = text(request[wire::field::authorization]),
                                  .body = text(request.body()),
                                  .stop = stop,
                                  .client = name});
    if (options.compressed_from > 0)
      compress_reply(text(request[wire::field::accept_encoding]), options.compressed_from, reply);
    return reply;
  } catch (const std::exception& trouble) {
    return sentence(500, std::string{"the request could not be answered: "} + trouble.what());
  } catch (...) {
    return sentence(500, "the request could not be answered");
  }
}

}  // namespace bloomery::http
