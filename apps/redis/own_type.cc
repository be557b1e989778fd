#include "apps/redis/own_type.h"

#include "apps/redis/config.h"
#include "apps/redis/filter_type.h"
#include "apps/redis/memory.h"
#include "apps/redis/names.h"
#include "apps/redis/own_dump.h"
#include "apps/redis/own_value.h"
#include "apps/redis/server_values.h"

namespace bloomery::redis_module {
namespace {

constexpr int kEncoding = 1;
DataType* registered = nullptr;

ByteView view_of(const ServerText& text) {
  return bytes_of(std::string_view{text.text.get(), text.size});
}

// A layer's header buys memory for its body: only as much as came with it. Our own files and our
// primary may hold a load that is not whole, and are believed.
bool brings_its_body(const ServerText& header, const ServerText& body) {
  constexpr std::size_t kBodyBytesAt = offsetof(NativeHeader, body_bytes);
  return header.size == kNativeHeaderBytes &&
         load_le<std::uint64_t>(view_of(header).data() + kBodyBytesAt) == body.size;
}

Error not_whole() { return {ErrorCode::kTruncated, "a layer has not all of its bytes"}; }

Result<OwnContent> read_content(ServerReader& reader, DecodeLimits limits, bool trusted) {
  auto loader = OwnLoader::start(view_of(reader.string_value()), server_memory());
  if (!loader) return loader.error();
  const bool whole = reader.unsigned_value() != 0;
  const std::uint64_t begun = reader.unsigned_value();
  if (!whole && !trusted) return not_whole();
  for (std::uint64_t i = 0; i < begun && !reader.failed(); ++i) {
    const ServerText header = reader.string_value();
    const ServerText body = reader.string_value();
    if (whole && !brings_its_body(header, body)) return not_whole();
    for (const ServerText* part : {&header, &body})
      if (auto taken = loader->take(view_of(*part), limits); !taken) return taken.error();
  }
  if (reader.failed()) return reader.error();
  if (whole != loader->whole()) return not_whole();
  if (!whole) return OwnContent{std::move(*loader)};
  return OwnContent{std::move(*loader).finish()};
}

void* load(Io* io, int encoding) {
  return load_value<OwnValue>(io, "BLOOMERY1", [&]() -> Result<OwnContent> {
    if (encoding != kEncoding)
      return Error{ErrorCode::kUnsupported, message("encoding ", encoding, " is not known here")};
    ServerReader reader{io};
    Context* context = api.GetContextFromIO(io);
    const bool trusted = (api.GetContextFlags(context) & (kFlagReplica | kFlagLoading)) != 0;
    return read_content(reader, limits_in(context), trusted);
  });
}

// The bytes of each layer's header, then those of its body.
template <class Visit>
void for_each_part(const OwnContent& content, Visit visit) {
  if (const OwnLoader* loader = content.loader()) {
    loader->for_each_begun(visit);
    return;
  }
  content.filter()->for_each_layer({}, [&](const OwnSlice&, const OwnLayer& layer) {
    visit(ByteView{encode_native_header(layer.header())}, layer.bytes());
  });
}

std::vector<std::byte> manifest_bytes(const OwnContent& content) {
  const OwnLoader* loader = content.loader();
  return encode_own_manifest(loader != nullptr ? loader->manifest()
                                               : manifest_of(*content.filter()));
}

void save(Io* io, void* value) {
  guard(false, [&] {
    const OwnContent& content = filter_of<OwnValue>(value);
    ServerWriter writer{io};
    writer.string_value(manifest_bytes(content));
    writer.unsigned_value(content.loader() == nullptr ? 1 : 0);
    writer.unsigned_value(content.loader() == nullptr ? content.filter()->layers()
                                                      : content.loader()->begun());
    for_each_part(content, [&](ByteView header, ByteView body) {
      writer.string_value(header);
      writer.string_value(body);
    });
    return true;
  });
}

void rewrite(Io* io, String* key, void* value) {
  guard(false, [&] {
    const std::string command = command_name("BF.LOADCHUNK");
    std::int64_t position = 1;
    const auto emit = [&](ByteView bytes) {
      api.EmitAOF(io, command.c_str(), "slb", key, static_cast<long long>(position),
                  bloomery::text_of(bytes).data(), bytes.size());
    };
    const OwnContent& content = filter_of<OwnValue>(value);
    emit(manifest_bytes(content));
    for_each_part(content, [&](ByteView header, ByteView body) {
      position += static_cast<std::int64_t>(header.size());
      emit(header);
      while (!body.empty()) {
        const auto size = std::min<std::size_t>(body.size(), kRedisChunkBytes);
        position += static_cast<std::int64_t>(size);
        emit(body.first(size));
        body = body.subspan(size);
      }
    });
    return true;
  });
}

std::size_t memory_usage(const void* value) { return reported_bytes(filter_of<OwnValue>(value)); }

std::size_t free_effort(String*, const void* value) {
  const OwnContent& content = filter_of<OwnValue>(value);
  const std::size_t layers =
      content.loader() == nullptr ? content.filter()->layers() : content.loader()->begun();
  return effort_to_free(layers, content.size_bytes());
}

// A load under way is copied as it came: the copy takes the same bytes.
Result<OwnContent> copy_of(const OwnLoader& from) {
  auto loader = OwnLoader::start(encode_own_manifest(from.manifest()), server_memory());
  if (!loader) return loader.error();
  Status taken = ok();
  from.for_each_begun([&](ByteView header, ByteView body) {
    for (const ByteView part : {header, body})
      if (taken) taken = loader->take(part, {kMaxBits / 8});
  });
  if (!taken) return taken.error();
  return OwnContent{std::move(*loader)};
}

void* copy(String*, String*, const void* value) {
  return guard<void*>(nullptr, [&]() -> void* {
    const OwnContent& content = filter_of<OwnValue>(value);
    if (content.loader() == nullptr) return OwnValue::create(content.filter()->clone());
    auto copied = copy_of(*content.loader());
    return copied ? OwnValue::create(std::move(*copied)) : nullptr;
  });
}

void digest(Digest* out, void* value) {
  guard(false, [&] {
    const OwnContent& content = filter_of<OwnValue>(value);
    const auto add = [&](ByteView bytes) {
      api.DigestAddStringBuffer(out, bloomery::text_of(bytes).data(), bytes.size());
    };
    add(manifest_bytes(content));
    for_each_part(content, [&](ByteView header, ByteView body) {
      add(header);
      add(body);
    });
    api.DigestEndSequence(out);
    return true;
  });
}

}  // namespace

DataType* own_type() { return registered; }

bool register_own_type(Context* context) {
  TypeMethods methods;
  methods.rdb_load = load;
  methods.rdb_save = save;
  methods.aof_rewrite = rewrite;
  methods.mem_usage = memory_usage;
  methods.digest = digest;
  methods.free = free_value<OwnValue>;
  methods.free_effort = free_effort;
  methods.copy = copy;
  methods.defrag = defrag_value;
  registered = api.CreateDataType(context, own_type_name().c_str(), kEncoding, &methods);
  return registered != nullptr;
}

}  // namespace bloomery::redis_module
