// A filter whose key type is known only at run time: a file that a user named.
#include <cstdio>
#include <filesystem>
#include <string>

#include "bloomery/bloomery.h"
#include "bloomery/untyped_filter.h"

int main() {
  const std::string file = std::filesystem::temp_directory_path() / "untyped.bloom";
  bloomery::Filter<std::uint64_t> numbers({.keys = 1000, .false_positive_rate = 0.01});
  numbers.insert(42);
  if (!numbers.save(file)) return 1;

  auto seen = bloomery::UntypedFilter::load(file);
  if (!seen) return 1;
  const auto number = seen->may_contain(42);
  const auto text = seen->may_contain("42");  // read as the filter's key type
  const auto word = seen->may_contain("forty-two");
  std::printf("42: %d, \"42\": %d, forty-two: %s\n", *number, *text, word ? "found" : "an error");
  std::filesystem::remove(file);
}
