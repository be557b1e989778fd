#include "apps/redis/cuckoo/type.h"

#include "apps/redis/cuckoo/value.h"
#include "apps/redis/server/config.h"
#include "apps/redis/server/filter_type.h"
#include "apps/redis/server/memory.h"
#include "apps/redis/server/names.h"
#include "apps/redis/server/rdb_io.h"
#include "bloomery/formats/redis/rediscuckoo_dump.h"
#include "bloomery/formats/redis/rediscuckoo_rdb.h"

namespace bloomery::redis_module {
namespace {

DataType* registered = nullptr;

Result<RawFields> record(ServerReader& reader, std::uint32_t encoding) {
  if (encoding != kRedisCuckooEncoding)
    return Error{ErrorCode::kUnsupported,
                 message("encoding version ", encoding, " of a cuckoo filter is not known; ",
                         kRedisCuckooEncoding, " is")};
  constexpr int kFieldsAfterLayers = 6;
  RawFields fields;
  const std::uint64_t layers = fields.read_unsigned(reader);
  for (int i = 0; i < kFieldsAfterLayers; ++i) fields.read_unsigned(reader);
  for (std::uint64_t i = 0; i < layers && !reader.failed(); ++i) {
    fields.read_unsigned(reader);  // buckets
    fields.read_string(reader);    // the table
  }
  return fields;
}

struct CuckooType {
  using Value = CuckooValue;
  static constexpr int kEncoding = kRedisCuckooEncoding;
  static std::string name() { return cuckoo_type_name(); }

  static void* load(Io* io, int encoding) {
    return load_value<CuckooValue>(
        io, "cuckoo",
        [&](ServerReader& reader) { return record(reader, static_cast<std::uint32_t>(encoding)); },
        [&](const RawFields& fields) {
          RawReader reader{fields};
          return read_rediscuckoo_value(reader, kRedisCuckooEncoding,
                                        limits_in(api.GetContextFromIO(io)), server_memory());
        });
  }

  static void save(Io* io, const RedisCuckooFilter& filter) {
    ServerWriter writer{io};
    write_rediscuckoo_value(filter, writer);
  }

  static void rewrite(Io* io, String* key, const RedisCuckooFilter& filter) {
    rewrite_in_pieces(io, command_name("CF.LOADCHUNK"), key, filter,
                      encode_rediscuckoo_header(filter));
  }

  static std::size_t usage(const RedisCuckooFilter& filter) {
    return static_cast<std::size_t>(filter.reported_bytes());
  }

  static std::size_t layers(const RedisCuckooFilter& filter) { return filter.layers(); }

  static std::optional<RedisCuckooFilter> copy(const RedisCuckooFilter& filter) {
    return filter.clone();
  }

  static void digest(Digest* out, const RedisCuckooFilter& filter) {
    const std::vector<std::byte> header = encode_rediscuckoo_header(filter);
    api.DigestAddStringBuffer(out, bloomery::text_of(header).data(), header.size());
    for (std::size_t i = 0; i < filter.layers(); ++i)
      api.DigestAddStringBuffer(out, bloomery::text_of(filter.table(i)).data(),
                                filter.table(i).size());
  }
};

}  // namespace

DataType* cuckoo_type() { return registered; }

bool register_cuckoo_type(Context* context) {
  registered = create_filter_type<CuckooType>(context);
  return registered != nullptr;
}

}  // namespace bloomery::redis_module
