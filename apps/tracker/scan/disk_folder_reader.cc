#include "apps/tracker/scan/disk_folder_reader.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "bloomery/base/message.h"

namespace bloomery::tracker {
namespace {

constexpr std::size_t kEntriesBytes = std::size_t{64} << 10;

struct Identity {
  dev_t device = 0;
  ino_t inode = 0;
  friend bool operator==(const Identity&, const Identity&) = default;
};

// A step of the way from the root to the place.
struct Step {
  std::string name;
  int fd = -1;
  bool known = false;  // it was open once, and this is what it was
  Identity identity = {};
};

// Thirty-two bits of a moment: enough to tell two folders that had one inode.
std::uint32_t born_at(const statx_timestamp& time) {
  return static_cast<std::uint32_t>(static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 +
                                    time.tv_nsec);
}

bool is_gone(int error) { return error == ENOENT || error == ENOTDIR || error == ELOOP; }

class DiskFolderReader final : public FolderReader {
 public:
  DiskFolderReader(int root, dev_t device, Identity identity, DiskReaderOptions options)
      : options_{options}, device_{device}, entries_(kEntriesBytes) {
    way_.push_back({.name = {}, .fd = root, .known = true, .identity = identity});
  }
  ~DiskFolderReader() override {
    for (const Step& step : way_) close_step(step);
  }

  void enter(std::string_view name) override { way_.push_back({.name = std::string{name}}); }
  void leave() override;
  FolderOutcome read(Listing& listing) override;

 private:
  static void close_step(const Step& step) {
    if (step.fd >= 0) ::close(step.fd);
  }
  FolderOutcome open_place(Listing& listing);
  FolderOutcome open_step(std::size_t step, Listing& listing);
  FolderOutcome admit(std::size_t step, int fd, Listing& listing);
  void keep_few_open(std::size_t opened);
  FolderOutcome read_entries(int fd, Listing& listing);
  void read_entry(int fd, const dirent64& entry, Listing& listing);

