// Names of the module, its commands and its types in this server. With a prefix nothing collides
// with a server that has BF.* already.
#pragma once
#include <string>
#include <string_view>

namespace bloomery::redis_module {

void set_prefix(std::string prefix);              // at load, before any other of these
std::string module_name();                        // bf, or the prefix
std::string command_name(std::string_view name);  // BF.ADD, or prefix.BF.ADD
// The same, made when the module was loaded: nothing is allocated between a change and its sending.
const std::string& replicated_command(std::string_view name);
std::string bloom_type_name();   // nine characters
std::string cuckoo_type_name();  // nine too
std::string native_type_name();  // and nine

}  // namespace bloomery::redis_module
