// The server's memory for bit arrays, so that it counts them (used_memory, maxmemory).
#pragma once
#include "bloomery/base/zeroed_memory.h"

namespace bloomery::redis_module {

// Zeroed without touching pages: a new layer of gigabytes costs the command that needs it nothing.
// Throws std::bad_alloc where the server would have ended itself. Any thread.
ZeroedMemory* server_memory();

}  // namespace bloomery::redis_module
