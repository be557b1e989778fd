#include "apps/tracker/events/fanotify_paths.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>

#include "apps/tracker/events/fanotify_events.h"
#include "apps/tracker/events/files.h"
#include "apps/tracker/state/paths.h"
#include "bloomery/base/message.h"

namespace bloomery::tracker {
namespace {

struct Handle {
  alignas(file_handle) char bytes[sizeof(file_handle) + MAX_HANDLE_SZ];
  file_handle* get() { return reinterpret_cast<file_handle*>(bytes); }
};

constexpr std::size_t kFileHandleBytes = sizeof(file_handle);
constexpr std::string_view kDeletedSuffix = " (deleted)";

bool is_gone(int error) { return error == ESTALE || error == ENOENT; }

bool is_on(const Descriptor& folder, std::string_view filesystem) {
  struct statfs system {};
  return ::fstatfs(folder.get(), &system) == 0 && filesystem.size() == sizeof system.f_fsid &&
         std::memcmp(&system.f_fsid, filesystem.data(), filesystem.size()) == 0;
}

}  // namespace

Result<std::string> handle_at(const std::string& path) {
  Handle handle{};
  handle.get()->handle_bytes = MAX_HANDLE_SZ;
  int mount = 0;
  struct statfs system {};
  if (::name_to_handle_at(AT_FDCWD, path.c_str(), handle.get(), &mount, 0) != 0 ||
      ::statfs(path.c_str(), &system) != 0)
    return Error{ErrorCode::kIo, message(path, ": has no file handle: ", std::strerror(errno))};
  std::string all(kFilesystemIdBytes, '\0');
  static_assert(sizeof system.f_fsid == kFilesystemIdBytes);
  std::memcpy(all.data(), &system.f_fsid, kFilesystemIdBytes);
  if (std::ranges::all_of(all, [](char c) { return c == 0; }))
    return Error{ErrorCode::kUnsupported, message(path, ": its filesystem has no number")};
  return all.append(handle.bytes, kFileHandleBytes + handle.get()->handle_bytes);
}

void FanotifyPaths::set_entrances(std::vector<Entrance> entrances) {
  entrances_ = std::move(entrances);
  forget();
}

// Folders that lie too deep for the system to say where are named by one above them.
std::optional<FanotifyPaths::Place> FanotifyPaths::place_of(int fd) {
  Descriptor at{::fcntl(fd, F_DUPFD_CLOEXEC, 0)};
  struct stat found {};
  if (!at.valid() || ::fstat(fd, &found) != 0) return std::nullopt;
  bool is_deep = false;
  for (;;) {
    char text[PATH_MAX + 1];
    const ssize_t size = ::readlink(name_of(at).c_str(), text, sizeof text);
    if (size >= 0 && static_cast<std::size_t>(size) < PATH_MAX) {
      std::string_view path{text, static_cast<std::size_t>(size)};
      if (!is_deep && found.st_nlink == 0 && path.ends_with(kDeletedSuffix))
        path.remove_suffix(kDeletedSuffix.size());
      return Place{clean_path(path), is_deep};
    }
    if (size < 0 && errno != ENAMETOOLONG) return std::nullopt;
    is_deep = true;
    at = Descriptor{::openat(at.get(), "..", O_PATH | O_DIRECTORY | O_CLOEXEC)};
    if (!at.valid()) return std::nullopt;
  }
}

struct FanotifyPaths::Opened {
  Descriptor found = Descriptor{};
  bool lost_entrance = false;
  int error = 0;
};

// ENOMEM is also Linux' answer while a new file is given the number that the handle's file had. The
// handle is gone a moment later.
static int open_handle(int mount, file_handle& handle, int flags) {
  constexpr int kMostTries = 50;
  for (int tries = 1;; ++tries) {
    const int fd = ::open_by_handle_at(mount, &handle, flags);
    if (fd >= 0 || errno != ENOMEM || tries == kMostTries) return fd;
    ::usleep(1000);
  }
}

FanotifyPaths::Opened FanotifyPaths::open_through(const Entrance& entrance, std::string_view handle,
                                                  int flags) {
  if (handle.size() < kFilesystemIdBytes + kFileHandleBytes ||
      handle.size() - kFilesystemIdBytes > sizeof(Handle))
    return {.error = EINVAL};
  Handle copy{};
  std::memcpy(copy.bytes, handle.data() + kFilesystemIdBytes, handle.size() - kFilesystemIdBytes);
  // Held open it would keep the filesystem from being unmounted.
  const Descriptor mount{::open(entrance.path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  if (!mount.valid()) return {.lost_entrance = is_gone(errno), .error = errno};
  // Another filesystem is mounted there now: it cannot say whether the handle is gone.
  if (!is_on(mount, entrance.filesystem)) return {.error = ENODEV};
  Opened opened{.found = Descriptor{open_handle(mount.get(), *copy.get(), flags | O_CLOEXEC)}};
  if (!opened.found.valid()) opened.error = errno;
  return opened;
}

FanotifyPaths::Answer FanotifyPaths::look_up(std::string_view folder,
                                             std::vector<Place>& places) const {
  Answer answer;
  for (const Entrance& entrance : entrances_) {
    if (!folder.starts_with(entrance.filesystem)) continue;
    const Opened opened = open_through(entrance, folder, O_PATH | O_DIRECTORY);
    answer.lost_entrance = answer.lost_entrance || opened.lost_entrance;
    if (!opened.found.valid()) {
      if (!is_gone(opened.error)) return {.error = opened.error};
      answer.is_gone = true;
      continue;
    }
    const auto place = place_of(opened.found.get());
    if (!place) return {.error = errno};
    if (std::ranges::none_of(places, [&](const Place& old) { return old.path == place->path; }))
      places.push_back(*place);
  }
  return answer;
}

// A file that no program has looked up by its name since it left the kernel's memory has no path
// there: "/" is given for it. So a path counts only if it leads to the file.
FanotifyPaths::FileAnswer FanotifyPaths::find_file(std::string_view file) const {
  FileAnswer answer;
  std::size_t asked = 0;
  std::size_t gone = 0;
  for (const Entrance& entrance : entrances_) {
    if (!file.starts_with(entrance.filesystem)) continue;
    const Opened opened = open_through(entrance, file, O_PATH | O_NOFOLLOW);
    if (opened.lost_entrance) continue;  // another entrance knows as well whether the file is gone
    ++asked;
    struct stat found {};
    if (!opened.found.valid() || ::fstat(opened.found.get(), &found) != 0) {
      if (is_gone(opened.error)) ++gone;
      continue;
    }
    if (found.st_nlink == 0) {
      ++gone;
      continue;
    }
    const auto place = place_of(opened.found.get());
    if (!place || place->is_deep) continue;
    struct stat there {};
    if (::lstat(("/" + place->path).c_str(), &there) == 0 && there.st_dev == found.st_dev &&
        there.st_ino == found.st_ino)
      answer.paths.push_back(place->path);
  }
  answer.is_gone = asked > 0 && gone == asked;
  return answer;
}

FanotifyPaths::Answer FanotifyPaths::find(std::string_view folder) {
  key_ = folder;
  if (const auto known = known_.find(key_); known != known_.end())
    return {.places = &known->second};
  last_.clear();
  Answer answer = look_up(folder, last_);
  if (answer.error != 0) return answer;
  if (last_.empty() && answer.is_gone) return answer;
  answer.is_gone = false;
  if (known_.size() >= kMostKnown) known_.clear();
  answer.places = &known_.emplace(key_, last_).first->second;
  return answer;
}

}  // namespace bloomery::tracker
