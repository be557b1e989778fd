// The file of a MinIO change tracker: little-endian, with big-endian filters inside.
#include "bloomery/formats/minio_tracker.h"

namespace bloomery {
namespace {

constexpr std::uint8_t kVersion = 7;
constexpr std::size_t kTrackerHeaderBytes = 1 + 8 + 8;
constexpr std::size_t kFilterHeaderBytes = 3 * 8;
constexpr std::size_t kLeastEntryBytes = 8 + kFilterHeaderBytes;

Status checked_version(std::uint8_t version) {
  if (version == kVersion) return ok();
  if (version == 0 || version > kVersion)
    return Error{ErrorCode::kMalformed,
                 message("unknown data version: a tracker file begins with 7, and not with ",
                         unsigned{version})};
  return Error{ErrorCode::kUnsupported,
               message("version ", unsigned{version},
                       " of a tracker file has other filters and keys: MinIO itself ignores it and "
                       "starts afresh")};
}

// Takes what it uses from the limit, so that many small filters cannot exceed it either.
Result<MinioCycle> read_cycle(ByteReader& reader, std::uint64_t index, DecodeLimits& limits) {
  auto filter = read_bits_and_blooms<BitsAndBlooms>(reader, limits);
  if (!filter) return filter.error();
  const std::uint64_t used =
      filter->filter.size_bytes() + filter->beyond.size() * 8 + sizeof(MinioCycle);
  if (used > limits.max_bytes)
    return Error{ErrorCode::kTooLarge,
                 message("the tracker's filters exceed the limit at byte ", reader.position())};
  limits.max_bytes -= used;
  if (filter->filter.shape() == kMinioShape)
    filter->filter.set_provenance({.goal = kMinioGoal, .keys_inserted = std::nullopt});
  return MinioCycle{index, std::move(*filter)};
}

}  // namespace

Result<MinioTracker> decode_minio_tracker(ByteView bytes, const DecodeOptions& options) {
  ByteReader reader{bytes};
  DecodeLimits limits = options.limits;
  const auto version = reader.le<std::uint8_t>();
  if (reader.failed()) return reader.truncated("a tracker file");
  if (auto known = checked_version(version); !known) return known.error();
  const auto saved_unix = reader.le<std::int64_t>();
  const auto current_index = reader.le<std::uint64_t>();
  if (reader.failed()) return reader.truncated("the header of a tracker file");
  auto current = read_cycle(reader, current_index, limits);
  if (!current) return current.error();
  MinioTracker tracker{.saved_unix = saved_unix, .current = std::move(*current)};

  const auto count = reader.le<std::uint64_t>();
  if (reader.failed()) return reader.truncated("the history count of a tracker file");
  if (count > reader.remaining() / kLeastEntryBytes)
    return Error{ErrorCode::kTruncated, message("a history of ", count, " cycles cannot lie in ",
                                                reader.remaining(), " bytes")};
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto index = reader.le<std::uint64_t>();
    if (reader.failed()) return reader.truncated("the history of a tracker file");
    auto cycle = read_cycle(reader, index, limits);
    if (!cycle) return cycle.error();
    tracker.history.push_back(std::move(*cycle));
  }
  tracker.trailing_bytes = reader.remaining();
  return tracker;
}

std::vector<std::byte> encode_minio_tracker(const MinioTracker& tracker) {
  ByteWriter writer;
  writer.le(kVersion);
  writer.le(tracker.saved_unix);
  writer.le(tracker.current.index);
  append_bits_and_blooms(writer, tracker.current.filter);
  writer.le(static_cast<std::uint64_t>(tracker.history.size()));
  for (const MinioCycle& cycle : tracker.history) {
    writer.le(cycle.index);
    append_bits_and_blooms(writer, cycle.filter);
  }
  return writer.take();
}

bool looks_like_minio_tracker(ByteView bytes) {
  if (bytes.size() < kTrackerHeaderBytes + kFilterHeaderBytes || bytes[0] != std::byte{kVersion})
    return false;
  const auto number = [&](std::size_t i) {
    return load_be<std::uint64_t>(bytes.data() + kTrackerHeaderBytes + 8 * i);
  };
  return number(0) == kMinioShape.bits && number(1) == kMinioShape.probes &&
         number(2) == kMinioShape.bits;
}

Description describe(const MinioTracker& tracker) {
  Description description;
  description.format = "minio-tracker";
  description.layout = "container";
  description.dialect = BitsAndBlooms::kName;
  const auto add = [&](const MinioCycle& cycle, std::string_view name) {
    const auto& filter = cycle.filter.filter;
    description.bytes += filter.size_bytes();
    description.layers.push_back({message(name, " ", cycle.index), filter.size_bits(),
                                  filter.shape().probes, filter.size_bytes(),
                                  filter.provenance().keys_inserted, filter.provenance().goal,
                                  filter.health()});
  };
  add(tracker.current, "current cycle");
  for (const MinioCycle& cycle : tracker.history) add(cycle, "cycle");
  description.notes.push_back(message("saved at ", tracker.saved_unix, " (Unix seconds)"));
  description.notes.emplace_back(
      "a key is a path within a bucket and every folder on the way to it: ask with --path");
  if (tracker.trailing_bytes > 0)
    description.notes.push_back(message(tracker.trailing_bytes,
                                        " bytes follow the last filter; MinIO ignores them, and "
                                        "they are dropped on writing"));
  return description;
}

}  // namespace bloomery
