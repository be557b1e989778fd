#include "apps/tracker/state/tracker_model.h"

#include <random>

#include "apps/tracker/state/paths.h"

namespace bloomery::tracker {
namespace {

std::uint64_t new_token() {
  std::random_device random;
  const std::uint64_t token = std::uint64_t{random()} << 32 | random();
  return token == 0 ? 1 : token;
}

CycleStatus status_of(const Cycle& cycle) {
  const CycleFilter& filter = cycle.filter;
  return {.id = cycle.id,
          .started_unix = cycle.started_unix,
          .keys = filter.keys(),
          .layers = filter.layers().size(),
          .bytes = filter.size_bytes(),
          .health = filter.health(),
          .everything = filter.reason(),
          .below = filter.below()};
}

CycleStatus status_of(const MinioCycle& cycle) {
  const auto& filter = cycle.filter.filter;
  CycleStatus status{.id = {cycle.index, 0},
                     .keys = filter.provenance().keys_inserted,
                     .bytes = filter.size_bytes(),
                     .health = filter.health()};
  if (status.health.fill >= 1) status.everything = "every bit of its filter is set";
  return status;
}

// As a leader of the original asks: sixteen cycles, and 0 while there are fewer.
CycleRequest request_for(std::uint64_t next, std::uint32_t kept) {
  return {.oldest = next < kept ? 0 : next - kept, .current = next};
}

}  // namespace

CycleId next_cycle_id(std::uint64_t index) { return {index, new_token()}; }

void TrackerModel::mark(std::string_view path) {
  if (auto* exact = minio()) return exact->mark("", path);
  CycleFilter& filter = adaptive().state.history.current().filter;
  if (is_clean(path)) return adaptive().log.mark(filter, path);
  adaptive().log.mark(filter, clean_path(path));
}

void TrackerModel::mark_below(std::string_view path) {
  // Its filter has no word for a subtree, so it becomes the word for everything.
  if (auto* exact = minio()) return exact->flag_everything();
  adaptive().state.history.current().filter.flag_below(clean_path(path));
}

void TrackerModel::flush() {
  if (is_minio()) return;
  adaptive().log.flush(adaptive().state.history.current().filter);
}

void TrackerModel::flag_everything(std::string_view reason) {
  if (auto* exact = minio()) return exact->flag_everything();
  flush();
  adaptive().state.history.current().filter.flag_everything(reason);
}

Result<CycleAnswer> TrackerModel::cycle(const CycleRequest& request, std::int64_t now_unix) {
  if (auto* exact = minio()) return exact->cycle(request);
  History& history = adaptive().state.history;
  if (!request.oldest_clean.empty()) {
    CycleAnswer answer = history.answer_from(0);
    answer.oldest = history.last_change(clean_path(request.oldest_clean));
    return answer;
  }
  if (request.current == 0) return history.answer_from(request.oldest);
  if (request.current != history.current().id.index) {
    if (auto begun = history.begin(next_cycle_id(request.current), now_unix); !begun)
      return begun.error();
    adaptive().log.forget();
  }
  history.forget_before(request.oldest);
  return history.answer_from(request.oldest);
}

CycleRequest TrackerModel::next_request() const {
  if (is_minio()) return request_for(minio_content().tracker().current.index + 1, kCyclesKept);
  const History& history = adaptive().state.history;
  return request_for(history.current().id.index + 1, history.kept());
}

bool TrackerModel::may_have_changed(std::string_view path, CycleId since) const {
  if (is_minio()) return minio_content().may_have_changed(path, since.index);
  if (is_clean(path)) return adaptive().state.history.may_have_changed(path, since);
  return adaptive().state.history.may_have_changed(clean_path(path), since);
}

CycleId TrackerModel::default_since() const {
  if (is_minio()) return {};
  const History& history = adaptive().state.history;
  return history.past().empty() ? history.current().id : history.past().front()->id;
}

void TrackerModel::describe(TrackerStatus& status) const {
  if (is_minio()) {
    const MinioTracker& tracker = minio_content().tracker();
    status.rate = kMinioGoal.false_positive_rate;
    status.saved_unix = tracker.saved_unix;
    status.cycles.push_back(status_of(tracker.current));
    for (const MinioCycle& cycle : tracker.history) status.cycles.push_back(status_of(cycle));
    status.knows_from =
        tracker.history.empty() ? tracker.current.index : tracker.history.back().index;
    return;
  }
  const State& state = adaptive().state;
  status.rate = state.history.goal().rate;
  status.saved_unix = state.saved_unix;
  status.session_open = state.session_open;
  status.watched = state.watched;
  status.marks_only = state.marks_only;
  status.roots = state.settings.roots;
  status.knows_from = state.history.knows_from();
  status.cycles.push_back(status_of(state.history.current()));
  for (const auto& cycle : state.history.past()) status.cycles.push_back(status_of(*cycle));
}

}  // namespace bloomery::tracker
