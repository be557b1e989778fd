// A filter file that several programs add to: each holds the lock from its load to its save.
#include <cstdio>
#include <filesystem>
#include <string>

#include "bloomery/base/file_lock.h"
#include "bloomery/bloomery.h"

using Seen = bloomery::Filter<std::string>;

bloomery::Status remember(const std::string& file, const std::string& key) {
  const auto lock = bloomery::FileLock::acquire(file);
  if (!lock) return lock.error();
  auto seen = lock->held() ? Seen::load(file)  // not held: there is no file yet
                           : Seen::for_goal({.keys = 1000, .false_positive_rate = 0.01});
  if (!seen) return seen.error();
  seen->insert(key);
  return seen->save(file, &*lock);
}

int main() {
  const std::string file = std::filesystem::temp_directory_path() / "update.bloom";
  std::filesystem::remove(file);
  for (const char* key : {"apple", "plum"}) {
    if (auto saved = remember(file, key); !saved) {
      std::fprintf(stderr, "%s\n", saved.error().message.c_str());
      return 1;
    }
  }
  const auto seen = Seen::load(file);
  if (!seen) return 1;
  for (const char* key : {"apple", "plum", "pear"})
    std::printf("%s: %s\n", key, seen->may_contain(key) ? "maybe" : "no");
  std::filesystem::remove(file);
}
