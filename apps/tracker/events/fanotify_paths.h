// From a folder's file handle to where it is: opened by its handle, and remembered until a folder
// is renamed.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "bloomery/base/result.h"

namespace bloomery::tracker {

// Filesystem and handle of what lies at a path, as FanotifyEvent::folder has them.
Result<std::string> handle_at(const std::string& path);

class FanotifyPaths {
 public:
  // Where a filesystem is mounted: a path on it, through which its handles are opened.
  struct Entrance {
    std::string path;        // absolute
    std::string filesystem;  // the first bytes of its handles
  };
  void set_entrances(std::vector<Entrance> entrances);

  struct Place {
    std::string path;      // clean
    bool is_deep = false;  // longer than the system can say: a folder above it
  };
  struct Answer {
    // One for each entrance, equal ones left out. Empty for a filesystem that is none of ours, and
    // for a folder that is gone.
    const std::vector<Place>* places = nullptr;
    bool is_gone = false;
    // One of the entrances leads nowhere now: the folder above it was moved, or it was unmounted.
    bool lost_entrance = false;
    int error = 0;  // why it could not be opened, if not because it is gone
  };
  // The places are valid until the next call.
  Answer find(std::string_view folder);

  // Where a file is. A file whose name no program has looked up yet has none that the kernel knows.
  struct FileAnswer {
    std::vector<std::string> paths = {};  // clean; each led to the file a moment ago
    bool is_gone = false;                 // it has no name any more
  };
  FileAnswer find_file(std::string_view file) const;
  void forget() { known_.clear(); }

 private:
  static constexpr std::size_t kMostKnown = 1 << 16;
  static std::optional<Place> place_of(int fd);
  Answer look_up(std::string_view folder, std::vector<Place>& places) const;
  struct Opened;  // what a handle stands for, opened through one entrance
  static Opened open_through(const Entrance& entrance, std::string_view handle, int flags);

  std::vector<Entrance> entrances_;
  std::unordered_map<std::string, std::vector<Place>> known_;
  std::string key_;
  std::vector<Place> last_;
};

}  // namespace bloomery::tracker
