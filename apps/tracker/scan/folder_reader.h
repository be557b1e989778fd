// The folders of a scan: on a disk, or in a test's memory. A reader has a current folder and moves
// down by a name and up again.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "apps/tracker/scan/usage.h"

namespace bloomery::tracker {

enum class FolderOutcome : std::uint8_t {
  kRead,
  kGone,        // there is no such folder, or no longer
  kElsewhere,   // it belongs to another file system, and those are left out
  kUnreadable,  // not, or not all of it: what was found is in the listing
};

struct FolderName {
  std::string name;
  std::uint64_t identity = 0;  // another number: another folder, though it has the same name
};

// A file with more than one name. A change made through another of them is reported there.
struct LinkedFile {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::uint64_t names = 0;
  friend bool operator==(const LinkedFile&, const LinkedFile&) = default;
};

struct Listing {
  Usage own;                        // the files in it, without those of the folders in it
  std::vector<FolderName> folders;  // in the order of their names' bytes
  std::vector<LinkedFile> linked;   // of the files, those with further names, once for each here
  std::uint64_t device = 0;         // of the folder: one that is mounted twice is read twice
  std::uint64_t inode = 0;
  std::uint32_t born = 0;  // another number: another folder. From its time of birth, 0 if unknown
  std::string problem;     // if kUnreadable: what the system said
};

class FolderReader {
 public:
  FolderReader() = default;
  FolderReader(const FolderReader&) = delete;
  FolderReader& operator=(const FolderReader&) = delete;
  virtual ~FolderReader() = default;

  virtual void enter(std::string_view name) = 0;  // costs nothing until something is read
  virtual void leave() = 0;
  virtual FolderOutcome read(Listing& listing) = 0;  // of the place it is at
};

}  // namespace bloomery::tracker
