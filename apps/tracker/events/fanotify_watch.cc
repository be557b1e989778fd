#include "apps/tracker/events/fanotify_watch.h"

#include <fcntl.h>
#include <sys/fanotify.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "apps/tracker/state/paths.h"
#include "bloomery/base/message.h"

namespace bloomery::tracker {
namespace {

constexpr std::string_view kFanotifyMarker = "fanotify";
// A file that is mapped and written tells of it when the last descriptor and mapping are gone.
constexpr std::uint64_t kChanges =
    FAN_CREATE | FAN_DELETE | FAN_MODIFY | FAN_CLOSE_WRITE | FAN_ATTRIB | FAN_ONDIR;
constexpr std::uint64_t kMoves = FAN_MOVED_FROM | FAN_MOVED_TO;  // before Linux 5.17
constexpr std::uint64_t kPlaces = FAN_CREATE | FAN_DELETE | FAN_RENAME | kMoves;
constexpr std::size_t kMostUnexplained = 4096;

// A file that is made without a name (O_TMPFILE) is reported as "#" and its number, in the folder
// it was made for. It may have been linked elsewhere since.
bool is_nameless(std::string_view name) {
  return name.size() > 1 && name.front() == '#' &&
         name.find_first_not_of("0123456789", 1) == std::string_view::npos;
}

// Whether folders can be opened by handles there. Empty if so, or why not.
std::string why_not_by_handle(const std::string& path, const std::string& handle) {
  FanotifyPaths paths;
  paths.set_entrances({{path, handle.substr(0, kFilesystemIdBytes)}});
  const auto found = paths.find(handle);
  if (found.places != nullptr && !found.places->empty()) return {};
  errno = found.error == 0 ? ESTALE : found.error;
  return message("folders cannot be opened by their handles: ", std::strerror(errno));
}

bool mark_filesystem(int queue, std::uint64_t mask, const std::string& path) {
  return ::fanotify_mark(queue, FAN_MARK_ADD | FAN_MARK_FILESYSTEM | FAN_MARK_ONLYDIR, mask,
                         AT_FDCWD, path.c_str()) == 0;
}

// A mark goes with its filesystem when that is unmounted, and does not come back with it. Taking a
// word away that was never in it changes nothing, and fails where there is no mark.
bool is_marked(int queue, const std::string& path) {
  return ::fanotify_mark(queue, FAN_MARK_REMOVE | FAN_MARK_FILESYSTEM | FAN_MARK_ONLYDIR,
                         FAN_ACCESS, AT_FDCWD, path.c_str()) == 0;
}

// Folders are reported by their real paths: behind a symbolic link none would have the region's.
bool is_real(const std::string& path, std::string_view clean) {
  std::error_code failed;
  const auto real = std::filesystem::canonical(path, failed);
  return !failed && clean_path(real.string()) == clean;
}

constexpr std::string_view kRights = "; it needs CAP_SYS_ADMIN and CAP_DAC_READ_SEARCH";

Error not_permitted(std::string_view what) {
  return {ErrorCode::kIo, message("fanotify: ", what, ": ", std::strerror(errno), kRights)};
}

// Which word the kernel has for a rename; 0 if the marker folder cannot be watched at all.
std::uint64_t rename_word(int queue, const std::string& markers) {
  for (const std::uint64_t renames : {std::uint64_t{FAN_RENAME}, kMoves})
    if (::fanotify_mark(queue, FAN_MARK_ADD | FAN_MARK_ONLYDIR, FAN_CREATE | renames, AT_FDCWD,
                        markers.c_str()) == 0)
      return renames;
  return 0;
}

}  // namespace

Result<std::unique_ptr<FanotifyWatch>> FanotifyWatch::open(WatchMarks& marks,
                                                           std::filesystem::path markers) {
  // FAN_REPORT_FID: a file that was opened by its handle, as NFS servers do, is reported by that
  // handle where its folder is not known. Without it such a write is not reported at all.
  constexpr unsigned kFlags =
      FAN_CLASS_NOTIF | FAN_REPORT_DFID_NAME | FAN_REPORT_FID | FAN_CLOEXEC | FAN_NONBLOCK;
  // Since Linux 5.17 also names that come and go are reported with the handle of their file.
  Descriptor queue{::fanotify_init(kFlags | FAN_REPORT_TARGET_FID, O_RDONLY | O_CLOEXEC)};
  if (!queue.valid()) queue = Descriptor{::fanotify_init(kFlags, O_RDONLY | O_CLOEXEC)};
  if (!queue.valid()) return not_permitted("the system gives no queue");
  const std::uint64_t renames = rename_word(queue.get(), markers.string());
  if (renames == 0) return not_permitted(message(markers.string(), " cannot be watched"));
  auto handle = handle_at(markers.string());
  if (!handle) return handle.error();
  if (const std::string why = why_not_by_handle(markers.string(), *handle); !why.empty())
    return Error{ErrorCode::kIo, message("fanotify: ", why, kRights)};
  return std::unique_ptr<FanotifyWatch>{
      new FanotifyWatch{marks, std::move(markers), std::move(queue), std::move(*handle), renames}};
}

FanotifyWatch::FanotifyWatch(WatchMarks& marks, std::filesystem::path markers, Descriptor queue,
                             std::string marker_handle, std::uint64_t renames)
    : marks_{marks},
      markers_{std::move(markers)},
      queue_{std::move(queue)},
      marker_handle_{std::move(marker_handle)},
      renames_{renames} {}

Status FanotifyWatch::put_marker(std::uint64_t number) {
  return touch_marker(markers_, kFanotifyMarker, number);
}

std::string FanotifyWatch::begin(Watched& watched) {
  if (!is_real(watched.region.path, watched.clean)) return "a symbolic link leads there now";
  // Its subvolumes have numbers and handles of their own.
  if (watched.region.filesystem == "btrfs") return "fanotify does not see the subvolumes of btrfs";
  // A folder that left the kernel's memory cannot be opened by its handle: it would seem to be
  // gone.
  if (watched.region.filesystem == "vfat" || watched.region.filesystem == "msdos")
    return "handles of FAT do not last";
  if (!mark_filesystem(queue_.get(), kChanges | renames_, watched.region.path))
    return message("fanotify cannot watch it: ", std::strerror(errno));
  auto handle = handle_at(watched.region.path);
  if (!handle) return handle.error().message;
  // A filesystem may give handles that it does not take back: every folder would seem to be gone.
  if (std::string why = why_not_by_handle(watched.region.path, *handle); !why.empty()) return why;
  watched.handle = std::move(*handle);
  return {};
}

std::vector<Region> FanotifyWatch::watch(std::span<const Region> regions) {
  watched_.clear();
  marks_made_ = 0;
  std::vector<Region> refused;
  for (const Region& region : regions) {
    Watched watched{.region = region, .clean = clean_path(region.path)};
    if (const std::string why = begin(watched); why.empty()) {
      ++marks_made_;
      watched_.push_back(std::move(watched));
    } else {
      refused.push_back(region);
      refused.back().unseen = why;
    }
  }
  find_entrances();
  return refused;
}

// Besides the regions, the filesystems on the way to them: renaming a folder above a region
// moves it. Where that cannot be watched, settle() finds out.
void FanotifyWatch::find_entrances() {
  std::vector<FanotifyPaths::Entrance> entrances;
  const auto add = [&](const std::string& path, const std::string& handle) {
    entrances.push_back({path, handle.substr(0, kFilesystemIdBytes)});
  };
  for (const Watched& watched : watched_)
    if (watched.missing.empty()) add(watched.region.path, watched.handle);
  for (const Watched& watched : watched_)
    for (std::string_view above = watched.clean; !above.empty();) {
      above = parent_of(above);
      const std::string path = "/" + std::string{above};
      const auto handle = handle_at(path);
      if (!handle || std::ranges::any_of(entrances, [&](const auto& entrance) {
            return handle->starts_with(entrance.filesystem);
          }))
        continue;
      if (mark_filesystem(queue_.get(), renames_ | FAN_ONDIR, path)) add(path, *handle);
    }
  paths_.set_entrances(std::move(entrances));
}

bool FanotifyWatch::lies_in_region(std::string_view clean) const {
  return std::ranges::any_of(watched_,
                             [&](const Watched& watched) { return lies_in(clean, watched.clean); });
}

void FanotifyWatch::overflow() {
  ++events_;
  ++overflows_;
}

void FanotifyWatch::unreadable() { marks_.everything("an event of fanotify could not be read"); }

void FanotifyWatch::event(const FanotifyEvent& event) {
  ++events_;
  if (event.folder == marker_handle_) {
    marker_seen_ = std::max(marker_seen_, marker_number(event.name, kFanotifyMarker));
    return;
  }
  if (event.role == FanotifyEvent::Role::kFile) return tell_of_file(event);
  if (!event.file.empty() && is_nameless(event.name)) tell_of_file(event);
  if ((event.mask & kPlaces) != 0 && !(unexplained_.empty() && unexplained_before_.empty())) {
    unexplained_.erase(std::string{event.file});
    unexplained_before_.erase(std::string{event.file});
  }
  const FanotifyPaths::Answer answer = paths_.find(event.folder);
  if (answer.error != 0) {
    marks_.everything(
        message("a folder that changed could not be found: ", std::strerror(answer.error)));
    return;
  }
  if (answer.lost_entrance) ++disturbances_;  // the mounts are read again before a barrier ends
  const bool moves_folder =
      (event.mask & FAN_ONDIR) != 0 && (event.mask & (FAN_RENAME | kMoves)) != 0;
  if (answer.is_gone) {
    // It was removed, which changed a folder whose event comes later: by the next
    // marker, unless that folder is gone too.
    if ((event.mask & FAN_ONDIR) != 0) {
      ++disturbances_;
      nameless_ = true;
    }
    if (moves_folder) paths_.forget();
    return;
  }
  bool forgets = false;
  for (const FanotifyPaths::Place& place : *answer.places) {
    tell(event, place);
    forgets = tell_of_regions_in(event, path_) || forgets;
    forgets = forgets || (moves_folder && lies_in_region(path_));
  }
  if (!forgets) return;
  ++disturbances_;
  paths_.forget();
}

// Where the kernel does not know a name of the file, it may be any file of its filesystem. But when
// a name of a file with several is made or removed, its attributes are said to have changed too.
void FanotifyWatch::tell_of_file(const FanotifyEvent& event) {
  const FanotifyPaths::FileAnswer answer = paths_.find_file(event.file);
  for (const std::string& path : answer.paths)
    if (lies_in_region(path)) marks_.changed(path);
  if (!answer.paths.empty() || answer.is_gone) return;
  if ((event.mask & (FAN_MODIFY | FAN_CLOSE_WRITE)) == 0 &&
      unexplained_.size() < kMostUnexplained) {
    unexplained_.emplace(event.file);
  } else {
    flag_filesystem(event.file);
  }
}

void FanotifyWatch::flag_filesystem(std::string_view handle) {
  for (const Watched& watched : watched_)
    if (watched.handle.starts_with(handle.substr(0, kFilesystemIdBytes)))
      marks_.changed_below(watched.clean);
}

void FanotifyWatch::tell(const FanotifyEvent& event, const FanotifyPaths::Place& folder) {
  path_ = folder.path;
  if (!folder.is_deep && !event.name.empty() && event.name != ".") {
    if (!path_.empty()) path_ += '/';
    path_ += event.name;
  }
  if (!lies_in_region(path_)) return;
  if (folder.is_deep || changes_all_below(event)) {
    marks_.changed_below(path_);
  } else {
    marks_.changed(path_);
  }
}

// A folder that was removed had nothing in it any more, and all that left it was reported. But not
// where it left, if the folder was gone when that was handled; and what was made, removed, made
// again and removed may have come out of the queue as one event, at the place of the first.
bool FanotifyWatch::changes_all_below(const FanotifyEvent& event) const {
  if ((event.mask & FAN_ONDIR) == 0) return false;
  if ((event.mask & (FAN_RENAME | kMoves)) != 0) return true;
  return (event.mask & FAN_DELETE) != 0 && ((event.mask & FAN_CREATE) != 0 || nameless_);
}

// A folder on the way to a region came or went, and the region with it.
bool FanotifyWatch::tell_of_regions_in(const FanotifyEvent& event, std::string_view path) {
  if ((event.mask & FAN_ONDIR) == 0 || (event.mask & kPlaces) == 0 || event.name == ".")
    return false;
  bool any = false;
  for (const Watched& watched : watched_) {
    if (!lies_in(watched.clean, path)) continue;
    marks_.changed_below(watched.clean);
    any = true;
  }
  return any;
}

bool FanotifyWatch::is_as_it_was(const Watched& watched, std::string_view handle) const {
  return watched.missing.empty() && handle == watched.handle &&
         is_real(watched.region.path, watched.clean) &&
         is_marked(queue_.get(), watched.region.path);
}

// A region is what its path leads to, and that may be another folder than before.
bool FanotifyWatch::settle() {
  bool changed = false;
  for (Watched& watched : watched_) {
    const auto handle = handle_at(watched.region.path);
    if (handle && is_as_it_was(watched, *handle)) continue;
    marks_.changed_below(watched.clean);
    if (!handle && !watched.missing.empty()) continue;
    const std::string missing = handle ? begin(watched) : handle.error().message;
    changed = changed || missing.empty() || watched.missing.empty();
    watched.missing = missing;
  }
  if (changed) find_entrances();
  if (disturbances_ == settled_at_) nameless_ = false;
  settled_at_ = disturbances_;
  for (const std::string& file : unexplained_before_) flag_filesystem(file);
  unexplained_before_ = std::exchange(unexplained_, {});
  return unexplained_before_.empty();
}

std::vector<UnseenSubtree> FanotifyWatch::unseen() const {
  std::vector<UnseenSubtree> subtrees;
  for (const Watched& watched : watched_)
    if (!watched.missing.empty()) subtrees.push_back({watched.region.path, watched.missing});
  return subtrees;
}

}  // namespace bloomery::tracker
