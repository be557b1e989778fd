// A TrackerStatus in the bytes of the watcher's protocol.
#include "apps/tracker/watch/protocol.h"
#include "apps/tracker/watch/protocol_bytes.h"

namespace bloomery::tracker {
namespace {

void put_cycle(ByteWriter& writer, const CycleStatus& cycle) {
  writer.le(cycle.id.index);
  writer.le(cycle.id.token);
  writer.le(cycle.started_unix);
  writer.le(std::uint8_t{cycle.keys.has_value()});
  writer.le(cycle.keys.value_or(0));
  writer.le(static_cast<std::uint64_t>(cycle.layers));
  writer.le(static_cast<std::uint64_t>(cycle.bytes));
  writer.le(cycle.health.fill);
  writer.le(cycle.health.estimated_keys);
  writer.le(cycle.health.error_rate);
  writer.le(static_cast<std::uint8_t>(cycle.health.verdict));
  put_text(writer, cycle.everything);
  put_texts(writer, cycle.below);
}

CycleStatus read_cycle(ByteReader& reader) {
  CycleStatus cycle;
  cycle.id.index = reader.le<std::uint64_t>();
  cycle.id.token = reader.le<std::uint64_t>();
  cycle.started_unix = reader.le<std::int64_t>();
  const bool has_keys = reader.le<std::uint8_t>() != 0;
  const auto keys = reader.le<std::uint64_t>();
  if (has_keys) cycle.keys = keys;
  cycle.layers = static_cast<std::size_t>(reader.le<std::uint64_t>());
  cycle.bytes = static_cast<std::size_t>(reader.le<std::uint64_t>());
  cycle.health.fill = reader.le<double>();
  cycle.health.estimated_keys = reader.le<double>();
  cycle.health.error_rate = reader.le<double>();
  const auto verdict = reader.le<std::uint8_t>();
  cycle.health.verdict =
      static_cast<Verdict>(std::min(verdict, static_cast<std::uint8_t>(Verdict::kSaturated)));
  cycle.everything = read_text(reader);
  cycle.below = read_texts(reader);
  return cycle;
}

void put_watch(ByteWriter& writer, const WatchStatus& watch) {
  put_text(writer, watch.backend);
  writer.le(watch.process);
  writer.le(watch.started_unix);
  for (const std::uint64_t number :
       {watch.watches, watch.events, watch.changes, watch.overflows, watch.backlog_bytes,
        watch.barriers, watch.late_barriers, watch.requests, watch.unseen_count})
    writer.le(number);
  writer.le(static_cast<std::uint32_t>(watch.unseen.size()));
  for (const UnseenSubtree& subtree : watch.unseen) {
    put_text(writer, subtree.path);
    put_text(writer, subtree.reason);
  }
}

WatchStatus read_watch(ByteReader& reader) {
  WatchStatus watch;
  watch.backend = read_text(reader);
  watch.process = reader.le<std::int64_t>();
  watch.started_unix = reader.le<std::int64_t>();
  for (std::uint64_t* number :
       {&watch.watches, &watch.events, &watch.changes, &watch.overflows, &watch.backlog_bytes,
        &watch.barriers, &watch.late_barriers, &watch.requests, &watch.unseen_count})
    *number = reader.le<std::uint64_t>();
  for (auto count = reader.le<std::uint32_t>(); count > 0 && !reader.failed(); --count) {
    UnseenSubtree subtree;
    subtree.path = read_text(reader);
    subtree.reason = read_text(reader);
    watch.unseen.push_back(std::move(subtree));
  }
  return watch;
}

}  // namespace

std::vector<std::byte> encode(const TrackerStatus& status) {
  ByteWriter writer;
  put_text(writer, status.mode);
  writer.le(status.rate);
  writer.le(status.knows_from);
  writer.le(status.marks);
  writer.le(status.lost_marks);
  writer.le(status.saved_unix);
  for (const bool flag : {status.dirty, status.session_open, status.watched, status.marks_only,
                          status.watch.has_value()})
    writer.le(std::uint8_t{flag});
  put_text(writer, status.gap);
  writer.le(status.heartbeat_unix);
  put_texts(writer, status.roots);
  put_texts(writer, status.drives);
  writer.le(static_cast<std::uint64_t>(status.copies));
  put_texts(writer, status.problems);
  writer.le(static_cast<std::uint32_t>(status.cycles.size()));
  for (const CycleStatus& cycle : status.cycles) put_cycle(writer, cycle);
  if (status.watch) put_watch(writer, *status.watch);
  return writer.take();
}

Result<TrackerStatus> decode_status(ByteView bytes) {
  ByteReader reader{bytes};
  TrackerStatus status;
  status.mode = read_text(reader);
  status.rate = reader.le<double>();
  status.knows_from = reader.le<std::uint64_t>();
  status.marks = reader.le<std::uint64_t>();
  status.lost_marks = reader.le<std::uint64_t>();
  status.saved_unix = reader.le<std::int64_t>();
  bool has_watch = false;
  for (bool* flag :
       {&status.dirty, &status.session_open, &status.watched, &status.marks_only, &has_watch})
    *flag = reader.le<std::uint8_t>() != 0;
  status.gap = read_text(reader);
  status.heartbeat_unix = reader.le<std::int64_t>();
  status.roots = read_texts(reader);
  status.drives = read_texts(reader);
  status.copies = static_cast<std::size_t>(reader.le<std::uint64_t>());
  status.problems = read_texts(reader);
  for (auto count = reader.le<std::uint32_t>(); count > 0 && !reader.failed(); --count)
    status.cycles.push_back(read_cycle(reader));
  if (has_watch) status.watch = read_watch(reader);
  // People are shown the first one.
  if (!reader.failed() && status.cycles.empty())
    return Error{ErrorCode::kMalformed, "a tracker's status: it has no cycle"};
  return whole(reader, std::move(status), "a tracker's status");
}

}  // namespace bloomery::tracker
