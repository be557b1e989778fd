#include <dirent.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>

#include "bloomery/base/descriptor.h"
#include "bloomery/base/file.h"
#include "bloomery/base/file_attributes.h"
#include "bloomery/base/new_file.h"

namespace bloomery {
namespace {

using internal::Descriptor;
using internal::io_error;
using internal::OldFile;

bool write_all(int fd, ByteView bytes, bool (*stop)()) {
  constexpr std::size_t kPiece = std::size_t{1} << 20;  // how often `stop` is asked
  while (!bytes.empty()) {
    if (stop != nullptr && stop()) {
      errno = EINTR;
      return false;
    }
    const std::size_t piece = stop != nullptr ? std::min(bytes.size(), kPiece) : bytes.size();
    const ssize_t written = ::write(fd, bytes.data(), piece);
    if (written < 0 && errno == EINTR) continue;
    if (written == 0) errno = ENOSPC;  // a write that writes nothing would be tried for ever
    if (written <= 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return true;
}

std::filesystem::path folder_of(const std::filesystem::path& target) {
  // Not has_parent_path(): it asks for memory, and may not throw.
  auto folder = target.parent_path();
  return folder.empty() ? "." : folder;
}

// A rename is durable once its folder is.
Status sync_folder(const std::filesystem::path& folder) {
  const Descriptor descriptor = Descriptor::open(folder, O_RDONLY | O_DIRECTORY);
  if (!descriptor.valid() || !internal::sync_file(descriptor.get()))
    return io_error(folder, "sync the folder");
  return ok();
}

// Follows links one by one: canonical() would refuse a link whose target is not there yet.
Result<std::filesystem::path> behind_links(const std::filesystem::path& path) {
  constexpr std::uint32_t kMaxLinks = 40;  // as many as Linux follows
  std::filesystem::path target = path;
  for (std::uint32_t followed = 0; followed <= kMaxLinks; ++followed) {
    std::error_code not_a_link;
    const std::filesystem::path next = std::filesystem::read_symlink(target, not_a_link);
    if (not_a_link) return target;
    target = target.parent_path() / next;
  }
  errno = ELOOP;
  return io_error(path, "find the file behind the link");
}

constexpr std::size_t kKeptName = 200;  // of the target's: a folder takes names of up to 255 bytes
constexpr std::size_t kNumberDigits = 20;

// ".NAME." before the number of a temporary file.
std::string temporary_stem(const std::filesystem::path& target) {
  return "." + target.filename().string().substr(0, kKeptName) + ".";
}

std::string temporary_name(const std::string& stem, std::uint64_t random) {
  const std::string digits = std::to_string(random);
  return stem + std::string(kNumberDigits - digits.size(), '0') + digits;
}

bool is_temporary_name(std::string_view name, std::string_view stem) {
  return name.size() == stem.size() + kNumberDigits && name.starts_with(stem) &&
         std::ranges::all_of(name.substr(stem.size()), [](char c) { return c >= '0' && c <= '9'; });
}

// A lock needs the file open, in either way: the mode of an old file may be on it already.
Descriptor open_to_lock(int folder, const char* name) {
  constexpr int kFlags = O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
  Descriptor file{::openat(folder, name, O_WRONLY | kFlags)};
  if (!file.valid() && errno == EACCES)
    file = Descriptor{::openat(folder, name, O_RDONLY | kFlags)};
  return file;
}

// Removes a temporary file of this user that no process has locked: the process that wrote it was
// killed. Removed under its lock, so that a process which has just created it notices.
void remove_if_stale(int folder, const char* name) {
  struct stat info {};
  if (::fstatat(folder, name, &info, AT_SYMLINK_NOFOLLOW) != 0) return;
  if (!S_ISREG(info.st_mode) || info.st_uid != ::geteuid()) return;
  const Descriptor file = open_to_lock(folder, name);
  if (file.valid() && internal::try_lock(file.get())) ::unlinkat(folder, name, 0);
}

// What fails here is tried again by the next save.
void remove_stale_temporaries(const std::filesystem::path& target) {
  DIR* const folder = ::opendir(folder_of(target).c_str());
  if (folder == nullptr) return;
  const std::string stem = temporary_stem(target);
  while (const dirent* entry = ::readdir(folder))
    if (is_temporary_name(entry->d_name, stem)) remove_if_stale(::dirfd(folder), entry->d_name);
  ::closedir(folder);
}

}  // namespace

namespace internal {

// Removed by the destructor on every way out, unless it was given the target's name.
struct Temporary {
  Temporary(Descriptor descriptor, std::string path)
      : file{std::move(descriptor)}, name{std::move(path)} {}
  Temporary(Temporary&& other) noexcept
      : file{std::move(other.file)}, name{std::exchange(other.name, {})} {}
  Temporary& operator=(Temporary&&) = delete;
  ~Temporary() {
    if (!name.empty()) ::unlink(name.c_str());
  }

  Descriptor file;
  std::string name;
};

}  // namespace internal

namespace {

using internal::Temporary;

// Locks a new file, so that no other process takes it for stale. False where one did so before.
bool keep(int fd) {
  if (!internal::try_lock(fd) && errno == EWOULDBLOCK) return false;
  struct stat info {};
  return ::fstat(fd, &info) != 0 || info.st_nlink != 0;
}

// A new file beside the target, locked until it is closed. It can never be read by more users than
// the target: the one that replaces an old file is its owner's alone until it has the old one's
// permissions.
Result<Temporary> create_temporary(const std::filesystem::path& target, bool replaces) {
  constexpr int kTries = 100;  // a name that is taken is drawn once in 2^64
  const std::string stem = temporary_stem(target);
  for (int tries = 1;; ++tries) {
    std::uint64_t random = 0;
    if (::getentropy(&random, sizeof random) != 0) return io_error(target, "draw a random name");
    std::string name = (target.parent_path() / temporary_name(stem, random)).string();
    Descriptor file = Descriptor::open(name, O_WRONLY | O_CREAT | O_EXCL, replaces ? 0600 : 0666);
    if (!file.valid() && errno == EEXIST && tries < kTries) continue;
    if (!file.valid()) return io_error(target, "create a temporary file beside it");
    Temporary temporary{std::move(file), std::move(name)};
    if (keep(temporary.file.get()) || tries == kTries) return temporary;
  }
}

// What a file needs before it gets its name, once its bytes are written.
Status finish(const Temporary& temporary, const std::optional<OldFile>& old,
              const std::filesystem::path& target) {
  const int fd = temporary.file.get();
  if (old)
    if (auto kept = old->give_attributes_to(fd); !kept) return kept;
  // It stays open, and so locked, until it has its name: the sync already reported what a close
  // could.
  if (!internal::sync_file(fd)) return io_error(target, "sync");
  return ok();
}

Status fill(Temporary& temporary, const std::optional<OldFile>& old,
            const std::filesystem::path& target, std::span<const ByteView> parts, bool (*stop)()) {
  const int fd = temporary.file.get();
  for (const ByteView part : parts) {
    if (write_all(fd, part, stop)) continue;
    if (errno != EINTR) return io_error(target, "write");
    return Error{
        ErrorCode::kIo,
        message(target.string(), ": interrupted before it was written; what was there stays")};
  }
  return finish(temporary, old, target);
}

Error appeared(const std::filesystem::path& target) {
  return {ErrorCode::kIo,
          message(target.string(), ": not written: another process created the file meanwhile")};
}

// Gives the file its name where nothing has it.
Status rename_to_new(const std::string& from, const std::filesystem::path& target) {
  constexpr unsigned kNoReplace = 1;  // RENAME_NOREPLACE, which not every C library declares
  if (::syscall(SYS_renameat2, AT_FDCWD, from.c_str(), AT_FDCWD, target.c_str(), kNoReplace) == 0)
    return ok();
  if (errno == EEXIST) return appeared(target);
  if (errno != EINVAL && errno != ENOSYS) return io_error(target, "create");
  // A file system without such a rename.
  if (::link(from.c_str(), target.c_str()) != 0)
    return errno == EEXIST ? Status{appeared(target)} : Status{io_error(target, "create")};
  ::unlink(from.c_str());
  return ok();
}

Status give_name(const std::string& from, const std::filesystem::path& target,
                 const FileLock* lock) {
  using Names = FileLock::Names;
  if (lock != nullptr) {
    const Names named = lock->compare(target);
    if (!lock->held() || named == Names::kNothing) return rename_to_new(from, target);
    if (named == Names::kAnotherFile)
      return Error{ErrorCode::kIo,
                   message(target.string(),
                           ": not written: another process replaced the file meanwhile, without ",
                           "regard to the lock on it")};
  }
  if (::rename(from.c_str(), target.c_str()) != 0) return io_error(target, "replace");
  return ok();
}

}  // namespace

namespace internal {

// A temporary file, and the file that it will replace.
struct Replacement {
  std::filesystem::path target;
  std::optional<OldFile> old;
  Temporary temporary;

  static Result<Replacement> create(const std::filesystem::path& path) {
    auto target = behind_links(path);
    if (!target) return target.error();
    auto old = OldFile::find(*target);
    if (!old) return old.error();
    remove_stale_temporaries(*target);
    auto temporary = create_temporary(*target, old->has_value());
    if (!temporary) return temporary.error();
    return Replacement{std::move(*target), std::move(*old), std::move(*temporary)};
  }
  // Precondition: finish().
  Status take_name(const FileLock* lock) {
    if (auto named = give_name(temporary.name, target, lock); !named) return named;
    temporary.name.clear();
    return sync_folder(folder_of(target));
  }
};

}  // namespace internal

namespace {

using internal::Replacement;

Status save(FileName path, std::span<const ByteView> parts, const FileLock* lock, bool (*stop)()) {
  auto made = Replacement::create(path.view());
  if (!made) return made.error();
  if (auto filled = fill(made->temporary, made->old, made->target, parts, stop); !filled)
    return filled;
  return made->take_name(lock);
}

}  // namespace

Status save_file(FileName path, std::span<const ByteView> parts, bool (*stop)()) {
  return save(path, parts, nullptr, stop);
}

Status save_file(FileName path, ByteView bytes, bool (*stop)()) {
  return save(path, std::span{&bytes, 1}, nullptr, stop);
}

Status save_file(FileName path, std::span<const ByteView> parts, const FileLock& lock,
                 bool (*stop)()) {
  return save(path, parts, &lock, stop);
}

Status save_file(FileName path, ByteView bytes, const FileLock& lock, bool (*stop)()) {
  return save(path, std::span{&bytes, 1}, &lock, stop);
}

Status replace_file(FileName path, std::span<const ByteView> parts, const LockWait& wait,
                    bool (*stop)()) {
  for (;;) {
    const auto lock = FileLock::acquire(path, wait);
    if (!lock) return lock.error();
    auto saved = save(path, parts, &*lock, stop);
    // A file that appeared meanwhile is replaced too, under its own lock.
    std::error_code unknown;
    if (saved || lock->held() || !std::filesystem::exists(path.view(), unknown)) return saved;
  }
}

struct NewFile::State {
  Replacement replacement;
  PositionedFile file;
};

Result<NewFile> NewFile::create(FileName path) {
  auto made = Replacement::create(path.view());
  if (!made) return made.error();
  const int fd = made->temporary.file.get();
  return NewFile{std::unique_ptr<State>{
      new State{std::move(*made), PositionedFile{path.string(), fd, false}}}};
}

NewFile::NewFile(std::unique_ptr<State> state) : state_{std::move(state)} {}
NewFile::NewFile(NewFile&& other) noexcept = default;
NewFile& NewFile::operator=(NewFile&& other) noexcept = default;
NewFile::~NewFile() = default;

PositionedFile& NewFile::file() { return state_->file; }

Status NewFile::commit(const FileLock& lock) {
  Replacement& made = state_->replacement;
  if (auto finished = finish(made.temporary, made.old, made.target); !finished) return finished;
  return made.take_name(&lock);
}

}  // namespace bloomery
