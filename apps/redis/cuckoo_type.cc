#include "apps/redis/cuckoo_type.h"

#include "apps/redis/config.h"
#include "apps/redis/cuckoo_value.h"
#include "apps/redis/filter_type.h"
#include "apps/redis/memory.h"
#include "apps/redis/names.h"
#include "apps/redis/server_values.h"
#include "bloomery/formats/rediscuckoo_dump.h"
#include "bloomery/formats/rediscuckoo_rdb.h"

namespace bloomery::redis_module {
namespace {

DataType* registered = nullptr;

void* load(Io* io, int encoding) {
  return load_value<CuckooValue>(io, "cuckoo", [&] {
    ServerReader reader{io};
    return read_rediscuckoo_value(reader, static_cast<std::uint32_t>(encoding),
                                  limits_in(api.GetContextFromIO(io)), server_memory());
  });
}

void save(Io* io, void* value) {
  guard(false, [&] {
    ServerWriter writer{io};
    write_rediscuckoo_value(filter_of<CuckooValue>(value), writer);
    return true;
  });
}

void rewrite(Io* io, String* key, void* value) {
  guard(false, [&] {
    const RedisCuckooFilter& filter = filter_of<CuckooValue>(value);
    rewrite_in_pieces(io, command_name("CF.LOADCHUNK"), key, filter,
                      encode_rediscuckoo_header(filter));
    return true;
  });
}

std::size_t memory_usage(const void* value) {
  return static_cast<std::size_t>(filter_of<CuckooValue>(value).reported_bytes());
}

std::size_t free_effort(String*, const void* value) {
  const RedisCuckooFilter& filter = filter_of<CuckooValue>(value);
  return effort_to_free(filter.layers(), filter.size_bytes());
}

void digest(Digest* out, void* value) {
  guard(false, [&] {
    const RedisCuckooFilter& filter = filter_of<CuckooValue>(value);
    const std::vector<std::byte> header = encode_rediscuckoo_header(filter);
    api.DigestAddStringBuffer(out, text_of(header).data(), header.size());
    for (std::size_t i = 0; i < filter.layers(); ++i)
      api.DigestAddStringBuffer(out, text_of(filter.table(i)).data(), filter.table(i).size());
    api.DigestEndSequence(out);
    return true;
  });
}

}  // namespace

DataType* cuckoo_type() { return registered; }

bool register_cuckoo_type(Context* context) {
  TypeMethods methods;
  methods.rdb_load = load;
  methods.rdb_save = save;
  methods.aof_rewrite = rewrite;
  methods.mem_usage = memory_usage;
  methods.digest = digest;
  methods.free = free_value<CuckooValue>;
  methods.free_effort = free_effort;
  methods.copy = copy_value<CuckooValue>;
  methods.defrag = defrag_value;
  registered =
      api.CreateDataType(context, cuckoo_type_name().c_str(), kRedisCuckooEncoding, &methods);
  return registered != nullptr;
}

}  // namespace bloomery::redis_module
