#include "apps/redis/native/type.h"

#include "apps/redis/native/dump.h"
#include "apps/redis/native/value.h"
#include "apps/redis/native/window.h"
#include "apps/redis/server/config.h"
#include "apps/redis/server/filter_type.h"
#include "apps/redis/server/memory.h"
#include "apps/redis/server/names.h"
#include "bloomery/base/byte_writer.h"

namespace bloomery::redis_module {
namespace {

constexpr int kNativeEncoding = 1;
DataType* registered = nullptr;

// A load of one of RedisBloom's filters: this, its kind and its header in place of a manifest.
constexpr std::string_view kPeerMagic = "BLMPEER1";

// A layer's header buys memory for its body: only as much as came with it. Our own files and our
// primary may hold a load that is not whole, and are believed.
bool brings_its_body(ByteView header, ByteView body) {
  constexpr std::size_t kBodyBytesAt = offsetof(NativeHeader, body_bytes);
  return header.size() == kNativeHeaderBytes &&
         load_le<std::uint64_t>(header.data() + kBodyBytesAt) == body.size();
}

Error not_whole() { return {ErrorCode::kTruncated, "a layer has not all of its bytes"}; }

Result<NativeContent> read_peer_load(RawReader& reader, ByteView start, std::uint64_t parts,
                                     DecodeLimits limits) {
  if (start.size() <= kPeerMagic.size()) return not_whole();
  const auto kind = static_cast<PeerKind>(start[kPeerMagic.size()]);
  if (kind != PeerKind::kBloom && kind != PeerKind::kCuckoo)
    return Error{ErrorCode::kMalformed, "a load has an unknown kind of filter"};
  auto loader =
      PeerLoader::start(kind, start.subspan(kPeerMagic.size() + 1), limits, server_memory());
  if (!loader) return loader.error();
  for (std::uint64_t i = 0; i < parts && !reader.failed(); ++i) {
    const RawReader::Text at = reader.string_value();
    const RawReader::Text bytes = reader.string_value();
    if (at.size != sizeof(std::uint64_t)) return not_whole();
    const std::uint64_t position = load_le<std::uint64_t>(at.bytes.data()) + bytes.size + 1;
    if (loader->take(static_cast<std::int64_t>(position), bytes.bytes) != ChunkLoad::kLoaded)
      return Error{ErrorCode::kMalformed, "a chunk of a load lies outside its filter"};
  }
  if (reader.failed()) return reader.error();
  if (loader->whole()) return Error{ErrorCode::kMalformed, "a load that is over was saved as one"};
  return NativeContent{std::make_unique<PeerLoader>(std::move(*loader))};
}

Result<NativeContent> read_content(RawReader& reader, DecodeLimits limits, bool trusted) {
  const ByteView start = reader.string_value().bytes;
  const bool whole = reader.unsigned_value() != 0;
  const std::uint64_t begun = reader.unsigned_value();
  if (!whole && !trusted) return not_whole();
  if (start.size() >= kPeerMagic.size() &&
      bloomery::text_of(start.first(kPeerMagic.size())) == kPeerMagic)
    return whole ? Result<NativeContent>{not_whole()}
                 : read_peer_load(reader, start, begun, limits);
  auto loader = NativeLoader::start(start, server_memory());
  if (!loader) return loader.error();
  for (std::uint64_t i = 0; i < begun && !reader.failed(); ++i) {
    const ByteView header = reader.string_value().bytes;
    const ByteView body = reader.string_value().bytes;
    if (whole && !brings_its_body(header, body)) return not_whole();
    for (const ByteView part : {header, body})
      if (auto taken = loader->take(part, limits); !taken) return taken.error();
  }
  if (reader.failed()) return reader.error();
  if (whole != loader->whole()) return not_whole();
  if (!whole) return NativeContent{std::move(*loader)};
  return NativeContent{std::move(*loader).finish()};
}

Result<RawFields> record(ServerReader& reader, int encoding) {
  if (encoding != kNativeEncoding)
    return Error{ErrorCode::kUnsupported, message("encoding ", encoding, " is not known here")};
  RawFields fields;
  fields.read_string(reader);  // the manifest
  fields.read_unsigned(reader);
  const std::uint64_t parts = fields.read_unsigned(reader);
  for (std::uint64_t i = 0; i < parts && !reader.failed(); ++i) {
    fields.read_string(reader);  // a header
    fields.read_string(reader);  // a body
  }
  return fields;
}

// The bytes of each layer's header, then those of its body; of a peer's filter, where the bytes
// belong and the bytes.
template <class Visit>
void for_each_part(const NativeContent& content, Visit visit) {
  if (const PeerLoader* loader = content.peer_loader()) {
    loader->for_each_received([&](std::uint64_t offset, ByteView bytes) {
      std::array<std::byte, sizeof offset> at;
      store_le(at.data(), offset);
      visit(ByteView{at}, bytes);
    });
    return;
  }
  if (const NativeLoader* loader = content.loader()) {
    loader->for_each_begun(visit);
    return;
  }
  content.filter()->for_each_layer({}, [&](const TimeSlice&, const FilterLayer& layer) {
    visit(ByteView{encode_native_header(layer.header())}, layer.bytes());
  });
}

std::size_t parts_of(const NativeContent& content) {
  std::size_t parts = 0;
  if (content.filter() != nullptr) return content.filter()->layers();
  if (content.loader() != nullptr) return content.loader()->begun();
  for_each_part(content, [&](ByteView, ByteView) { ++parts; });
  return parts;
}

// Without a context: as the filter has it in memory.
std::vector<std::byte> start_bytes(const NativeContent& content, Context* context) {
  if (const PeerLoader* loader = content.peer_loader()) {
    ByteWriter out;
    out.put(bytes_of(kPeerMagic));
    out.le(static_cast<std::uint8_t>(loader->kind()));
    out.put(loader->header_bytes());
    return out.take();
  }
  if (const NativeLoader* loader = content.loader())
    return encode_native_manifest(loader->manifest());
  return encode_native_manifest(context != nullptr
                                    ? manifest_for_storage(context, *content.filter())
                                    : manifest_of(*content.filter()));
}

class Emitter {
 public:
  Emitter(Io* io, String* key, const std::string& command)
      : io_{io}, key_{key}, command_{command} {}
  void at(std::uint64_t position, ByteView bytes) const {
    api.EmitAOF(io_, command_.c_str(), "slb", key_, static_cast<long long>(position),
                bloomery::text_of(bytes).data(), bytes.size());
  }
  // In pieces, each at the position after its last byte. Returns that of the last.
  std::uint64_t from(std::uint64_t position, ByteView bytes) const {
    while (!bytes.empty()) {
      const auto size = std::min<std::size_t>(bytes.size(), kRedisChunkBytes);
      position += size;
      at(position, bytes.first(size));
      bytes = bytes.subspan(size);
    }
    return position;
  }

