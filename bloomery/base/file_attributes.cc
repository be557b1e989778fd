#include "bloomery/base/file_attributes.h"

#include <sys/stat.h>
#include <sys/xattr.h>

#include <algorithm>

#include "bloomery/base/descriptor.h"

namespace bloomery::internal {
namespace {

constexpr std::string_view kAccessList = "system.posix_acl_access";

// The others are the kernel's own affair: labels and capabilities are decided by its rules for new
// files.
bool is_kept(std::string_view name) { return name == kAccessList || name.starts_with("user."); }

bool has_none(int why) { return why == ENOTSUP || why == ENODATA || why == ENOSYS; }

// Calls `get(buffer, size)` until what it returns fits. Nothing, and errno, where it fails.
template <class Get>
std::optional<std::string> read_whole(Get get) {
  std::string bytes;
  for (;;) {
    const ssize_t size = get(nullptr, 0);
    if (size < 0) return std::nullopt;
    bytes.resize(static_cast<std::size_t>(size));
    if (size == 0) return bytes;
    const ssize_t got = get(bytes.data(), bytes.size());
    if (got < 0 && errno == ERANGE) continue;  // it grew meanwhile
    if (got < 0) return std::nullopt;
    bytes.resize(static_cast<std::size_t>(got));
    return bytes;
  }
}

}  // namespace

Result<std::optional<OldFile>> OldFile::find(const std::filesystem::path& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) {
    if (errno != ENOENT) return io_error(path, "stat");
    return std::optional<OldFile>{};
  }
  if (!S_ISREG(info.st_mode))
    return Error{ErrorCode::kIo, message(path.string(), ": only a regular file can be replaced")};
  OldFile old{path};
  old.owner_ = info.st_uid;
  old.group_ = info.st_gid;
  old.mode_ = info.st_mode & 07777;
  if (auto read = old.read_extended(); !read) return read.error();
  return std::optional<OldFile>{std::move(old)};
}

Status OldFile::read_extended() {
  const auto names = read_whole(
      [&](char* out, std::size_t size) { return ::listxattr(path_.c_str(), out, size); });
  if (!names && has_none(errno)) return ok();
  if (!names) return io_error(path_, "list the extended attributes");
  for (std::size_t at = 0; at < names->size();) {
    const std::string name{names->c_str() + at};
    at += name.size() + 1;
    if (!is_kept(name)) continue;
    auto value = read_whole([&](char* out, std::size_t size) {
      return ::getxattr(path_.c_str(), name.c_str(), out, size);
    });
    if (!value && has_none(errno)) continue;
    if (!value) return io_error(path_, "read the extended attribute " + name);
    extended_.push_back({name, std::move(*value)});
  }
  return ok();
}

Status OldFile::give_attributes_to(int fd) const {
  if (auto given = give_owner(fd); !given) return given;
  if (auto given = give_extended(fd); !given) return given;
  // Last: a change of the owner clears some bits of the mode.
  if (::fchmod(fd, mode_) != 0) return io_error(path_, "keep the mode");
  return ok();
}

Status OldFile::give_owner(int fd) const {
  struct stat own {};
  if (::fstat(fd, &own) != 0) return io_error(path_, "stat");
  if (own.st_uid == owner_ && own.st_gid == group_) return ok();
  if (::fchown(fd, owner_, group_) == 0) return ok();
  if (errno != EPERM) return io_error(path_, "keep the owner and the group");
  if (own.st_uid != owner_)
    return Error{ErrorCode::kIo, message(path_.string(), ": not written: it belongs to user ",
                                         owner_, ", and saving would make user ", own.st_uid,
                                         " its owner; run the program as its owner or as root")};
  return Error{ErrorCode::kIo,
               message(path_.string(), ": not written: its group is ", group_,
                       ", which the user is no member of; saving would make it ", own.st_gid)};
}

Status OldFile::give_extended(int fd) const {
  const bool has_list =
      std::ranges::any_of(extended_, [](const Extended& one) { return one.name == kAccessList; });
  // A folder's default list goes to every new file in it, and the old file has none.
  if (!has_list && ::fremovexattr(fd, kAccessList.data()) != 0 && !has_none(errno))
    return io_error(path_, "keep the access control list");
  for (const auto& [name, value] : extended_)
    if (::fsetxattr(fd, name.c_str(), value.data(), value.size(), 0) != 0)
      return io_error(path_, "keep the extended attribute " + name);
  return ok();
}

}  // namespace bloomery::internal
