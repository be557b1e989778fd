// Trees for tests of the watcher: what is in one, and random changes to it.
#pragma once
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace bloomery::tracker {

// What makes a folder's listing: each name with its inode, size and times.
struct FolderListing {
  std::string text;
  friend bool operator==(const FolderListing&, const FolderListing&) = default;
};
using Tree = std::map<std::string, FolderListing>;  // by path

// Without times of folders, which change with what is in them; by descriptors, for deep trees.
inline void list_into(Tree& tree, int parent, const std::string& name, const std::string& path) {
  const int fd = ::openat(parent, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0) return;
  std::vector<std::string> names;
  for (const auto& entry :
       std::filesystem::directory_iterator{"/proc/self/fd/" + std::to_string(fd)})
    names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  FolderListing listing;
  for (const std::string& child : names) {
    struct stat found {};
    if (::fstatat(fd, child.c_str(), &found, AT_SYMLINK_NOFOLLOW) != 0) continue;
    listing.text += child + '\0' + std::to_string(found.st_ino) + ' ';
    if (S_ISDIR(found.st_mode)) {
      list_into(tree, fd, child, path + "/" + child);
    } else {
      listing.text += std::to_string(found.st_size) + ' ' + std::to_string(found.st_mode) + ' ' +
                      std::to_string(found.st_mtim.tv_sec) + ' ' +
                      std::to_string(found.st_mtim.tv_nsec);
    }
    listing.text += '\n';
  }
  ::close(fd);
  tree[path] = listing;
}

inline Tree tree_of(const std::vector<std::filesystem::path>& roots) {
  Tree tree;
  for (const auto& root : roots) list_into(tree, AT_FDCWD, root.string(), root.string());
  return tree;
}

// Folders that are not as they were, with every folder above them.
inline std::vector<std::string> changed_folders(const Tree& before, const Tree& after) {
  std::map<std::string, bool> changed;
  const auto add = [&](std::string path) {
    for (;;) {
      if (!changed.emplace(path, true).second) return;
      const std::size_t slash = path.rfind('/');
      if (slash == 0 || slash == std::string::npos) return;
      path.resize(slash);
    }
  };
  for (const auto& [path, listing] : before) {
    const auto now = after.find(path);
    if (now == after.end() || now->second != listing) add(path);
  }
  for (const auto& [path, listing] : after)
    if (!before.contains(path)) add(path);
  std::vector<std::string> paths;
  for (const auto& [path, yes] : changed) paths.push_back(path);
  return paths;
}

// Changes a tree at random. Several may work in the same roots at once: what fails because another
// was faster is no change.
class Mutator {
 public:
  Mutator(std::vector<std::filesystem::path> roots, std::uint64_t seed)
      : roots_{std::move(roots)}, random_{seed} {}

  void change() {
    switch (random_() % 16) {
      case 0:
      case 1:
      case 2:
        return make_folder();
      case 3:
      case 4:
      case 5:
      case 6:
        return write_file();
      case 7:
        return move(folder(), folder() / name());
      case 8:
        return move(folder() / name(), folder() / name());
      case 9:
        return swap();
      case 10:
        return (void)::rmdir(folder().c_str());
      case 11:
        return (void)::unlink((folder() / name()).c_str());
      case 12:
        return remove_all();
      case 13:
        return tried(::truncate((folder() / name()).c_str(), 1));
      // No hard links: what is written under one name is not reported for the others.
      case 14:
        return tried(::symlink(name().c_str(), (folder() / name()).c_str()));
      default:
        return build_tree();
    }
  }

 private:
  static void tried(int) {}  // a change that cannot be made there is none

  std::filesystem::path folder() {
    std::filesystem::path at = roots_[random_() % roots_.size()];
    for (std::uint64_t depth = random_() % 6; depth > 0; --depth) {
      std::filesystem::path next = at / name();
      struct stat found {};
      if (::lstat(next.c_str(), &found) != 0 || !S_ISDIR(found.st_mode)) continue;
      at = std::move(next);
    }
    return at;
  }
  std::string name() {
    static const std::vector<std::string> kNames{
        "a",          "b", "c", "d",   "odd\nname", "\xff\xfe", std::string(255, 'x'),
        " (deleted)", "e", "f", "..a", "g"};
    return kNames[random_() % kNames.size()];
  }
  void make_folder() { ::mkdir((folder() / name()).c_str(), 0777); }
  void write_file() {
    const int fd = ::open((folder() / name()).c_str(),
                          O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_APPEND, 0666);
    if (fd < 0) return;
    (void)!::write(fd, "x", 1);
    ::close(fd);
  }
  bool is_root(const std::filesystem::path& path) const {
    return std::find(roots_.begin(), roots_.end(), path) != roots_.end();
  }
  void move(const std::filesystem::path& from, const std::filesystem::path& to) {
    if (!is_root(from) && !is_root(to)) (void)::rename(from.c_str(), to.c_str());
  }
  void swap() {
    const auto from = folder();
    const auto to = folder();
    if (!is_root(from) && !is_root(to))
      (void)::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_EXCHANGE);
  }
  void remove_all() {
    const auto doomed = folder();
    std::error_code ignored;
    if (!is_root(doomed) && random_() % 4 == 0) std::filesystem::remove_all(doomed, ignored);
  }
  // A tree that is there before a watcher can have seen its first folder, moved when it is half
  // done.
  void build_tree() {
    auto at = folder() / name();
    for (int depth = 0; depth < 4; ++depth) {
      if (::mkdir(at.c_str(), 0777) != 0) return;
      if (depth == 2) move(at.parent_path(), folder() / name());
      at /= name();
    }
  }

  std::vector<std::filesystem::path> roots_;
  std::mt19937_64 random_;
};

}  // namespace bloomery::tracker
