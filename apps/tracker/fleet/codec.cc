// All numbers little-endian; a text is u32 bytes, then them:
//   a share: u32 roots; each root, a text.
//   an answer: "BLMANSWR", u32 version, u32 zero, u64 instance, u64 index and u64 token of the
//   cycle it answered before, u64 bytes, a cycle; u64 XXH3-64 of all before it.
//   a memory: "BLMFLEET", u32 version, u32 members, u64 identity, u64 last index, the fleet's name;
//   each member: its name, its share as a text; u64 XXH3-64 of all before it.
#include "apps/tracker/fleet/codec.h"

#include "apps/tracker/state/paths.h"
#include "bloomery/base/byte_reader.h"
#include "bloomery/base/byte_writer.h"
#include "bloomery/base/message.h"
#include "bloomery/hash/xxh.h"

namespace bloomery::tracker {
namespace {

constexpr std::string_view kAnswerMagic = "BLMANSWR";
constexpr std::string_view kMemoryMagic = "BLMFLEET";
constexpr std::uint32_t kVersion = 1;
constexpr std::size_t kSumBytes = 8;
constexpr std::size_t kMostMembers = 4 * kMostNodes;  // those that are remembered, too

Error malformed(std::string_view what, std::string_view why) {
  return {ErrorCode::kMalformed, message(what, ": ", why)};
}

void put_text(ByteWriter& writer, std::string_view text) {
  writer.le(static_cast<std::uint32_t>(text.size()));
  writer.put(bytes_of(text));
}

std::string take_text(ByteReader& reader) {
  return std::string{text_of(reader.take(reader.le<std::uint32_t>()))};
}

std::vector<std::byte> sealed(ByteWriter& writer) {
  auto bytes = writer.take();
  const std::uint64_t sum = xxh3_64(bytes);
  bytes.resize(bytes.size() + kSumBytes);
  store_le(bytes.data() + bytes.size() - kSumBytes, sum);
  return bytes;
}

// The bytes between the version and the checksum, once both are right.
Result<ByteView> opened(std::string_view what, std::string_view magic, ByteView bytes) {
  const std::size_t head = magic.size() + sizeof kVersion;
  if (bytes.size() < head + kSumBytes)
    return Error{ErrorCode::kTruncated,
                 message(what, " has more than ", bytes.size(), " bytes: they were cut off")};
  if (text_of(bytes.first(magic.size())) != magic)
    return malformed(what, message("it begins with ", magic, ", and this does not"));
  const auto version = load_le<std::uint32_t>(bytes.data() + magic.size());
  if (version != kVersion)
    return Error{ErrorCode::kUnsupported,
                 message(what, ": unsupported version ", version, "; upgrade bloomery")};
  const ByteView summed = bytes.first(bytes.size() - kSumBytes);
  if (xxh3_64(summed) != load_le<std::uint64_t>(summed.data() + summed.size()))
    return malformed(what, "the checksum is wrong: it is damaged or cut off");
  return summed.subspan(head);
}

NodeAnswer too_large(const NodeAnswer& answer, std::size_t bytes) {
  NodeAnswer instead{.instance = answer.instance, .since = answer.since, .cycle = {}};
  instead.cycle.id = answer.cycle.id;
  instead.cycle.filter.flag_everything(
      message("the filter has ", bytes, " bytes, more than a fleet exchanges"));
  return instead;
}

}  // namespace

std::string encode_share(const Share& share) {
  ByteWriter writer;
  writer.le(static_cast<std::uint32_t>(share.size()));
  for (const std::string& root : share) put_text(writer, root);
  return std::string{text_of(writer.take())};
}

Result<Share> decode_share(std::string_view bytes) {
  constexpr std::string_view kWhat = "the roots of a node";
  if (bytes.size() > kMostRootBytes + sizeof(std::uint32_t) * (kMostRoots + 1))
    return Error{ErrorCode::kTooLarge, message(kWhat, " have ", bytes.size(), " bytes: too many")};
  ByteReader reader{bytes_of(bytes)};
  const auto count = reader.le<std::uint32_t>();
  if (reader.failed()) return reader.truncated(kWhat);
  if (count > kMostRoots) return malformed(kWhat, "there are more than any node has");
  Share share;
  for (std::uint32_t i = 0; i < count; ++i) {
    share.push_back(take_text(reader));
    if (reader.failed()) return reader.truncated(kWhat);
    if (!is_clean(share.back())) return malformed(kWhat, "a path is not clean");
  }
  if (reader.remaining() > 0) return malformed(kWhat, "something follows the last one");
  return share;
}

std::vector<std::byte> encode_answer(const NodeAnswer& answer) {
  const auto cycle = encode_cycle(answer.cycle);
  ByteWriter writer;
  writer.put(bytes_of(kAnswerMagic));
  writer.le(kVersion);
  writer.le(std::uint32_t{0});
  writer.le(answer.instance);
  writer.le(answer.since.index);
  writer.le(answer.since.token);
  writer.le(static_cast<std::uint64_t>(cycle.size()));
  if (writer.size() + cycle.size() + kSumBytes > kMaxAnswerBytes)
    return encode_answer(too_large(answer, cycle.size()));
  writer.put(cycle);
  return sealed(writer);
}

Result<NodeAnswer> decode_answer(ByteView bytes, DecodeLimits limits) {
  constexpr std::string_view kWhat = "the answer of a node";
  if (bytes.size() > kMaxAnswerBytes)
    return Error{ErrorCode::kTooLarge, message(kWhat, " has ", bytes.size(), " bytes: too many")};
  const auto content = opened(kWhat, kAnswerMagic, bytes);
  if (!content) return content.error();
  ByteReader reader{*content};
  const auto zero = reader.le<std::uint32_t>();
  NodeAnswer answer;
  answer.instance = reader.le<std::uint64_t>();
  answer.since.index = reader.le<std::uint64_t>();
  answer.since.token = reader.le<std::uint64_t>();
  const ByteView cycle_bytes = reader.take(reader.le<std::uint64_t>());
  if (reader.failed()) return reader.truncated(kWhat);
  if (zero != 0 || reader.remaining() > 0) return malformed(kWhat, "a reserved part is used");
  auto cycle = decode_cycle(cycle_bytes, limits);
  if (!cycle) return cycle.error();
  answer.cycle = std::move(*cycle);
  return answer;
}

std::vector<std::byte> encode_memory(const FleetMemory& memory) {
  ByteWriter writer;
  writer.put(bytes_of(kMemoryMagic));
  writer.le(kVersion);
  writer.le(static_cast<std::uint32_t>(memory.members.size()));
  writer.le(memory.identity);
  writer.le(memory.last_index);
  put_text(writer, memory.fleet);
  for (const RememberedMember& member : memory.members) {
    put_text(writer, member.name);
    put_text(writer, encode_share(member.share));
  }
  return sealed(writer);
}

Result<FleetMemory> decode_memory(ByteView bytes) {
  constexpr std::string_view kWhat = "what is remembered of a fleet";
  const auto content = opened(kWhat, kMemoryMagic, bytes);
  if (!content) return content.error();
  ByteReader reader{*content};
  const auto members = reader.le<std::uint32_t>();
  FleetMemory memory;
  memory.identity = reader.le<std::uint64_t>();
  memory.last_index = reader.le<std::uint64_t>();
  memory.fleet = take_text(reader);
  if (reader.failed()) return reader.truncated(kWhat);
  if (members > kMostMembers || !check_name("a fleet", memory.fleet))
    return malformed(kWhat, "it is none of a fleet");
  for (std::uint32_t i = 0; i < members; ++i) {
    std::string name = take_text(reader);
    const auto share = decode_share(take_text(reader));
    if (reader.failed()) return reader.truncated(kWhat);
    if (!share) return share.error();
    if (auto fit = check_name("a node", name); !fit) return malformed(kWhat, fit.error().message);
    memory.members.push_back({std::move(name), *share});
  }
  if (reader.remaining() > 0) return malformed(kWhat, "something follows the last member");
  return memory;
}

}  // namespace bloomery::tracker
