// Which parts of the watched roots lie on which mounted filesystem, and which of them announce
// their changes at all.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/base/result.h"

namespace bloomery::tracker {

// A line of /proc/self/mountinfo.
struct Mount {
  std::string device;      // "8:1": the same for every mount of one filesystem
  std::string root;        // the folder of the filesystem that is mounted
  std::string point;       // where
  std::string filesystem;  // "ext4"
  friend bool operator==(const Mount&, const Mount&) = default;
};
// Those that a path can reach: not the ones that another mount covers. Lines that make no sense are
// left out: the kernel writes none.
std::vector<Mount> parse_mounts(std::string_view mountinfo);
// In a changed root (chroot), "/" is no mount point, and what it lies on is not listed: it is put
// first, with its device.
std::vector<Mount> with_root(std::vector<Mount> mounts, std::string_view device);
Result<std::vector<Mount>> read_mounts();

// The kernel, and tables like /etc/exports, write blank, tab, newline and backslash of a path as
// a backslash and three octal digits.
std::string unescape_octal(std::string_view text);

// Where a path lies: two of one filesystem may be the same folder under two mounts.
struct FilesystemPlace {
  std::string device = {};
  std::string within = {};  // clean, from the root of the filesystem
};
FilesystemPlace place_in_filesystem(std::string_view path, std::span<const Mount> mounts);

// A root, or a mount point below one: the part of it that no other region covers.
struct Region {
  std::string path;        // absolute
  std::string filesystem;  // "ext4"
  std::string device = {};
  std::string mounted_root = {};  // tells two mounts of one filesystem at one point apart
  // Why changes in it cannot all be seen; empty if they can.
  std::string unseen = {};
  // Another region with the same folders, by another mount: one watch cannot tell them apart.
  std::string twin = {};
  friend bool operator==(const Region&, const Region&) = default;
};
// The regions of roots that are absolute and clean, each before those that lie in it.
std::vector<Region> regions_of(std::span<const std::string> roots, std::span<const Mount> mounts);

}  // namespace bloomery::tracker
