// What the types of all filters have in common. Value is a FilterValue.
#pragma once
#include <string>

#include "apps/redis/guard.h"
#include "apps/redis/redis_api.h"
#include "apps/redis/statistics.h"
#include "bloomery/base/bytes.h"
#include "bloomery/formats/redis_chunks.h"

namespace bloomery::redis_module {

template <class Value>
const typename Value::Filter& filter_of(const void* value) {
  return static_cast<const Value*>(value)->filter();
}

// `read` returns the filter, or why there is none: the server refuses the file or the payload.
template <class Value, class Read>
void* load_value(Io* io, const char* kind, Read read) {
  void* value = guard<void*>(nullptr, [&]() -> void* {
    auto filter = read();
    if (filter) return Value::create(std::move(*filter));
    api.LogIOError(io, "warning", "A %s filter is refused: %s", kind,
                   filter.error().message.c_str());
    return nullptr;
  });
  if (value == nullptr) ++statistics.rejected_loads;
  return value;
}

// `command` is the one that takes SCANDUMP's chunks back.
template <class Filter>
void rewrite_in_pieces(Io* io, const std::string& command, String* key, const Filter& filter,
                       ByteView header) {
  const auto emit = [&](std::int64_t position, ByteView bytes) {
    api.EmitAOF(io, command.c_str(), "slb", key, static_cast<long long>(position),
                bloomery::text_of(bytes).data(), bytes.size());
  };
  emit(1, header);
  for (RedisChunk chunk = chunk_at(filter, 1); chunk.next != 0;
       chunk = chunk_at(filter, chunk.next))
    emit(chunk.next, chunk.bytes);
}

// Above 64 the server frees in the background: from a quarter of a megabyte on.
inline std::size_t effort_to_free(std::size_t layers, std::uint64_t bytes) {
  constexpr std::uint64_t kPage = 4096;
  return layers + static_cast<std::size_t>(bytes / kPage);
}

template <class Value>
void free_value(void* value) {
  Value::destroy(static_cast<Value*>(value));
}

template <class Value>
void* copy_value(String*, String*, const void* value) {
  return guard<void*>(nullptr, [&] { return Value::create(filter_of<Value>(value).clone()); });
}

inline int defrag_value(DefragContext* context, String*, void** value) {
  if (void* moved = api.DefragAlloc(context, *value)) *value = moved;
  return 0;  // done: bit arrays stay where they are
}

}  // namespace bloomery::redis_module
