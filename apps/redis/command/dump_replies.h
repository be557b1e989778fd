// Replies of SCANDUMP and LOADCHUNK, for filters of every type.
#pragma once
#include "apps/redis/server/replies.h"

namespace bloomery::redis_module {

int reply_chunk(const CommandCall& call, std::int64_t next, ByteView bytes);
int refuse_load(const CommandCall& call, Refusal refusal);    // and counts it
int accept_load(const CommandCall& call, const char* event);  // and tells replicas and listeners

}  // namespace bloomery::redis_module
