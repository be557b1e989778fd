#include "bloomery/remote/page_cache.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <vector>

#include "bloomery/base/descriptor.h"
#include "bloomery/base/endian.h"
#include "bloomery/base/list_folder.h"
#include "bloomery/hash/xxh.h"

namespace bloomery::internal {
namespace {

// A page's file: {8 bytes magic, u64 low, u64 high (of the object), u64 number, u64 length, u64
// XXH3-64 of all other bytes}, then the page.
constexpr std::array<char, 8> kMagic = {'B', 'L', 'M', 'P', 'A', 'G', 'E', '1'};
constexpr std::size_t kHeadBytes = 48;
constexpr std::size_t kSumAt = 40;
using Head = std::array<std::byte, kHeadBytes>;

std::string hex(std::uint64_t number) {
  constexpr std::size_t kDigits = 16;
  std::array<char, kDigits> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + kDigits, number, 16).ptr;
  const auto used = static_cast<std::size_t>(end - digits.data());
  return std::string(kDigits - used, '0') + std::string(digits.data(), used);
}

Head head_of(const PageName& name, ByteView page) {
  Head head{};
  std::memcpy(head.data(), kMagic.data(), kMagic.size());
  store_le(head.data() + 8, name.object.low);
  store_le(head.data() + 16, name.object.high);
  store_le(head.data() + 24, name.number);
  store_le(head.data() + 32, std::uint64_t{page.size()});
  const std::uint64_t sum = xxh3_64(page, xxh3_64(ByteView{head}.first(kSumAt)));
  store_le(head.data() + kSumAt, sum);
  return head;
}

bool read_exactly(int fd, ByteSpan into) {
  while (!into.empty()) {
    const ssize_t got = without_interrupts([&] { return ::read(fd, into.data(), into.size()); });
    if (got <= 0) return false;
    into = into.subspan(static_cast<std::size_t>(got));
  }
  return true;
}

bool write_all(int fd, ByteView bytes) {
  while (!bytes.empty()) {
    const ssize_t put = without_interrupts([&] { return ::write(fd, bytes.data(), bytes.size()); });
    if (put <= 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(put));
  }
  return true;
}

constexpr mode_t kFolderMode = 0700;

bool make_folder(const std::filesystem::path& folder) {
  return ::mkdir(folder.c_str(), kFolderMode) == 0 || errno == EEXIST;
}

struct StoredPage {
  std::filesystem::path path;
  std::uint64_t bytes;
  timespec used;
};

bool is_older(const StoredPage& a, const StoredPage& b) {
  return a.used.tv_sec != b.used.tv_sec ? a.used.tv_sec < b.used.tv_sec
                                        : a.used.tv_nsec < b.used.tv_nsec;
}

// Names of temporary files begin with a dot.
bool is_stale_temporary(const std::string& name, const timespec& changed) {
  constexpr std::time_t kLongestWrite = 600;
  return name.starts_with('.') && changed.tv_sec + kLongestWrite < std::time(nullptr);
}

// Of every object. What another process removes meanwhile is left out.
std::vector<StoredPage> stored_pages(const std::filesystem::path& folder) {
  std::vector<StoredPage> pages;
  const auto objects = list_folder(folder.string());
  if (!objects) return pages;
  for (const std::string& object : *objects) {
    const auto names = list_folder((folder / object).string());
    if (!names) continue;
    if (names->empty()) ::rmdir((folder / object).c_str());
    for (const std::string& name : *names) {
      StoredPage page{folder / object / name, 0, {}};
      struct stat info {};
      if (::lstat(page.path.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) continue;
      if (is_stale_temporary(name, info.st_mtim)) ::unlink(page.path.c_str());
      if (name.starts_with('.')) continue;
      page.bytes = static_cast<std::uint64_t>(info.st_size);
      page.used = info.st_mtim;
      pages.push_back(std::move(page));
    }
  }
  return pages;
}

}  // namespace

Result<PageCache> PageCache::open(std::filesystem::path folder, std::uint64_t most_bytes) {
  std::filesystem::path made;
  for (const std::filesystem::path& part : folder) {
    made /= part;
    if (!make_folder(made) && errno != EACCES && errno != EROFS)
      return io_error(made, "make the folder of the cache");
  }
  struct stat info {};
  if (::stat(folder.c_str(), &info) != 0)
    return io_error(folder, "look at the folder of the cache");
  if (!S_ISDIR(info.st_mode)) {
    errno = ENOTDIR;
    return io_error(folder, "keep a cache in it");
  }
  if (info.st_uid != ::geteuid() || (info.st_mode & (S_IWGRP | S_IWOTH)) != 0)
    return Error{ErrorCode::kIo, message(folder.string(),
                                         ": other users can write to the folder of the cache, and "
                                         "so change answers; use a folder of your own, with mode "
                                         "700")};
  return PageCache{std::move(folder), most_bytes};
}

std::filesystem::path PageCache::folder_of(const PageName& name) const {
  return folder_ / (hex(name.object.low) + hex(name.object.high));
}

bool PageCache::load(const PageName& name, ByteSpan page) {
  const std::filesystem::path path = folder_of(name) / hex(name.number);
  const Descriptor file = Descriptor::open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  if (!file.valid()) return false;
  Head head{};
  const bool is_read = read_exactly(file.get(), head) && read_exactly(file.get(), page);
  if (!is_read || head != head_of(name, page)) {
    ::unlink(path.c_str());
    return false;
  }
  ::futimens(file.get(), nullptr);  // used now; where that fails, it is dropped sooner
  return true;
}

Status PageCache::store(const PageName& name, ByteView page) {
  // At the first page too: processes that each store a little would otherwise never sweep.
  stored_since_ += kHeadBytes + page.size();
  if (!was_swept_ || stored_since_ > most_bytes_ / 16) drop_oldest();
  if (!was_swept_ || stored_since_ > most_bytes_ / 16) stored_since_ = 0;
  was_swept_ = true;
  if (kHeadBytes + page.size() > most_bytes_) return ok();
  const std::filesystem::path folder = folder_of(name);
  const std::filesystem::path path = folder / hex(name.number);
  std::uint64_t random = 0;
  if (::getentropy(&random, sizeof random) != 0) return io_error(path, "draw a random name");
  const std::filesystem::path temporary = folder / ("." + hex(name.number) + "." + hex(random));
  // Another process may have removed the folder because it was empty.
  Descriptor file{-1};
  for (int tries = 0; tries < 3 && !file.valid(); ++tries) {
    if (!make_folder(folder)) return io_error(folder, "make the folder");
    file = Descriptor::open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0600);
    if (!file.valid() && errno != ENOENT) break;
  }
  if (!file.valid()) return io_error(temporary, "create the file");
  const Head head = head_of(name, page);
  // Not synced: a page that a loss of power damages is noticed, and fetched again.
  if (!write_all(file.get(), head) || !write_all(file.get(), page) ||
      ::rename(temporary.c_str(), path.c_str()) != 0) {
    const Error error = io_error(path, "write to the cache");
    ::unlink(temporary.c_str());
    return error;
  }
  return ok();
}

void PageCache::drop_oldest() const {
  auto pages = stored_pages(folder_);
  std::uint64_t sum = 0;
  for (const StoredPage& page : pages) sum += page.bytes;
  const std::uint64_t margin = most_bytes_ / 8;  // for what is stored until the next sweep
  if (sum + margin <= most_bytes_) return;
  std::ranges::sort(pages, is_older);
  for (const StoredPage& page : pages) {
    if (sum + 2 * margin <= most_bytes_) return;
    if (::unlink(page.path.c_str()) == 0) sum -= page.bytes;
  }
}

}  // namespace bloomery::internal
