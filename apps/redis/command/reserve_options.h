// The options of BF.RESERVE that make a filter of the native type. Pure: arguments in, a plan or a
// refusal out. Without one of them the arguments are RedisBloom's (arguments.h).
#pragma once
#include "apps/redis/server/arguments.h"
#include "bloomery/formats/layered/plan.h"

namespace bloomery::redis_module {

struct NativeReserve {
  LayeredPlan plan;                        // with the secret only where SECRETBYTES gave it
  bool draws_secret = false;               // 16 random bytes are to be drawn
  std::optional<std::int64_t> start = {};  // of the window's first slice, where START gave it
  std::size_t secret_at = 0;               // index into the words, where it was given
};

// What follows the key. True if COUNTING, WINDOW, LAYOUT, PART or SECRET stands where an option
// may.
bool asks_for_native_type(Words words);
// `from_primary`: the words come from a primary or from the server's own file, and may tell what a
// client may not: START milliseconds of a window, and beside SECRET also SECRETBYTES, which are 32
// hexadecimal digits.
// Precondition: asks_for_native_type(words).
std::variant<NativeReserve, Refusal> parse_native_reserve(Words words, const Settings& settings,
                                                          bool from_primary);
std::string secret_text(const Secret& secret);  // as SECRETBYTES takes it

}  // namespace bloomery::redis_module