 private:
  Io* io_;
  String* key_;
  const std::string& command_;
};

struct NativeType {
  using Value = NativeValue;
  static constexpr int kEncoding = kNativeEncoding;
  static std::string name() { return native_type_name(); }

  static void* load(Io* io, int encoding) {
    Context* context = api.GetContextFromIO(io);
    return load_value<NativeValue>(
        io, "BLOOMERY1", [&](ServerReader& reader) { return record(reader, encoding); },
        [&](const RawFields& fields) -> Result<NativeContent> {
          if (!is_trusted(io) && settings().redisbloom_only != 0)
            return Error{ErrorCode::kUnsupported,
                         "bf-redisbloom-only is set, and RedisBloom has no such type"};
          RawReader reader{fields};
          auto content = read_content(reader, limits_in(context), is_trusted(io));
          if (content && content->filter() != nullptr) start_clock(context, *content->filter());
          return content;
        });
  }

  static void save(Io* io, const NativeContent& content) {
    ServerWriter writer{io};
    writer.string_value(start_bytes(content, api.GetContextFromIO(io)));
    writer.unsigned_value(content.loading() ? 0 : 1);
    writer.unsigned_value(parts_of(content));
    for_each_part(content, [&](ByteView header, ByteView body) {
      writer.string_value(header);
      writer.string_value(body);
    });
  }

  static void rewrite(Io* io, String* key, const NativeContent& content) {
    const PeerLoader* peer = content.peer_loader();
    const bool cuckoo = peer != nullptr && peer->kind() == PeerKind::kCuckoo;
    const std::string command = command_name(cuckoo ? "CF.LOADCHUNK" : "BF.LOADCHUNK");
    const Emitter emit{io, key, command};
    if (peer != nullptr) {
      emit.at(1, peer->header_bytes());
      peer->for_each_received(
          [&](std::uint64_t offset, ByteView bytes) { emit.from(offset + 1, bytes); });
      return;
    }
    emit.at(1, start_bytes(content, api.GetContextFromIO(io)));
    std::uint64_t position = 1;
    for_each_part(content, [&](ByteView header, ByteView body) {
      position = emit.from(emit.from(position, header), body);
    });
  }

  // Half a filter is not copied: its owner is about to finish the other half.
  static std::optional<NativeContent> copy(const NativeContent& content) {
    if (content.loading()) return std::nullopt;
    return NativeContent{content.filter()->clone()};
  }

  static void digest(Digest* out, const NativeContent& content) {
    const auto add = [&](ByteView bytes) {
      api.DigestAddStringBuffer(out, bloomery::text_of(bytes).data(), bytes.size());
    };
    add(start_bytes(content, nullptr));
    for_each_part(content, [&](ByteView header, ByteView body) {
      add(header);
      add(body);
    });
  }

  static std::size_t usage(const NativeContent& content) { return reported_bytes(content); }
  static std::size_t layers(const NativeContent& content) { return parts_of(content); }
};

}  // namespace

DataType* native_type() { return registered; }

bool register_native_type(Context* context) {
  registered = create_filter_type<NativeType>(context);
  return registered != nullptr;
}

}  // namespace bloomery::redis_module
