// Changes from fanotify, which tells of every name on a whole filesystem, without a gap when
// folders are new. Folders come as handles, which are opened to learn where they are: at that
// moment, and if they were moved since, the event of the move is still to come and flags both
// sides.
#pragma once
#include <filesystem>
#include <memory>
#include <set>

#include "apps/tracker/events/backend.h"
#include "apps/tracker/events/fanotify_events.h"
#include "apps/tracker/events/fanotify_paths.h"
#include "apps/tracker/events/files.h"
#include "apps/tracker/events/marks.h"

namespace bloomery::tracker {

class FanotifyWatch final : public WatchBackend, private FanotifySink {
 public:
  // kIo where it is not permitted or not there; the sentence says which right is needed.
  static Result<std::unique_ptr<FanotifyWatch>> open(WatchMarks& marks,
                                                     std::filesystem::path markers);

  std::string_view name() const override { return "fanotify"; }
  int queue() const override { return queue_.get(); }
  std::vector<Region> watch(std::span<const Region> regions) override;
  void handle(ByteView events) override { decode_fanotify_events(events, *this); }
  void recover() override { paths_.forget(); }
  Status put_marker(std::uint64_t number) override;
  bool settle() override;
  std::vector<UnseenSubtree> unseen() const override;
  std::uint64_t watches() const override { return marks_made_; }

 private:
  struct Watched {
    Region region;
    std::string clean;
    std::string handle = {};
    std::string missing = {};  // why it is not watched now
  };
  FanotifyWatch(WatchMarks& marks, std::filesystem::path markers, Descriptor queue,
                std::string marker_handle, std::uint64_t renames);

  void event(const FanotifyEvent& event) override;
  void overflow() override;
  void unreadable() override;
  void tell(const FanotifyEvent& event, const FanotifyPaths::Place& folder);
  void tell_of_file(const FanotifyEvent& event);
  void flag_filesystem(std::string_view handle);
  bool changes_all_below(const FanotifyEvent& event) const;
  bool tell_of_regions_in(const FanotifyEvent& event, std::string_view path);
  bool lies_in_region(std::string_view clean) const;
  std::string begin(Watched& watched);  // why not; empty if it is watched
  bool is_as_it_was(const Watched& watched, std::string_view handle) const;
  void find_entrances();

  WatchMarks& marks_;
  const std::filesystem::path markers_;
  const Descriptor queue_;
  const std::string marker_handle_;
  const std::uint64_t renames_;  // the kernel's word for them
  FanotifyPaths paths_;
  std::vector<Watched> watched_;
  std::uint64_t marks_made_ = 0;
  std::string path_;       // of the event
  bool nameless_ = false;  // folders came or went in folders that were gone when it was handled
  std::uint64_t settled_at_ = 0;
  // Files of which the kernel knows no name, and whose attributes changed: perhaps only how many
  // names they have. The event about that name takes them out, or else settle() flags them.
  std::set<std::string> unexplained_;
  std::set<std::string> unexplained_before_;  // that were there when it settled last
};

}  // namespace bloomery::tracker
