// What a request's header must be like before anything else is done with it. A request that two
// servers in a row could read differently, as another length or another host, is refused.
#pragma once
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/basic_dynamic_body.hpp>
#include <boost/beast/http/message.hpp>
#include <optional>
#include <string>

#include "apps/http/server.h"

namespace bloomery::http {

using Message =
    boost::beast::http::request<boost::beast::http::basic_dynamic_body<boost::beast::flat_buffer>>;

Reply sentence(unsigned status, std::string text);
// Nothing if the request may be read on; otherwise the reply, after which the connection ends.
std::optional<Reply> request_refusal(const Message& request);

}  // namespace bloomery::http
