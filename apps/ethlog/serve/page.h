// The server's page: what it serves and what that cost, for people with a browser.
#pragma once
#include "apps/ethlog/serve/server_snapshot.h"

namespace bloomery::ethlog {

// HTML with everything in it: nothing else is loaded, nothing runs, and all text is escaped.
std::string page_html(const ServerSnapshot& snapshot);
// Of a server with several chains: their list, with links to their pages.
std::string page_html(std::span<const ServerSnapshot> chains);
// What the browser is to hold it to, as Content-Security-Policy says it.
std::string_view page_policy();

}  // namespace bloomery::ethlog
