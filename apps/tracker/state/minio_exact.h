// MinIO's tracker as it was: one filter of a fixed size per cycle, its own rules for paths, cycles
// and completeness, its file .tracker.bin. The rules are in bloomery/formats/minio_tracker; here
// they serve the same interface as our own.
#pragma once
#include "apps/tracker/state/history.h"
#include "apps/tracker/state/state_files.h"
#include "bloomery/formats/minio_tracker.h"

namespace bloomery::tracker {

class MinioExact {
 public:
  // The copy that the rule chooses, or a new tracker at cycle 1. Copies that cannot be read are
  // skipped, as the original does; `problems` lists them.
  static MinioExact load(const Copies& copies, MinioLoad rule, DecodeLimits limits,
                         std::vector<Error>* problems = nullptr);
  explicit MinioExact(MinioTracker tracker) : tracker_{std::move(tracker)} {}

  void mark(std::string_view bucket, std::string_view path);
  // The file has no word for it, but a filter of ones says the same to every reader of it.
  void flag_everything();
  CycleAnswer cycle(const CycleRequest& request);
  // The original's question: since 0 means all that is remembered. An incomplete answer is a yes.
  bool may_have_changed(std::string_view path, std::uint64_t since) const;

  std::vector<std::byte> encode(std::int64_t now_unix);  // sets the time of saving
  MinioTracker& tracker() { return tracker_; }
  const MinioTracker& tracker() const { return tracker_; }

 private:
  MinioTracker tracker_;
};

}  // namespace bloomery::tracker
