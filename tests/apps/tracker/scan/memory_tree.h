// A tree of folders in memory: changed at will, read as a disk is, and counted exactly; and the
// same count of a tree on a disk.
#pragma once
#include <filesystem>
#include <map>
#include <memory>
#include <random>

#include "apps/tracker/scan/folder_reader.h"
#include "apps/tracker/scan/usage_view.h"

namespace bloomery::tracker {

struct MemoryFolder {
  std::uint64_t identity = 0;
  std::uint32_t born = 0;
  bool unreadable = false;
  std::map<std::string, std::uint64_t> files = {};
  std::map<std::string, std::unique_ptr<MemoryFolder>> folders = {};
};

class MemoryReader final : public FolderReader {
 public:
  explicit MemoryReader(const MemoryFolder& root) : root_{root} {}
  void enter(std::string_view name) override { way_.emplace_back(name); }
  void leave() override { way_.pop_back(); }
  FolderOutcome read(Listing& listing) override {
    listing = {};
    const MemoryFolder* folder = &root_;
    for (const std::string& name : way_) {
      const auto found = folder->folders.find(name);
      if (found == folder->folders.end()) return FolderOutcome::kGone;
      folder = found->second.get();
    }
    if (folder->unreadable) {
      listing.problem = "not allowed";
      return FolderOutcome::kUnreadable;
    }
    ++reads;
    listing.born = folder->born;
    for (const auto& [name, size] : folder->files) listing.own.add_object(size, 1000);
    for (const auto& [name, below] : folder->folders)
      listing.folders.push_back({name, below->identity});
    return FolderOutcome::kRead;
  }

  std::uint64_t reads = 0;

 private:
  const MemoryFolder& root_;
  std::vector<std::string> way_;
};

struct Counted {
  std::uint64_t objects = 0;
  std::uint64_t bytes = 0;
  friend bool operator==(const Counted&, const Counted&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Counted& counted) {
    return out << counted.objects << " objects of " << counted.bytes << " bytes";
  }
};
using CountedTree = std::map<std::string, Counted>;  // with all below, by path

inline Counted count(const MemoryFolder& folder, const std::string& path, CountedTree& all) {
  Counted sum;
  if (!folder.unreadable) {
    for (const auto& [name, size] : folder.files) {
      ++sum.objects;
      sum.bytes += size;
    }
    for (const auto& [name, below] : folder.folders) {
      const Counted inside = count(*below, path.empty() ? name : path + "/" + name, all);
      sum.objects += inside.objects;
      sum.bytes += inside.bytes;
    }
  }
  all[path] = sum;
  return sum;
}

inline CountedTree counted(const MemoryFolder& root) {
  CountedTree all;
  count(root, "", all);
  return all;
}

// As `find` counts it.
inline CountedTree counted_on_disk(const std::filesystem::path& tree) {
  CountedTree all;
  all[""];
  for (const auto& entry : std::filesystem::recursive_directory_iterator{tree}) {
    const std::string path = entry.path().lexically_relative(tree).string();
    if (entry.is_symlink()) continue;
    if (entry.is_directory()) all[path];
    if (!entry.is_regular_file()) continue;
    for (std::string at = path; !at.empty();) {
      at = at.find('/') == std::string::npos ? "" : at.substr(0, at.rfind('/'));
      ++all[at].objects;
      all[at].bytes += entry.file_size();
    }
  }
  return all;
}

inline CountedTree counted(const UsageCache& cache) {
  CountedTree all;
  for_each_folder(cache, [&](std::string_view path, const FolderRecord& folder) {
    all[std::string{path}] = {folder.total.objects, folder.total.bytes};
  });
  return all;
}

}  // namespace bloomery::tracker
