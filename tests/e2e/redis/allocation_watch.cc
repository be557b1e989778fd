// WATCH.RUN command argument... answers what the command costs: [most bytes it held at once of what
// it asked the allocator for, nanoseconds of CPU, its reply]. One shared object is both the module
// and, by LD_PRELOAD, the allocator's front; sizes are counted as asked for, and only on the
// server's thread while a command runs. For tests only.
#include <dlfcn.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <ctime>

#include "apps/redis/server/redis_api.h"

namespace {

using namespace bloomery::redis_module;

struct Held {
  void* pointer;
  std::size_t size;
  std::uint32_t run;  // an entry of an earlier run is free
};
constexpr std::size_t kHeld = 1 << 18;

thread_local bool counting = false;  // true in one thread at a time: the server's
std::array<Held, kHeld> held;
std::uint32_t run_number = 0;
std::size_t live = 0;
std::size_t most = 0;

std::size_t slot_of(const void* pointer) {
  return (reinterpret_cast<std::uintptr_t>(pointer) >> 4) * 0x9e3779b97f4a7c15 >> 46;
}

void took(void* pointer, std::size_t size) {
  if (!counting || pointer == nullptr) return;
  live += size;
  if (live > most) most = live;
  std::size_t slot = slot_of(pointer);
  for (std::size_t i = 0; i < kHeld; ++i, slot = (slot + 1) % kHeld) {
    if (held[slot].run == run_number && held[slot].pointer != nullptr) continue;
    held[slot] = {pointer, size, run_number};
    return;
  }
}

// What was taken before the run is not ours to subtract. An entry given back keeps its run, so that
// searches pass it.
void gave(const void* pointer) {
  if (!counting || pointer == nullptr) return;
  std::size_t slot = slot_of(pointer);
  for (std::size_t i = 0; i < kHeld && held[slot].run == run_number;
       ++i, slot = (slot + 1) % kHeld) {
    if (held[slot].pointer != pointer) continue;
    live -= held[slot].size;
    held[slot].pointer = nullptr;
    return;
  }
}

template <class Function>
Function next_of(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

// dlsym asks for memory before we know where memory comes from: a little of our own, never given
// back.
alignas(16) std::array<std::byte, 4096> first_memory;
std::size_t first_used = 0;
bool is_first(const void* pointer) {
  const auto* byte = static_cast<const std::byte*>(pointer);
  return byte >= first_memory.data() && byte < first_memory.data() + first_memory.size();
}

using Malloc = void* (*)(std::size_t);
using Calloc = void* (*)(std::size_t, std::size_t);
using Realloc = void* (*)(void*, std::size_t);
using Free = void (*)(void*);

using CallFunction = void* (*)(Context*, const char*, const char*, ...);
using ReplyWithCallReply = int (*)(Context*, void*);
using FreeCallReply = void (*)(void*);
CallFunction call_command = nullptr;
ReplyWithCallReply reply_with = nullptr;
FreeCallReply free_reply = nullptr;

std::int64_t cpu_nanoseconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

int run(Context* context, String** words, int count) {
  if (count < 2) return api.WrongArity(context);
  std::size_t size = 0;
  const char* name = api.StringPtrLen(words[1], &size);
  ++run_number;
  live = most = 0;
  const std::int64_t before = cpu_nanoseconds();
  counting = true;
  void* reply = call_command(context, name, "v", words + 2, static_cast<std::size_t>(count - 2));
  counting = false;
  const std::int64_t took_nanoseconds = cpu_nanoseconds() - before;
  api.ReplyWithArray(context, 3);
  api.ReplyWithLongLong(context, static_cast<long long>(most));
  api.ReplyWithLongLong(context, took_nanoseconds);
  if (reply == nullptr) return api.ReplyWithError(context, "ERR the server did not run it");
  reply_with(context, reply);
  free_reply(reply);
  return kOk;
}

}  // namespace

extern "C" {

void* malloc(std::size_t size) {
  static Malloc next = next_of<Malloc>("malloc");
  void* pointer = next(size);
  took(pointer, size);
  return pointer;
}

void* calloc(std::size_t count, std::size_t size) {
  static bool looking = false;
  static Calloc next = nullptr;
  if (next == nullptr && looking) {
    void* pointer = &first_memory[first_used];
    first_used += (count * size + 15) / 16 * 16;
    return first_used <= first_memory.size() ? pointer : nullptr;
  }
  if (next == nullptr) {
    looking = true;
    next = next_of<Calloc>("calloc");
  }
  void* pointer = next(count, size);
  took(pointer, count * size);
  return pointer;
}

void* realloc(void* old, std::size_t size) {
  static Realloc next = next_of<Realloc>("realloc");
  void* pointer = next(old, size);
  if (pointer != nullptr) gave(old);
  took(pointer, size);
  return pointer;
}

void free(void* pointer) {
  static Free next = next_of<Free>("free");
  if (is_first(pointer)) return;
  gave(pointer);
  next(pointer);
}

__attribute__((visibility("default"))) int RedisModule_OnLoad(Context* context, String**, int) {
  if (bind_api(context) != nullptr) return kError;
  const auto finder = *reinterpret_cast<int (**)(const char*, void*)>(context);
  if (finder("RedisModule_Call", static_cast<void*>(&call_command)) != kOk ||
      finder("RedisModule_ReplyWithCallReply", static_cast<void*>(&reply_with)) != kOk ||
      finder("RedisModule_FreeCallReply", static_cast<void*>(&free_reply)) != kOk)
    return kError;
  api.SetModuleAttribs(context, "watch", 1, kApiVersion);
  return api.CreateCommand(context, "watch.run", run, "write", 0, 0, 0);
}
}
