// A tracker's cycles in one of its modes, without threads and without files, and how a changed path
// is added to them.
#pragma once
#include <variant>

#include "apps/tracker/state/change_log.h"
#include "apps/tracker/state/minio_exact.h"
#include "apps/tracker/state/state.h"
#include "apps/tracker/state/tracker_options.h"
#include "apps/tracker/state/tracker_status.h"

namespace bloomery::tracker {

CycleId next_cycle_id(std::uint64_t index);  // with a token that no other cycle has

// Many readers or one writer, as std::vector.
class TrackerModel {
 public:
  explicit TrackerModel(State state) : content_{Adaptive{std::move(state), {}}} {}
  explicit TrackerModel(MinioExact minio) : content_{std::move(minio)} {}

  // A path as it came; one that is not clean costs a copy. What is marked may wait for flush().
  void mark(std::string_view path);
  void mark_below(std::string_view path);
  void flush();
  void flag_everything(std::string_view reason);

  // Does what the request asks; the new cycle is no other's of that number. Precondition: flushed.
  Result<CycleAnswer> cycle(const CycleRequest& request, std::int64_t now_unix);
  CycleRequest next_request() const;
  bool may_have_changed(std::string_view path, CycleId since) const;
  CycleId default_since() const;

  State* state() { return is_minio() ? nullptr : &adaptive().state; }  // null for MinIO's
  const State* state() const { return is_minio() ? nullptr : &adaptive().state; }
  MinioExact* minio() { return std::get_if<MinioExact>(&content_); }  // null for ours
  bool is_minio() const { return std::holds_alternative<MinioExact>(content_); }
  // Cycles, health, rate, and what the state says of itself.
  void describe(TrackerStatus& status) const;

 private:
  struct Adaptive {
    State state;
    ChangeLog log;
  };
  Adaptive& adaptive() { return *std::get_if<Adaptive>(&content_); }
  const Adaptive& adaptive() const { return *std::get_if<Adaptive>(&content_); }
  const MinioExact& minio_content() const { return *std::get_if<MinioExact>(&content_); }

  std::variant<Adaptive, MinioExact> content_;
};

}  // namespace bloomery::tracker
