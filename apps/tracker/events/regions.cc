#include "apps/tracker/events/regions.h"

#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <array>
#include <unordered_map>
#include <unordered_set>

#include "apps/tracker/state/paths.h"
#include "bloomery/base/file.h"
#include "bloomery/base/message.h"

namespace bloomery::tracker {
namespace {

constexpr std::uint64_t kLongestMountinfo = std::uint64_t{64} << 20;

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  while (!line.empty()) {
    const std::size_t end = std::min(line.find(' '), line.size());
    if (end > 0) words.push_back(line.substr(0, end));
    line.remove_prefix(std::min(end + 1, line.size()));
  }
  return words;
}

// What other machines or the program behind it change, no kernel of ours announces.
bool is_changed_elsewhere(std::string_view filesystem) {
  static constexpr std::array<std::string_view, 16> kElsewhere{
      "nfs",       "nfs4", "cifs", "smb3",   "smbfs", "ceph",   "9p",   "afs",
      "glusterfs", "gfs2", "gpfs", "lustre", "ocfs2", "beegfs", "coda", "virtiofs"};
  return std::ranges::find(kElsewhere, filesystem) != kElsewhere.end() ||
         filesystem.starts_with("fuse");
}

// Files that are made of what the kernel knows: they change without being written.
bool is_made_up(std::string_view filesystem) {
  static constexpr std::array<std::string_view, 14> kMadeUp{
      "proc",   "sysfs",      "cgroup", "cgroup2", "debugfs",  "tracefs",  "devpts",
      "mqueue", "securityfs", "pstore", "bpf",     "configfs", "efivarfs", "binfmt_misc"};
  return std::ranges::find(kMadeUp, filesystem) != kMadeUp.end();
}

std::string why_unseen(std::string_view filesystem) {
  // FUSE on a local disk is written by this machine alone.
  if (filesystem != "fuseblk" && is_changed_elsewhere(filesystem))
    return message(filesystem,
                   " may be changed by other machines, which this one is not notified of");
  if (is_made_up(filesystem)) return message(filesystem, " does not announce its changes");
  return {};
}

// Where a path lies within its filesystem: two regions of one filesystem may be the same folders.
std::string within_filesystem(const Mount& mount, std::string_view path) {
  const std::string point = clean_path(mount.point);
  const std::string clean = clean_path(path);
  const std::string_view rest =
      std::string_view{clean}.substr(std::min(clean.size(), point.size()));
  return clean_path(mount.root + "/" + std::string{rest});
}

// The mount a path lies on: of several at one point the last one covers the others.
const Mount* mount_of(std::string_view clean, std::span<const Mount> mounts) {
  const Mount* found = nullptr;
  std::size_t longest = 0;
  for (const Mount& mount : mounts) {
    const std::string point = clean_path(mount.point);
    if (!lies_in(clean, point) || (found != nullptr && point.size() < longest)) continue;
    found = &mount;
    longest = point.size();
  }
  return found;
}

struct Listed {
  Mount mount;
  std::string id;
  std::string parent;
};

// What is mounted over a folder covers every mount in it. Only what a path can reach is left.
class Visibility {
 public:
  explicit Visibility(const std::vector<Listed>& all) {
    for (const Listed& one : all) {
      by_id_.emplace(one.id, &one);
      points_.insert(key(one.parent, clean_path(one.mount.point)));
    }
  }
  bool sees(const Listed& one) const {
    const std::string point = clean_path(one.mount.point);
    if (points_.contains(key(one.id, point))) return false;  // another one on top of it
    return is_reachable(one, 0);
  }

 private:
  static constexpr int kDeepest = 10'000;  // ends the walk through any mount table

  static std::string key(std::string_view parent, std::string_view point) {
    return message(parent, ":", point);
  }
  bool is_reachable(const Listed& one, int depth) const {
    const std::string point = clean_path(one.mount.point);
    for (std::string_view above = point; !above.empty();) {
      above = parent_of(above);
      if (points_.contains(key(one.parent, above)) && one.id != one.parent) return false;
    }
    const auto parent = by_id_.find(one.parent);
    if (parent == by_id_.end() || parent->second == &one || depth > kDeepest) return true;
    return is_reachable(*parent->second, depth + 1);
  }

  std::unordered_map<std::string_view, const Listed*> by_id_;
  std::unordered_set<std::string> points_;  // with the mount they are on
};

class Collector {
 public:
  explicit Collector(std::span<const Mount> mounts) : mounts_{mounts} {}

