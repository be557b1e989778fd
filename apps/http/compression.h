// Replies as gzip or zstd, for clients that accept it.
#pragma once
#include <string_view>

#include "apps/http/server.h"

namespace bloomery::http {

enum class Coding : unsigned char { kNone, kGzip, kZstd };

// The best coding that an Accept-Encoding header allows (RFC 9110, 12.5.3): that of the highest q,
// of equal ones zstd. What cannot be read allows none.
Coding accepted_coding(std::string_view accept_encoding);

// False, and unchanged, where it would not be half as long. Precondition: not kNone.
bool compress(Coding coding, std::string& body);

// Compresses a reply of at least `from` bytes, unless its handler encoded it, and notes that it
// depends on the header.
void compress_reply(std::string_view accept_encoding, std::size_t from, Reply& reply);

}  // namespace bloomery::http
