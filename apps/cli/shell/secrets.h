// Text for people and for logs, without the credentials in the addresses of servers.
#pragma once
#include <string>
#include <string_view>

namespace bloomery::cli {

// Passwords of redis:// addresses; user, password and query of http:// and https:// addresses.
std::string without_secrets(std::string_view text);
// The same of an argument that names a filter: a web address goes to its end, whatever is in it.
std::string name_without_secrets(std::string_view name);
// Where an argument holds one, `ps` shows it: from now on no more. The values of --header too.
void hide_secrets(int argument_count, char** arguments);

}  // namespace bloomery::cli
