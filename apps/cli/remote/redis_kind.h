// The kinds of filters that a Redis server holds, one row each: its TYPE, the names of its
// commands, and what its INFO reports without its bits.
#pragma once
#include <span>

#include "apps/cli/shell/redis_client.h"
#include "bloomery/formats/format.h"

namespace bloomery::cli {

struct RedisKind {
  std::string_view type;           // as TYPE answers
  std::string_view prefixed_type;  // the same where the module was loaded with PREFIX
  std::string_view format;         // what its dump is to us
  std::string_view family;         // of its commands: family.SCANDUMP and so on
  // A dump made while another client writes is invalid: keys move, or a checksum no longer fits.
  bool must_be_still;
  bool tells_new;      // family.INSERT answers 1 for new keys only
  bool can_be_stored;  // through family.LOADCHUNK, by redis_store
  // How many bytes follow the header that a dump begins with. Null: a manifest of the server's, and
  // then files of ours, of which one can be read.
  Result<std::uint64_t> (*bytes_behind)(ByteView header);
  // The filter's health as far as the server's counts give it; its bits are not read.
  Result<Description> (*foretell)(RedisConnection& connection, const RedisAddress& address);
};

std::span<const RedisKind> redis_kinds();
const RedisKind* redis_kind_of_type(std::string_view type);      // null if there is none
const RedisKind* redis_kind_of_format(std::string_view format);  // of a format's payload, too

// "BF.ADD", or "name.BF.ADD" under a prefix.
std::string redis_command(const RedisAddress& address, const RedisKind& kind,
                          std::string_view verb);

// The kind of filter that lies under the address's key. kIo where nothing does, kMalformed where
// something else does.
Result<const RedisKind*> find_redis_kind(RedisConnection& connection, const RedisAddress& address);

}  // namespace bloomery::cli
