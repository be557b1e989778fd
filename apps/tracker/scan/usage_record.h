// A folder in a usage cache: its name, its own usage, and the usage of its subtree. Records of the
// folders in it lie within its record, so a whole subtree is one run of bytes that can be copied.
#pragma once
#include <optional>
#include <string_view>
#include <vector>

#include "apps/tracker/scan/usage.h"
#include "bloomery/base/bytes.h"

namespace bloomery::tracker {

struct FolderRecord {
  std::string_view name;       // empty for the root of the tree
  std::uint64_t identity = 0;  // as the folder that it is in had it: its inode
  std::uint32_t born = 0;      // as it had itself: an inode may be used again
  bool due = false;        // it was not, or not wholly, read: it is read next time, come what may
  bool due_below = false;  // one of those below it is due
  bool linked = false;  // a file in it has a name in another folder: what changes it through that
                        // is reported elsewhere, so the folder is read every time
  bool linked_below = false;
  std::uint64_t scan = 0;  // what is not due is as that scan found it, here and below; or as a
                           // later one did, where a folder above says so
  Usage own;
  Usage total;                // with all below
  std::uint64_t folders = 1;  // itself and all below
  ByteView children;          // the records of the folders in it, by name
  ByteView all;               // the bytes of this record
};

bool is_folder_name(std::string_view name);  // neither empty nor "." nor "..", no slash, no zero

// The record that begins where the bytes do; empty where there is none, or one that contradicts
// itself. What lies within `children` is not looked at.
std::optional<FolderRecord> read_record(ByteView bytes);

// One of the folders in a folder: enough to find it, and to go on to the next.
struct ChildRecord {
  std::string_view name;
  std::uint64_t identity = 0;
  ByteView all;
};
// False, and some of them, where they contradict themselves or are not in order.
bool read_children(ByteView children, std::vector<ChildRecord>& found);

// Every record of a tree, down to the last: sums, order and flags.
bool is_whole_tree(ByteView root);

// What is known of a folder once all below it is done.
struct FolderEnd {
  bool due = false;
  bool due_below = false;
  std::uint64_t scan = 0;
  Usage total = {};
  std::uint64_t folders = 1;
  bool linked = false;
  bool linked_below = false;

  void add(const FolderEnd& below);  // of a folder in this one
};

// And what is known before.
struct FolderHead {
  std::string_view name = {};
  std::uint64_t identity = 0;
  std::uint32_t born = 0;
  Usage own = {};
  bool linked = false;
};

// Of a folder that was read from the cache.
FolderHead head_of(const FolderRecord& folder);
FolderEnd end_of(const FolderRecord& folder);

// Appended to `out`. A folder with others in it: begin, their records, end.
void put_leaf(std::vector<std::byte>& out, const FolderHead& head, std::uint64_t scan, bool due);
std::size_t begin_record(std::vector<std::byte>& out, const FolderHead& head);
void end_record(std::vector<std::byte>& out, std::size_t begun, const FolderEnd& end);

}  // namespace bloomery::tracker
