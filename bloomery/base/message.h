// One sentence from its parts, for Error::message.
#pragma once
#include <sstream>
#include <string>

namespace bloomery {

// A stream keeps an exception to itself and drops what it could not hold; so, without memory, a
// sentence or a file name would be cut short in silence.
inline void throw_on_failure(std::ios& stream) { stream.exceptions(std::ios::badbit); }

template <class... Parts>
std::string message(const Parts&... parts) {
  std::ostringstream out;
  throw_on_failure(out);
  (out << ... << parts);
  return std::move(out).str();
}

}  // namespace bloomery
