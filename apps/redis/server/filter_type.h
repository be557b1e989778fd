// The methods that the server calls on values of a filter type, and the type's registration. Value
// is a FilterValue. A type gives functions of a filter; a value that could not be decoded is
// handled here.
#pragma once
#include <optional>
#include <string>

#include "apps/redis/server/guard.h"
#include "apps/redis/server/redis_api.h"
#include "apps/redis/server/statistics.h"
#include "apps/redis/server/unreadable.h"
#include "bloomery/base/bytes.h"
#include "bloomery/formats/redis/chunks.h"
#include "bloomery/formats/redis/rdb.h"

namespace bloomery::redis_module {

inline constexpr const char* kNoMemoryToLoad = "not enough memory to load it";

// True for this server's files and its primary, whose values are always kept. A client's payload
// is not trusted.
inline bool is_trusted(Io* io) {
  return (api.GetContextFlags(api.GetContextFromIO(io)) & (kFlagReplica | kFlagLoading)) != 0;
}

inline std::string key_in(Io* io) {
  const String* key = api.GetKeyNameFromIO != nullptr ? api.GetKeyNameFromIO(io) : nullptr;
  if (key == nullptr) return "a key";
  std::size_t size = 0;
  const char* text = api.StringPtrLen(key, &size);
  return "key " + std::string{text, size};
}

template <class Value>
void* refuse_or_keep(Io* io, const char* kind, RawFields fields, std::string reason) {
  ++statistics.rejected_loads;
  if (!is_trusted(io)) {
    api.LogIOError(io, "warning", "A %s filter is refused: %s", kind, reason.c_str());
    return nullptr;
  }
  api.LogIOError(io, "warning",
                 "The %s filter of %s cannot be used: %s. It is kept and saved as it is, and every "
                 "command on it answers an error",
                 kind, key_in(io).c_str(), reason.c_str());
  return Value::create(Unreadable{std::move(fields), std::move(reason)});
}

// `record` reads all fields of the value, or gives an error where their number and order are not
// known; `decode` makes the filter of them, or says why there is none. Null: the server refuses the
// file or the payload.
template <class Value, class Record, class Decode>
void* load_value(Io* io, const char* kind, Record record, Decode decode) {
  return guard<void*>(nullptr, [&]() -> void* {
    ServerReader reader{io};
    Result<RawFields> fields = record(reader);
    if (fields && reader.failed()) fields = reader.error();
    if (!fields) {
      ++statistics.rejected_loads;
      api.LogIOError(io, "warning", "A %s filter is refused: %s", kind,
                     fields.error().message.c_str());
      return nullptr;
    }
    std::string reason = kNoMemoryToLoad;
    try {
      auto filter = decode(*fields);
      if (filter) return Value::create(std::move(*filter));
      reason = filter.error().message;
    } catch (const std::bad_alloc&) {  // the reason says so already
    }
    return refuse_or_keep<Value>(io, kind, std::move(*fields), std::move(reason));
  });
}

template <class Value>
const Value& value_of(const void* value) {
  return *static_cast<const Value*>(value);
}

template <class Value, void (*kSave)(Io*, const typename Value::Filter&)>
void save_value(Io* io, void* value) {
  guard(false, [&] {
    ServerWriter writer{io};
    if (const Unreadable* kept = value_of<Value>(value).unreadable())
      kept->fields.write(writer);
    else
      kSave(io, value_of<Value>(value).filter());
    return true;
  });
}

// kName is the type's, kEncoding the version that is saved.
template <class Value, std::string (*kName)(), int kEncoding,
          void (*kRewrite)(Io*, String*, const typename Value::Filter&)>
void rewrite_value(Io* io, String* key, void* value) {
  guard(false, [&] {
    const Unreadable* kept = value_of<Value>(value).unreadable();
    if (kept == nullptr) return kRewrite(io, key, value_of<Value>(value).filter()), true;
    RdbModuleWriter writer{kName(), kEncoding};
    kept->fields.write(writer);
    const std::vector<std::byte> payload = writer.take();
    api.EmitAOF(io, "RESTORE", "scb", key, "0", bloomery::text_of(payload).data(), payload.size());
    return true;
  });
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

template <class Value, std::size_t (*kUsage)(const typename Value::Filter&)>
std::size_t usage_of_value(const void* value) {
  const Unreadable* kept = value_of<Value>(value).unreadable();
  return kept != nullptr ? sizeof(Value) + kept->fields.size_bytes()
                         : kUsage(value_of<Value>(value).filter());
}

// Above 64 the server frees in the background: from a quarter of a megabyte on.
inline std::size_t effort_to_free(std::size_t layers, std::uint64_t bytes) {
  constexpr std::uint64_t kPage = 4096;
  return layers + static_cast<std::size_t>(bytes / kPage);
}

template <class Value, std::size_t (*kLayers)(const typename Value::Filter&)>
std::size_t effort_to_free_value(String*, const void* value) {
  if (const Unreadable* kept = value_of<Value>(value).unreadable())
    return effort_to_free(1, kept->fields.size_bytes());
  const auto& filter = value_of<Value>(value).filter();
  return effort_to_free(kLayers(filter), filter.size_bytes());
}

class DigestWriter {  // of fields, one after the other
 public:
  explicit DigestWriter(Digest* out) : out_{out} {}
  void unsigned_value(std::uint64_t value) {
    api.DigestAddLongLong(out_, static_cast<long long>(value));
  }
  void double_value(double value) { unsigned_value(std::bit_cast<std::uint64_t>(value)); }
  void string_value(ByteView bytes) {
    api.DigestAddStringBuffer(out_, bloomery::text_of(bytes).data(), bytes.size());
  }

 private:
  Digest* out_;
};

template <class Value, void (*kDigest)(Digest*, const typename Value::Filter&)>
void digest_value(Digest* out, void* value) {
  guard(false, [&] {
    DigestWriter writer{out};
    if (const Unreadable* kept = value_of<Value>(value).unreadable())
      kept->fields.write(writer);
    else
      kDigest(out, value_of<Value>(value).filter());
    api.DigestEndSequence(out);
    return true;
  });
}

template <class Value>
void free_value(void* value) {
  Value::destroy(static_cast<Value*>(value));
}

// kCopy returns nothing for a filter that cannot be copied.
template <class Value,
          std::optional<typename Value::Filter> (*kCopy)(const typename Value::Filter&)>
void* copy_value(String*, String*, const void* value) {
  return guard<void*>(nullptr, [&]() -> void* {
    if (const Unreadable* kept = value_of<Value>(value).unreadable())
      return Value::create(Unreadable{kept->fields.clone(), kept->reason});
    auto copy = kCopy(value_of<Value>(value).filter());
    return copy ? Value::create(std::move(*copy)) : nullptr;
  });
}

inline int defrag_value(DefragContext* context, String*, void** value) {
  if (void* moved = api.DefragAlloc(context, *value)) *value = moved;
  return 0;  // done: bit arrays stay where they are
}

// Type has Value and kEncoding, and as static members name, load, save, rewrite, usage, digest,
// layers and copy. Null: the name is taken.
template <class Type>
DataType* create_filter_type(Context* context) {
  using Value = typename Type::Value;
  TypeMethods methods;
  methods.rdb_load = Type::load;
  methods.rdb_save = save_value<Value, Type::save>;
  methods.aof_rewrite = rewrite_value<Value, Type::name, Type::kEncoding, Type::rewrite>;
  methods.mem_usage = usage_of_value<Value, Type::usage>;
  methods.digest = digest_value<Value, Type::digest>;
  methods.free = free_value<Value>;
  methods.free_effort = effort_to_free_value<Value, Type::layers>;
  methods.copy = copy_value<Value, Type::copy>;
  methods.defrag = defrag_value;
  return api.CreateDataType(context, Type::name().c_str(), Type::kEncoding, &methods);
}

}  // namespace bloomery::redis_module
