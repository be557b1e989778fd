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
  auto seen = Seen::load(file);
  if (!seen) return seen.error();
  seen->insert(key);
  return seen->save(file, &*lock);
}

int main() {
  const std::string file = std::filesystem::temp_directory_path() / "update.bloom";
  std::filesystem::remove(file);
  const auto missing = remember(file, "apple");
  std::printf("before it exists: %s\n", missing ? "saved" : "an error");

  if (!Seen{{.keys = 1000, .false_positive_rate = 0.01}}.save(file)) return 1;
  if (!remember(file, "apple") || !remember(file, "plum")) return 1;
  const auto seen = Seen::load(file);
  std::printf("apple: %s, plum: %s\n", seen->may_contain("apple") ? "maybe" : "no",
              seen->may_contain("plum") ? "maybe" : "no");
  std::filesystem::remove(file);
}
