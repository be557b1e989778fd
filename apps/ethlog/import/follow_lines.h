// The lines of a file that another program appends to: each as soon as it is whole, for as long as
// it is wanted. Also what makes a folder's new files known.
#pragma once
#include <sys/types.h>

#include <chrono>
#include <stop_token>

#include "apps/ethlog/model/lines.h"

namespace bloomery::ethlog {

// Waits, without using the processor, until that long has passed (true) or it is stopped.
bool rest(const std::stop_token& stop, std::chrono::milliseconds time);

// Called by the thread that asks for the next line.
struct TailCalls {
  std::function<void()> on_idle = [] {};   // before every wait
  std::function<void()> on_again = [] {};  // before the lines of a file are read from its beginning
                                           // because it was replaced or cut short
};

// An error where what is at the path cannot be followed: a pipe or device, or a compressed file,
// which has no lines before it is complete. Nothing there yet is no error.
Status check_followable(const std::filesystem::path& path);

// Waits for the next line, and for the file itself; nothing when stopped. What cannot be followed
// is an error once, and waited for until it is replaced. A file that was replaced or cut short is
// read from its beginning. A line that is too long is an error, and the next call goes on behind
// it.
LineSource tail_lines(const std::filesystem::path& path, std::chrono::milliseconds poll,
                      const std::stop_token& stop, TailCalls calls,
                      std::size_t most_bytes = kMostLineBytes);

// Files that were closed after writing, or moved into a folder.
class FolderWatch {
 public:
  static Result<FolderWatch> open(const std::filesystem::path& folder);
  FolderWatch(FolderWatch&& other) noexcept
      : descriptor_{std::exchange(other.descriptor_, -1)},
        folder_{std::move(other.folder_)},
        device_{other.device_},
        inode_{other.inode_} {}
  FolderWatch& operator=(FolderWatch&&) = delete;
  ~FolderWatch();

  struct News {
    std::vector<std::string> names;  // in the order of time
    bool everything = false;         // some got lost: look at the whole folder
    bool gone = false;               // the folder is not at its path any more, or another one is
  };
  // Waits for the first one, at most that long.
  Result<News> wait(std::chrono::milliseconds most);

 private:
  FolderWatch(int descriptor, std::filesystem::path folder)
      : descriptor_{descriptor}, folder_{std::move(folder)} {}
  bool is_at_its_path() const;
  int descriptor_;
  std::filesystem::path folder_;
  dev_t device_ = 0;
  ino_t inode_ = 0;
};

}  // namespace bloomery::ethlog
