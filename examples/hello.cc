// A filter of strings: insert, query, health, save and load.
#include <cstdio>
#include <filesystem>

#include "bloomery/bloomery.h"

int main() {
  bloomery::Filter<std::string> seen({.keys = 1'000'000, .false_positive_rate = 0.01});
  seen.insert("apple");

  std::printf("seen: %s\n", seen.may_contain("apple") ? "maybe" : "no");
  std::printf("never seen: %s\n", seen.may_contain("plum") ? "maybe" : "no");

  const bloomery::Health health = seen.health();
  std::printf("health: %s\n", std::string{bloomery::verdict_name(health.verdict)}.c_str());

  const auto file = std::filesystem::temp_directory_path() / "hello.bloom";
  if (auto saved = seen.save(file); !saved) {
    std::fprintf(stderr, "%s\n", saved.error().message.c_str());
    return 1;
  }
  const auto again = bloomery::Filter<std::string>::load(file);
  if (!again) {
    std::fprintf(stderr, "%s\n", again.error().message.c_str());
    return 1;
  }
  std::printf("loaded again: %s\n", again->may_contain("apple") ? "maybe" : "no");
  std::filesystem::remove(file);
}
