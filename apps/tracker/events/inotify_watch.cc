#include "apps/tracker/events/inotify_watch.h"

#include <fcntl.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "apps/tracker/state/paths.h"
#include "bloomery/base/message.h"

namespace bloomery::tracker {
namespace {

constexpr std::string_view kInotifyMarker = "inotify";

Error cannot_begin(std::string_view what) {
  return {ErrorCode::kIo, message("inotify: ", what, ": ", std::strerror(errno))};
}

}  // namespace

Result<std::unique_ptr<InotifyWatch>> InotifyWatch::open(WatchMarks& marks, Options options) {
  Descriptor queue{::inotify_init1(IN_CLOEXEC | IN_NONBLOCK)};
  if (!queue.valid()) return cannot_begin("the system gives no queue");
  const int marker =
      ::inotify_add_watch(queue.get(), options.markers.c_str(), IN_CREATE | IN_ONLYDIR);
  if (marker < 0) return cannot_begin(message(options.markers.string(), " cannot be watched"));
  return std::unique_ptr<InotifyWatch>{
      new InotifyWatch{marks, std::move(options), std::move(queue), marker}};
}

InotifyWatch::InotifyWatch(WatchMarks& marks, Options options, Descriptor queue, int marker_watch)
    : marks_{marks},
      options_{std::move(options)},
      queue_{std::move(queue)},
      marker_watch_{marker_watch} {}

Status InotifyWatch::put_marker(std::uint64_t number) {
  return touch_marker(options_.markers, kInotifyMarker, number);
}

void InotifyWatch::handle(ByteView events) {
  while (events.size() >= sizeof(inotify_event)) {
    inotify_event head;
    std::memcpy(&head, events.data(), sizeof head);
    events = events.subspan(sizeof head);
    if (head.len > events.size()) return;  // the kernel gives whole events only
    std::string_view name = text_of(events.first(head.len));
    name = name.substr(0, name.find('\0'));
    events = events.subspan(head.len);
    ++events_;
    handle_event({head.wd, head.mask, name});
  }
}

void InotifyWatch::handle_event(const Event& event) {
  if ((event.mask & IN_Q_OVERFLOW) != 0) {
    ++overflows_;
    return;
  }
  if (event.watch == marker_watch_) {
    marker_seen_ = std::max(marker_seen_, marker_number(event.name, kInotifyMarker));
    return;
  }
  const Node node = tree_.by_watch(event.watch);
  if (node == InotifyTree::kNone) return;  // of a folder that left
  if ((event.mask & IN_IGNORED) != 0) {
    tree_.set_watch(node, InotifyTree::kNoWatch);
    return;
  }
  if (event.name.empty()) {
    if ((event.mask & IN_UNMOUNT) == 0) marks_.changed(path_of(node));
    return;
  }
  std::string path = path_of(node);
  if (!path.empty()) path += '/';
  path += event.name;
  if ((event.mask & IN_ISDIR) == 0) return marks_.changed(path);
  handle_folder(node, event, path);
}

void InotifyWatch::handle_folder(Node parent, const Event& event, const std::string& path) {
  const Node child = tree_.child(parent, event.name);
  if ((event.mask & (IN_MOVED_FROM | IN_MOVED_TO)) != 0) {
    ++disturbances_;
    marks_.changed_below(path);
  } else {
    marks_.changed(path);
  }
  constexpr std::uint32_t kPlaceEvents = IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO;
  if ((event.mask & kPlaceEvents) == 0 && !unseen_.contains(child)) return;
  look_up(parent, event.name);
  scan(Found::kNew);
}

const std::string& InotifyWatch::path_of(Node node) {
  if (cached_ != node) {
    cached_path_ = tree_.path(node);
    cached_ = node;
  }
  return cached_path_;
}

std::vector<Region> InotifyWatch::watch(std::span<const Region> regions) {
  roots_.clear();
  for (const Region& region : regions) roots_.push_back({.region = region});
  recover();
  std::vector<Region> refused;
  for (const Root& root : roots_) {
    if (root.missing.empty()) continue;
    refused.push_back(root.region);
    refused.back().unseen = root.missing;
  }
  return refused;
}

// A new tree; watches that the kernel still has are found again, and the others are given back.
void InotifyWatch::recover() {
  std::vector<InotifyTree::Removed> old;
  for (const Node node : std::set<Node>{std::exchange(left_, {})}) tree_.remove(node, old);
  for (Root& root : roots_)
    if (const Node node = std::exchange(root.node, InotifyTree::kNone); node != InotifyTree::kNone)
      tree_.remove(node, old);
  tree_ = InotifyTree{};
  cached_ = InotifyTree::kNone;
  unfinished_.clear();
  unseen_.clear();
  mount_points_.clear();
  subvolumes_.clear();
  to_scan_.clear();
  for (Root& root : roots_) find_root(root, Found::kOld);
  for (const auto& [node, watch] : old)
    if (watch != InotifyTree::kNoWatch && tree_.by_watch(watch) == InotifyTree::kNone)
      ::inotify_rm_watch(queue_.get(), watch);
}

bool InotifyWatch::settle() {
  for (Root& root : roots_) find_root(root, Found::kNew);
  for (const Node node : std::exchange(unfinished_, {})) to_scan_.push_back(node);
  scan(Found::kNew);
  drop_left();
  retry_unseen();
  return unfinished_.empty();
}

std::vector<UnseenSubtree> InotifyWatch::unseen() const {
  std::vector<UnseenSubtree> subtrees;
  for (const Root& root : roots_)
    if (!root.missing.empty()) subtrees.push_back({root.region.path, root.missing});
  for (const auto& [node, error] : unseen_)
    subtrees.push_back({"/" + tree_.path(node),
                        error == ENOSPC
                            ? "there are no more watches: raise fs.inotify.max_user_watches"
                            : message("it cannot be watched: ", std::strerror(error))});
  return subtrees;
}

}  // namespace bloomery::tracker
