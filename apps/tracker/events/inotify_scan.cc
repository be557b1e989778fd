// The part of InotifyWatch that looks at the tree.
#include <dirent.h>
#include <fcntl.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "apps/tracker/events/inotify_watch.h"
#include "apps/tracker/state/paths.h"
#include "bloomery/base/message.h"

namespace bloomery::tracker {
namespace {

// A file that is mapped and written tells of it when the last descriptor and mapping are gone.
constexpr std::uint32_t kEvents = IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_MODIFY |
                                  IN_CLOSE_WRITE | IN_ATTRIB | IN_DELETE_SELF | IN_ONLYDIR;

// The name is something else by now, or nothing: a later event tells.
bool has_moved_on(int error) { return error == ENOENT || error == ENOTDIR || error == ELOOP; }

struct CloseFolder {
  void operator()(DIR* folder) const { ::closedir(folder); }
};

}  // namespace

int InotifyWatch::add_watch(const Descriptor& folder) {
  // Asked again for a folder that has a watch, the kernel answers with that watch.
  const int watch = ::inotify_add_watch(queue_.get(), name_of(folder).c_str(), kEvents);
  if (watch < 0 || watch == marker_watch_) return watch;
  if (tree_.by_watch(watch) == InotifyTree::kNone && tree_.watches() >= options_.most_watches) {
    ::inotify_rm_watch(queue_.get(), watch);
    errno = ENOSPC;
    return InotifyTree::kNoWatch;
  }
  return watch;
}

bool InotifyWatch::is_really(const Descriptor& folder, Node node) {
  const int watch = ::inotify_add_watch(queue_.get(), name_of(folder).c_str(), kEvents);
  if (watch < 0) return false;
  if (watch == tree_.watch(node)) return true;
  if (watch != marker_watch_ && tree_.by_watch(watch) == InotifyTree::kNone)
    ::inotify_rm_watch(queue_.get(), watch);
  return false;
}

void InotifyWatch::look_up(Node parent, std::string_view name) {
  const Descriptor folder = open_folder(tree_.path(parent), O_PATH);
  if (!folder.valid() || !is_really(folder, parent)) {
    ++disturbances_;
    unfinished_.insert(parent);
    if (const Node child = tree_.child(parent, name); child != InotifyTree::kNone) leave(child);
    return;
  }
  take_child(folder, parent, std::string{name});
}

// Replaces what the tree had under that name by what is there.
void InotifyWatch::take_child(const Descriptor& folder, Node parent, const std::string& name) {
  const Descriptor child{
      ::openat(folder.get(), name.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)};
  int error = child.valid() ? 0 : errno;
  const FolderKind kind = child.valid() ? kind_of(child) : FolderKind{};
  if (kind.is_mount_root) {
    // A region of its own: perhaps a new one, which was moved here with a folder above it.
    if (mount_points_.insert(tree_.path(parent) + "/" + name).second) ++disturbances_;
    return;
  }
  const int watch = child.valid() ? add_watch(child) : InotifyTree::kNoWatch;
  if (child.valid() && watch < 0) error = errno;
  if (watch == marker_watch_) return;

  const Node there = tree_.child(parent, name);
  if (has_moved_on(error)) {
    if (there != InotifyTree::kNone) leave(there);
    return;
  }
  const Node known = watch < 0 ? InotifyTree::kNone : tree_.by_watch(watch);
  if (known != InotifyTree::kNone) {
    if (known != there) adopt(known, parent, name);
    return;
  }
  if (there != InotifyTree::kNone) {
    if (watch < 0 && unseen_.contains(there)) return;
    leave(there);
  }
  const Node node = tree_.add_child(parent, name);
  if (watch < 0) return cannot_see(node, error);
  tree_.set_watch(node, watch);
  if (kind.is_subvolume) subvolumes_.insert(node);
  to_scan_.push_back(node);
}

// The folder is here now. The tree has it elsewhere: either the events that tell of its way are
// still to come, or it came when its new parent had no watch yet, and no event will follow.
void InotifyWatch::adopt(Node node, Node parent, const std::string& name) {
  ++disturbances_;
  if (tree_.lies_below(parent, node)) {
    unfinished_.insert(parent);
    return;
  }
  for (Root& root : roots_)
    if (root.node == node) root.node = InotifyTree::kNone;
  if (const Node there = tree_.child(parent, name); there != InotifyTree::kNone) leave(there);
  left_.erase(node);
  tree_.move(node, parent, name);
  cached_ = InotifyTree::kNone;
  marks_.changed_below(tree_.path(node));
}

void InotifyWatch::leave(Node node) {
  // Deleted as a whole, without a word of what was in it.
  if (subvolumes_.contains(node)) marks_.changed_below(tree_.path(node));
  tree_.detach(node);
  left_.insert(node);
  cached_ = InotifyTree::kNone;
}

void InotifyWatch::cannot_see(Node node, int error) { unseen_[node] = error; }

void InotifyWatch::scan(Found found) {
  while (!to_scan_.empty()) {
    const Node node = to_scan_.back();
    to_scan_.pop_back();
    scan_folder(node, found);
  }
}

void InotifyWatch::scan_folder(Node node, Found found) {
  const std::string path = tree_.path(node);
  Descriptor folder = open_folder(path, O_RDONLY);
  if (!folder.valid() && !has_moved_on(errno)) return cannot_see(node, errno);
  if (!folder.valid() || !is_really(folder, node)) {
    ++disturbances_;
    unfinished_.insert(node);
    return;
  }
  const std::unique_ptr<DIR, CloseFolder> listing{
      ::fdopendir(::fcntl(folder.get(), F_DUPFD_CLOEXEC, 0))};
  if (!listing) return cannot_see(node, errno);
  const std::string prefix = path.empty() ? path : path + "/";
  for (;;) {
    errno = 0;
    const dirent* entry = ::readdir(listing.get());
    if (entry == nullptr) break;
    const std::string name{entry->d_name};
    if (name == "." || name == "..") continue;
    if (found == Found::kNew) marks_.changed(prefix + name);
    if (entry->d_type == DT_DIR || entry->d_type == DT_UNKNOWN) take_child(folder, node, name);
  }
  if (errno != 0) cannot_see(node, errno);
}

// A root is watched where its path leads: it may be another folder than before.
void InotifyWatch::find_root(Root& root, Found found) {
  const std::string clean = clean_path(root.region.path);
  const Descriptor folder = open_folder(clean, O_PATH);
  const int watch = folder.valid() ? add_watch(folder) : InotifyTree::kNoWatch;
  if (root.node != InotifyTree::kNone && watch >= 0 && watch == tree_.watch(root.node)) return;
  root.missing = watch >= 0        ? ""
                 : errno == ENOSPC ? "there are no more watches: raise fs.inotify.max_user_watches"
                                   : message("it cannot be watched: ", std::strerror(errno));
  if (found == Found::kNew) marks_.changed_below(clean);
  if (root.node != InotifyTree::kNone) {
    leave(root.node);
    root.node = InotifyTree::kNone;
  }
  if (watch < 0) return;
  if (const Node known = tree_.by_watch(watch); known != InotifyTree::kNone) {
    // It was moved here from within the tree.
    ++disturbances_;
    leave(known);
    std::vector<InotifyTree::Removed> removed;
    tree_.remove(known, removed);
    for (const auto& [node, ignored] : removed) forget(node);
  }
  root.node = tree_.add_root(clean);
  tree_.set_watch(root.node, watch);
  to_scan_.push_back(root.node);
  scan(found);
}

void InotifyWatch::forget(Node node) {
  left_.erase(node);
  unfinished_.erase(node);
  unseen_.erase(node);
  subvolumes_.erase(node);
  if (cached_ == node) cached_ = InotifyTree::kNone;
}

// A folder that left and did not turn up is outside or gone. If it turns up after all, it is new.
void InotifyWatch::drop_left() {
  std::vector<InotifyTree::Removed> removed;
  for (const Node node : std::exchange(left_, {})) tree_.remove(node, removed);
  for (const auto& [node, watch] : removed) {
    forget(node);
    if (watch != InotifyTree::kNoWatch) ::inotify_rm_watch(queue_.get(), watch);
  }
}

// When one cannot be had for lack of watches, the others cannot either.
void InotifyWatch::retry_unseen() {
  constexpr std::size_t kMostTries = 256;
  std::size_t tries = 0;
  for (const auto& [node, error] : std::map<Node, int>{unseen_}) {
    if (!unseen_.contains(node) || ++tries > kMostTries) continue;
    const std::string path = tree_.path(node);
    if (tree_.watch(node) != InotifyTree::kNoWatch) {
      unseen_.erase(node);
      to_scan_.push_back(node);
    } else if (!retry_watch(node, path)) {
      if (errno == ENOSPC) return;
      continue;
    }
    marks_.changed_below(path);
    scan(Found::kNew);
  }
}

bool InotifyWatch::retry_watch(Node node, const std::string& path) {
  const Descriptor folder = open_folder(path, O_PATH);
  const int watch = folder.valid() ? add_watch(folder) : InotifyTree::kNoWatch;
  if (watch < 0) return false;
  if (tree_.by_watch(watch) != InotifyTree::kNone || watch == marker_watch_) {
    errno = EEXIST;  // another folder is there by now: its own events put it right
    return false;
  }
  unseen_.erase(node);
  tree_.set_watch(node, watch);
  to_scan_.push_back(node);
  if (const Node parent = tree_.parent(node); parent != InotifyTree::kNone)
    unfinished_.insert(parent);
  return true;
}

}  // namespace bloomery::tracker
