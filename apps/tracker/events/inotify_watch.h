// Changes from inotify, which watches one folder at a time and tells of its names. Every folder of
// the regions has a watch; a new one gets it when its event is handled, and everything found in it
// then counts as changed.
//
// The tree of watches is only what was found. Whenever an event says that a name of a folder is
// another one now, the folder is opened, its watch compared, and the name looked up again: so the
// last event about a name leaves it as it is, in any order of earlier events.
#pragma once
#include <filesystem>
#include <map>
#include <memory>
#include <set>

#include "apps/tracker/events/backend.h"
#include "apps/tracker/events/files.h"
#include "apps/tracker/events/inotify_tree.h"
#include "apps/tracker/events/marks.h"

namespace bloomery::tracker {

class InotifyWatch final : public WatchBackend {
 public:
  struct Options {
    std::filesystem::path markers;            // a folder that exists
    std::uint64_t most_watches = UINT64_MAX;  // for tests of the system's own limit
  };
  static Result<std::unique_ptr<InotifyWatch>> open(WatchMarks& marks, Options options);

  std::string_view name() const override { return "inotify"; }
  int queue() const override { return queue_.get(); }
  std::vector<Region> watch(std::span<const Region> regions) override;
  void handle(ByteView events) override;
  void recover() override;
  Status put_marker(std::uint64_t number) override;
  bool settle() override;
  std::vector<UnseenSubtree> unseen() const override;
  std::uint64_t watches() const override { return tree_.watches(); }

 private:
  using Node = InotifyTree::Node;
  struct Event {
    int watch;
    std::uint32_t mask;
    std::string_view name;
  };
  struct Root {
    Region region;
    Node node = InotifyTree::kNone;
    std::string missing = {};  // why there is none
  };

  InotifyWatch(WatchMarks& marks, Options options, Descriptor queue, int marker_watch);
  void handle_event(const Event& event);
  void handle_folder(Node parent, const Event& event, const std::string& path);
  const std::string& path_of(Node node);

  // inotify_scan.cc: from the tree as it is to the tree of watches.
  enum class Found : std::uint8_t { kOld, kNew };  // whether what is found counts as changed
  int add_watch(const Descriptor& folder);
  bool is_really(const Descriptor& folder, Node node);
  void look_up(Node parent, std::string_view name);
  void take_child(const Descriptor& folder, Node parent, const std::string& name);
  void adopt(Node node, Node parent, const std::string& name);
  void scan(Found found);
  void scan_folder(Node node, Found found);
  void find_root(Root& root, Found found);
  void leave(Node node);  // its place; it may turn up elsewhere
  void drop_left();
  void forget(Node node);
  void cannot_see(Node node, int error);
  void retry_unseen();
  bool retry_watch(Node node, const std::string& path);

  WatchMarks& marks_;
  const Options options_;
  const Descriptor queue_;
  const int marker_watch_;
  InotifyTree tree_;
  std::vector<Root> roots_;
  std::vector<Node> to_scan_;
  std::set<Node> left_;         // without a place
  std::set<Node> unfinished_;   // were not where the tree has them when they were looked into
  std::map<Node, int> unseen_;  // with the error
  std::set<Node> subvolumes_;
  std::set<std::string> mount_points_;  // that were found in the tree, by path
  Node cached_ = InotifyTree::kNone;
  std::string cached_path_;
};

}  // namespace bloomery::tracker