  const DiskReaderOptions options_;
  const dev_t device_;
  std::vector<Step> way_;
  std::size_t lowest_open_ = 1;  // of the steps after the root, none before this one is open
  std::vector<char> entries_;
};

FolderOutcome unreadable(Listing& listing, std::string_view what) {
  if (listing.problem.empty()) listing.problem = what;
  return FolderOutcome::kUnreadable;
}

void DiskFolderReader::leave() {
  Step& last = way_.back();
  Step& above = way_[way_.size() - 2];
  // A step that was closed because the way was long is opened again from below: from the root it
  // would be the whole way, for every one of them.
  if (last.fd >= 0 && above.fd < 0 && above.known) {
    const int fd = ::openat(last.fd, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    struct stat info {};
    if (fd >= 0 && ::fstat(fd, &info) == 0 &&
        Identity{info.st_dev, info.st_ino} == above.identity) {
      above.fd = fd;
      lowest_open_ = std::min(lowest_open_, way_.size() - 2);
    } else if (fd >= 0) {
      ::close(fd);  // it was moved meanwhile
    }
  }
  close_step(last);
  way_.pop_back();
}

// Closes the one nearest to the root: a walk returns to it last.
void DiskFolderReader::keep_few_open(std::size_t opened) {
  lowest_open_ = std::min(lowest_open_, opened);
  if (opened - lowest_open_ + 2 <= options_.open_folders) return;
  Step& oldest = way_[lowest_open_++];
  close_step(oldest);
  oldest.fd = -1;
}

FolderOutcome DiskFolderReader::admit(std::size_t step, int fd, Listing& listing) {
  struct stat info {};
  if (::fstat(fd, &info) != 0) return unreadable(listing, std::strerror(errno));
  if (options_.one_file_system && info.st_dev != device_) return FolderOutcome::kElsewhere;
  const Identity identity{info.st_dev, info.st_ino};
  if (way_[step].known && way_[step].identity != identity) return FolderOutcome::kGone;
  for (std::size_t above = 0; above < step; ++above)
    if (way_[above].known && way_[above].identity == identity)
      return unreadable(listing, "it is mounted within itself");
  way_[step].known = true;
  way_[step].identity = identity;
  return FolderOutcome::kRead;
}

FolderOutcome DiskFolderReader::open_step(std::size_t step, Listing& listing) {
  const int fd = ::openat(way_[step - 1].fd, way_[step].name.c_str(),
                          O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0)
    return is_gone(errno) ? FolderOutcome::kGone : unreadable(listing, std::strerror(errno));
  if (const FolderOutcome outcome = admit(step, fd, listing); outcome != FolderOutcome::kRead) {
    ::close(fd);
    return outcome;
  }
  way_[step].fd = fd;
  keep_few_open(step);
  return FolderOutcome::kRead;
}

FolderOutcome DiskFolderReader::open_place(Listing& listing) {
  std::size_t open = way_.size() - 1;
  while (way_[open].fd < 0) --open;  // the root always is
  while (++open < way_.size())
    if (const auto outcome = open_step(open, listing); outcome != FolderOutcome::kRead)
      return outcome;
  return FolderOutcome::kRead;
}

FolderOutcome DiskFolderReader::read(Listing& listing) {
  listing.own = {};
  listing.folders.clear();
  listing.linked.clear();
  listing.device = listing.inode = 0;
  listing.born = 0;
  listing.problem.clear();
  if (const auto outcome = open_place(listing); outcome != FolderOutcome::kRead) return outcome;
  const int fd = way_.back().fd;
  listing.device = way_.back().identity.device;
  listing.inode = way_.back().identity.inode;
  struct statx info {};
  if (::statx(fd, "", AT_EMPTY_PATH, STATX_MTIME | STATX_BTIME, &info) != 0)
    return unreadable(listing, std::strerror(errno));
  listing.own.changed(info.stx_mtime.tv_sec);
  if ((info.stx_mask & STATX_BTIME) != 0) listing.born = born_at(info.stx_btime);
  if (::lseek(fd, 0, SEEK_SET) != 0) return unreadable(listing, std::strerror(errno));
  const FolderOutcome outcome = read_entries(fd, listing);
  std::ranges::sort(listing.folders, {}, &FolderName::name);
  return outcome;
}

FolderOutcome DiskFolderReader::read_entries(int fd, Listing& listing) {
  for (;;) {
    const ssize_t got = ::getdents64(fd, entries_.data(), entries_.size());
    if (got == 0) break;
    // A folder that was removed while it was read has no entries any more.
    if (got < 0 && errno == ENOENT) return FolderOutcome::kGone;
    if (got < 0) return unreadable(listing, std::strerror(errno));
    for (ssize_t at = 0; at < got;) {
      const auto* entry = reinterpret_cast<const dirent64*>(entries_.data() + at);
      read_entry(fd, *entry, listing);
      at += entry->d_reclen;
    }
  }
  return listing.problem.empty() ? FolderOutcome::kRead : FolderOutcome::kUnreadable;
}

void DiskFolderReader::read_entry(int fd, const dirent64& entry, Listing& listing) {
  const std::string_view name{entry.d_name};
  if (name == "." || name == "..") return;
  if (entry.d_type == DT_DIR)
    return void(listing.folders.push_back({std::string{name}, entry.d_ino}));
  if (entry.d_type != DT_REG && entry.d_type != DT_UNKNOWN) return;
  struct stat info {};
  if (::fstatat(fd, entry.d_name, &info, AT_SYMLINK_NOFOLLOW) != 0) {
    if (!is_gone(errno)) unreadable(listing, message(name, ": ", std::strerror(errno)));
    return;
  }
  if (S_ISDIR(info.st_mode)) {
    listing.folders.push_back({std::string{name}, entry.d_ino});
  } else if (S_ISREG(info.st_mode)) {
    listing.own.add_object(static_cast<std::uint64_t>(info.st_size), info.st_mtim.tv_sec);
    if (info.st_nlink > 1) listing.linked.push_back({info.st_dev, info.st_ino, info.st_nlink});
  }
}

}  // namespace

Result<std::unique_ptr<FolderReader>> open_folder_tree(const std::filesystem::path& root,
                                                       DiskReaderOptions options) {
  const int fd = ::open(root.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK);
  struct stat info {};
  if (fd < 0 || ::fstat(fd, &info) != 0) {
    const int error = errno;
    if (fd >= 0) ::close(fd);
    return Error{ErrorCode::kIo,
                 message(root.string(), ": cannot open the folder: ", std::strerror(error))};
  }
  return std::unique_ptr<FolderReader>{std::make_unique<DiskFolderReader>(
      fd, info.st_dev, Identity{info.st_dev, info.st_ino}, options)};
}

}  // namespace bloomery::tracker
