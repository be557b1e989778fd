// One sentence from its parts, for Error::message.
#pragma once
#include <sstream>
#include <string>

namespace bloomery {

template <class... Parts>
std::string message(const Parts&... parts) {
  std::ostringstream out;
  (out << ... << parts);
  return std::move(out).str();
}

}  // namespace bloomery
