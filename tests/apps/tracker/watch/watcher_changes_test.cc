// The ways in which a file can be changed: each is a mark, while the file is still open.
#include <gtest/gtest.h>
#include <linux/falloc.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/sendfile.h>
#include <sys/uio.h>
#include <sys/xattr.h>

#include <cerrno>
#include <cstring>

#include "tests/apps/tracker/watch/async_writes.h"
#include "tests/apps/tracker/watch/watching.h"

namespace bloomery::tracker {
namespace {

// Done to an open file of 64 KiB; `source` is another one like it. False with errno: not possible
// on this filesystem.
struct Way {
  const char* name;
  bool (*change)(const Path& path, int fd, int source);
  bool until_closed = false;  // the kernel says nothing before the file is closed
};

constexpr std::size_t kPage = 4096;

bool write_direct(const Path& path, int, int) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_DIRECT | O_CLOEXEC);
  if (fd < 0) return false;
  alignas(kPage) char page[kPage] = {'d'};
  const bool done = ::pwrite(fd, page, sizeof page, 0) == static_cast<ssize_t>(sizeof page);
  ::close(fd);
  return done;
}

bool splice_into(const Path&, int fd, int) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return false;
  const bool done =
      ::write(ends[1], "pipe", 4) == 4 && ::splice(ends[0], nullptr, fd, nullptr, 4, 0) == 4;
  ::close(ends[0]);
  ::close(ends[1]);
  return done;
}

// The descriptor is closed long before: the mapping alone keeps the file open.
bool write_mapped(const Path& path, int, int) {
  const int fd = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  void* pages = ::mmap(nullptr, kPage, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  ::close(fd);
  if (pages == MAP_FAILED) return false;
  std::memcpy(pages, "mapped", 6);
  return ::munmap(pages, kPage) == 0;
}

const std::vector<Way>& ways() {
  static const std::vector<Way> kWays{
      {"write", [](const Path&, int fd, int) { return ::write(fd, "x", 1) == 1; }},
      {"pwrite", [](const Path&, int fd, int) { return ::pwrite(fd, "x", 1, 5) == 1; }},
      {"writev",
       [](const Path&, int fd, int) {
         char byte = 'v';
         const iovec part{&byte, 1};
         return ::writev(fd, &part, 1) == 1;
       }},
      {"truncate", [](const Path& path, int, int) { return ::truncate(path.c_str(), 9) == 0; }},
      {"ftruncate", [](const Path&, int fd, int) { return ::ftruncate(fd, 1 << 17) == 0; }},
      {"O_TRUNC",
       [](const Path& path, int, int) {
         const int opened = ::open(path.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC);
         return opened >= 0 && ::close(opened) == 0;
       }},
      {"fallocate", [](const Path&, int fd, int) { return ::fallocate(fd, 0, 0, 1 << 17) == 0; }},
      {"punch hole",
       [](const Path&, int fd, int) {
         return ::fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, kPage) == 0;
       }},
      {"zero range", [](const Path&, int fd,
                        int) { return ::fallocate(fd, FALLOC_FL_ZERO_RANGE, 0, kPage) == 0; }},
      {"collapse range",
       [](const Path&, int fd, int) {
         return ::fallocate(fd, FALLOC_FL_COLLAPSE_RANGE, 0, kPage) == 0;
       }},
      {"copy_file_range",
       [](const Path&, int fd, int source) {
         return ::copy_file_range(source, nullptr, fd, nullptr, 100, 0) == 100;
       }},
      {"sendfile",
       [](const Path&, int fd, int source) { return ::sendfile(fd, source, nullptr, 100) == 100; }},
      {"splice", splice_into},
      {"FICLONE",
       [](const Path&, int fd, int source) { return ::ioctl(fd, FICLONE, source) == 0; }},
      {"O_DIRECT", write_direct},
      {"io_uring", [](const Path&, int fd, int) { return write_by_uring(fd, "ring"); }},
      {"io_submit", [](const Path&, int fd, int) { return write_by_aio(fd, "aio"); }, true},
      {"mmap", write_mapped},
      {"chmod", [](const Path& path, int, int) { return ::chmod(path.c_str(), 0604) == 0; }},
      {"chown", [](const Path& path, int, int) { return ::chown(path.c_str(), 1, 1) == 0; }},
      {"utimensat", [](const Path& path, int,
                       int) { return ::utimensat(AT_FDCWD, path.c_str(), nullptr, 0) == 0; }},
      {"setxattr", [](const Path& path, int,
                      int) { return ::setxattr(path.c_str(), "user.bloomery", "1", 1, 0) == 0; }},
      {"removexattr",
       [](const Path& path, int, int) {
         return ::setxattr(path.c_str(), "user.bloomery", "1", 1, 0) == 0 &&
                ::removexattr(path.c_str(), "user.bloomery") == 0;
       }},
  };
  return kWays;
}

class WatchingWays : public Watching {
 protected:
  // Each way on a file of its own in `folder`.
  void try_all(const Path& folder, std::string_view filesystem) {
    std::filesystem::create_directories(folder);
    for (const Way& way : ways()) {
      std::filesystem::create_directories(folder / way.name);
      write(folder / way.name / "file", std::string(1 << 16, 'f'));
    }
    const Path source = folder / "source";
    write(source, std::string(1 << 16, 's'));
    START_OR_SKIP(watcher, options());
    std::string impossible;
    for (const Way& way : ways()) {
      SCOPED_TRACE(message(way.name, " on ", filesystem));
      const Path file = folder / way.name / "file";
      const int fd = ::open(file.c_str(), O_RDWR | O_CLOEXEC);
      const int from = ::open(source.c_str(), O_RDONLY | O_CLOEXEC);
      next(*watcher);
      EXPECT_FALSE(changed(*watcher, file)) << "always saying yes would pass too";
      const bool done = way.change(file, fd, from);
      if (!done) impossible += message(" ", way.name, " (", std::strerror(errno), ")");
      if (done && !way.until_closed) {
        EXPECT_TRUE(changed(*watcher, file)) << "while it is open";
      }
      ::close(fd);
      ::close(from);
      if (done) {
        EXPECT_TRUE(changed(*watcher, file));
      }
    }
    if (!impossible.empty())
      std::cout << filesystem << ": not tried, as it is not possible here:" << impossible << '\n';
  }
};

TEST_P(WatchingWays, InMemory) { try_all(root() / "ways", "the scratch folder"); }

TEST_P(WatchingWays, OnExt4) {
  const LoopDevice device{folder_ / "image", "mkfs.ext4 -qF", 16 << 20};
  std::filesystem::create_directories(root() / "mounted");
  const Mounted mounted{device.name(), root() / "mounted", "ext4"};
  if (!mounted.is_there()) GTEST_SKIP() << "an image cannot be mounted here";
  try_all(root() / "mounted/ways", "ext4");
}

TEST_P(WatchingWays, OnXfs) {
  const LoopDevice device{folder_ / "image", "mkfs.xfs -qf", 300 << 20};
  std::filesystem::create_directories(root() / "mounted");
  const Mounted mounted{device.name(), root() / "mounted", "xfs"};
  if (!mounted.is_there()) GTEST_SKIP() << "an image cannot be mounted here";
  try_all(root() / "mounted/ways", "xfs");
}

INSTANTIATE_TEST_SUITE_P(Both, WatchingWays,
                         ::testing::Values(WatchChoice::kFanotify, WatchChoice::kInotify),
                         name_of_backend);

}  // namespace
}  // namespace bloomery::tracker
