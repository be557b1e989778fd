// The bytes of tracker.bloomery. All numbers little-endian:
//   "BLMTRACK", u32 version, u32 flags, u64 sequence, i64 saved, f64 rate, u64 first_keys, u32
//   kept, u32 roots, u32 drives, u32 past; each root, then each drive: u32 bytes, path; the current
//   cycle, then the past ones, newest first: u64 bytes, a cycle (cycle.cc); u64 XXH3-64 of all
//   before it.
#include "apps/tracker/state/state.h"

#include <algorithm>

#include "bloomery/base/byte_reader.h"
#include "bloomery/base/byte_writer.h"
#include "bloomery/hash/xxh.h"

namespace bloomery::tracker {
namespace {

constexpr std::string_view kMagic = "BLMTRACK";
constexpr std::uint32_t kVersion = 1;
constexpr std::uint32_t kSessionOpen = 1;
constexpr std::uint32_t kWatched = 2;
constexpr std::uint32_t kMarksOnly = 4;
constexpr std::size_t kSumBytes = 8;
constexpr std::size_t kHeaderBytes = 64;

Error malformed(std::string_view what) {
  return {ErrorCode::kMalformed, message("a tracker's state: ", what)};
}

Status check_frame(ByteView bytes) {
  if (bytes.size() < kHeaderBytes + kSumBytes)
    return Error{ErrorCode::kTruncated, message("a tracker's state has more than ", bytes.size(),
                                                " bytes: it was cut off")};
  if (text_of(bytes.first(kMagic.size())) != kMagic)
    return malformed("it begins with BLMTRACK, and this does not");
  const ByteView summed = bytes.first(bytes.size() - kSumBytes);
  if (xxh3_64(summed) != load_le<std::uint64_t>(summed.data() + summed.size()))
    return malformed("the checksum is wrong: it is damaged or cut off");
  // After the checksum: a damaged number is no newer version, and may be overwritten.
  const auto version = load_le<std::uint32_t>(bytes.data() + kMagic.size());
  if (version != kVersion)
    return Error{ErrorCode::kUnsupported,
                 message("a tracker's state: unsupported version ", version, "; upgrade bloomery")};
  return ok();
}

void put_strings(ByteWriter& writer, const std::vector<std::string>& strings) {
  for (const std::string& string : strings) {
    writer.le(static_cast<std::uint32_t>(string.size()));
    writer.put(bytes_of(string));
  }
}

Result<std::vector<std::string>> read_strings(ByteReader& reader, std::uint32_t count) {
  std::vector<std::string> strings;
  for (std::uint32_t i = 0; i < count; ++i) {
    const ByteView string = reader.take(reader.le<std::uint32_t>());
    if (reader.failed()) return reader.truncated("a folder's name in a tracker's state");
    strings.emplace_back(text_of(string));
  }
  return strings;
}

void put_cycle(ByteWriter& writer, const Cycle& cycle) {
  const auto bytes = encode_cycle(cycle);
  writer.le(static_cast<std::uint64_t>(bytes.size()));
  writer.put(bytes);
}

// Takes what it uses from the limit, so that many cycles cannot exceed it either.
Result<Cycle> read_cycle(ByteReader& reader, DecodeLimits& limits) {
  const ByteView bytes = reader.take(reader.le<std::uint64_t>());
  if (reader.failed()) return reader.truncated("a cycle of a tracker's state");
  auto cycle = decode_cycle(bytes, limits);
  if (!cycle) return cycle.error();
  limits.max_bytes -= std::min<std::uint64_t>(limits.max_bytes, cycle->filter.size_bytes());
  return cycle;
}

Result<History> read_history(ByteReader& reader, std::uint32_t count, CycleGoal goal,
                             std::uint32_t kept, DecodeLimits limits) {
  auto current = read_cycle(reader, limits);
  if (!current) return current.error();
  std::vector<std::shared_ptr<const Cycle>> past;
  std::uint64_t successor = current->id.index;
  for (std::uint32_t i = 0; i < count; ++i) {
    auto cycle = read_cycle(reader, limits);
    if (!cycle) return cycle.error();
    if (cycle->id.index >= successor) return malformed("its cycles are not in order");
    successor = cycle->id.index;
    past.push_back(std::make_shared<const Cycle>(std::move(*cycle)));
  }
  if (reader.remaining() > 0) return malformed("something follows the last cycle");
  return History{std::move(*current), std::move(past), goal, kept};
}

}  // namespace

std::vector<std::byte> encode_state(const State& state) {
  const History& history = state.history;
  ByteWriter writer;
  writer.put(bytes_of(kMagic));
  writer.le(kVersion);
  writer.le((state.session_open ? kSessionOpen : 0U) | (state.watched ? kWatched : 0U) |
            (state.marks_only ? kMarksOnly : 0U));
  writer.le(state.sequence);
  writer.le(state.saved_unix);
  writer.le(history.goal().rate);
  writer.le(history.goal().first_keys);
  writer.le(history.kept());
  writer.le(static_cast<std::uint32_t>(state.settings.roots.size()));
  writer.le(static_cast<std::uint32_t>(state.settings.drives.size()));
  writer.le(static_cast<std::uint32_t>(history.past().size()));
  put_strings(writer, state.settings.roots);
  put_strings(writer, state.settings.drives);
  put_cycle(writer, history.current());
  for (const auto& cycle : history.past()) put_cycle(writer, *cycle);
  auto bytes = writer.take();
  const std::uint64_t sum = xxh3_64(bytes);
  bytes.resize(bytes.size() + kSumBytes);
  store_le(bytes.data() + bytes.size() - kSumBytes, sum);
  return bytes;
}

Result<State> decode_state(ByteView bytes, DecodeLimits limits) {
  if (auto framed = check_frame(bytes); !framed) return framed.error();
  ByteReader reader{bytes.first(bytes.size() - kSumBytes)};
  (void)reader.take(kMagic.size() + sizeof kVersion);
  const auto flags = reader.le<std::uint32_t>();
  const auto sequence = reader.le<std::uint64_t>();
  const auto saved = reader.le<std::int64_t>();
  CycleGoal goal;
  goal.rate = reader.le<double>();
  goal.first_keys = reader.le<std::uint64_t>();
  const auto kept = reader.le<std::uint32_t>();
  const auto roots_count = reader.le<std::uint32_t>();
  const auto drives_count = reader.le<std::uint32_t>();
  const auto past_count = reader.le<std::uint32_t>();
  if (reader.failed()) return reader.truncated("a tracker's state");
  if (auto valid = checked(goal); !valid) return malformed(valid.error().message);
  if (flags > (kSessionOpen | kWatched | kMarksOnly)) return malformed("an unknown flag is set");
  if (kept == 0 || kept > kMostCyclesKept || past_count > kept)
    return malformed("it has more cycles than a tracker keeps");
  auto roots = read_strings(reader, roots_count);
  if (!roots) return roots.error();
  auto drives = read_strings(reader, drives_count);
  if (!drives) return drives.error();
  auto history = read_history(reader, past_count, goal, kept, limits);
  if (!history) return history.error();
  return State{.sequence = sequence,
               .saved_unix = saved,
               .session_open = (flags & kSessionOpen) != 0,
               .watched = (flags & kWatched) != 0,
               .marks_only = (flags & kMarksOnly) != 0,
               .settings = {std::move(*roots), std::move(*drives)},
               .history = std::move(*history)};
}

}  // namespace bloomery::tracker