  void add(const std::string& path) {
    const std::string clean = clean_path(path);
    if (std::ranges::any_of(places_, [&](const Place& place) { return place.clean == clean; }))
      return;
    const Mount* mount = mount_of(clean, mounts_);
    Region region{.path = "/" + clean, .filesystem = mount == nullptr ? "" : mount->filesystem};
    Place place{.clean = clean};
    if (mount == nullptr) {
      region.unseen = "it lies on no mounted filesystem";
    } else {
      region.device = mount->device;
      region.mounted_root = mount->root;
      place.device = mount->device;
      place.within = within_filesystem(*mount, clean);
      region.unseen = why_unseen(mount->filesystem);
      region.twin = twin_of(place);
    }
    places_.push_back(std::move(place));
    regions_.push_back(std::move(region));
  }
  std::vector<Region> take() { return std::move(regions_); }

 private:
  struct Place {
    std::string clean;
    std::string device = {};
    std::string within = {};
  };
  std::string twin_of(const Place& place) const {
    for (const Place& other : places_)
      if (other.device == place.device &&
          (lies_in(other.within, place.within) || lies_in(place.within, other.within)))
        return "/" + other.clean;
    return {};
  }

  std::span<const Mount> mounts_;
  std::vector<Place> places_;
  std::vector<Region> regions_;
};

}  // namespace

std::string unescape_octal(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto digit = [&](std::size_t at) { return text[at] >= '0' && text[at] <= '7'; };
    if (text[i] == '\\' && i + 3 < text.size() && digit(i + 1) && digit(i + 2) && digit(i + 3)) {
      plain += static_cast<char>((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 +
                                 (text[i + 3] - '0'));
      i += 3;
    } else {
      plain += text[i];
    }
  }
  return plain;
}

FilesystemPlace place_in_filesystem(std::string_view path, std::span<const Mount> mounts) {
  const Mount* mount = mount_of(clean_path(path), mounts);
  if (mount == nullptr) return {};
  return {mount->device, within_filesystem(*mount, path)};
}

std::vector<Mount> parse_mounts(std::string_view mountinfo) {
  std::vector<Listed> all;
  while (!mountinfo.empty()) {
    const std::size_t end = std::min(mountinfo.find('\n'), mountinfo.size());
    const auto words = words_of(mountinfo.substr(0, end));
    mountinfo.remove_prefix(std::min(end + 1, mountinfo.size()));
    const auto dash = std::ranges::find(words, "-");
    if (words.size() < 5 || dash == words.end() || dash + 1 == words.end()) continue;
    all.push_back({.mount = {.device = std::string{words[2]},
                             .root = unescape_octal(words[3]),
                             .point = unescape_octal(words[4]),
                             .filesystem = unescape_octal(dash[1])},
                   .id = std::string{words[0]},
                   .parent = std::string{words[1]}});
  }
  const Visibility visibility{all};
  std::vector<Mount> mounts;
  for (const Listed& one : all)
    if (visibility.sees(one)) mounts.push_back(one.mount);
  return mounts;
}

std::vector<Mount> with_root(std::vector<Mount> mounts, std::string_view device) {
  const bool listed =
      std::ranges::any_of(mounts, [](const Mount& mount) { return mount.point == "/"; });
  if (!listed) mounts.insert(mounts.begin(), {std::string{device}, "/", "/", {}});
  return mounts;
}

Result<std::vector<Mount>> read_mounts() {
  const auto bytes = read_file("/proc/self/mountinfo", {.max_bytes = kLongestMountinfo});
  if (!bytes) return bytes.error();
  struct stat root {};
  if (::stat("/", &root) != 0) return Error{ErrorCode::kIo, "/: cannot be looked at"};
  return with_root(parse_mounts(text_of(*bytes)),
                   message(major(root.st_dev), ":", minor(root.st_dev)));
}

std::vector<Region> regions_of(std::span<const std::string> roots, std::span<const Mount> mounts) {
  Collector collector{mounts};
  std::vector<std::string> paths;
  for (const std::string& root : roots) paths.push_back(clean_path(root));
  std::ranges::sort(paths);
  // A root within another is part of it.
  std::vector<std::string> outer;
  for (const std::string& path : paths)
    if (std::ranges::none_of(outer, [&](const auto& other) { return lies_in(path, other); }))
      outer.push_back(path);
  for (const std::string& path : outer) {
    collector.add(path);
    std::vector<std::string> points;
    for (const Mount& mount : mounts)
      if (const std::string point = clean_path(mount.point); lies_in(point, path) && point != path)
        points.push_back(point);
    std::ranges::sort(points);
    for (const std::string& point : points) collector.add(point);
  }
  return collector.take();
}

}  // namespace bloomery::tracker
