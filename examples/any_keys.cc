// A filter of a file whose key type the program learns when it opens it.
#include <cstdio>
#include <filesystem>

#include "bloomery/bloomery.h"

int main() {
  const auto file = std::filesystem::temp_directory_path() / "orders.bloom";
  bloomery::Filter<std::int64_t> orders({.keys = 1000, .false_positive_rate = 0.001});
  orders.insert(4711);
  if (!orders.save(file)) return 1;

  const auto filter = bloomery::UntypedFilter::load(file);
  std::filesystem::remove(file);
  if (!filter) {
    std::fprintf(stderr, "%s\n", filter.error().message.c_str());
    return 1;
  }
  std::printf("keys: %s\n", std::string{bloomery::funnel_name(filter->funnel())}.c_str());
  for (const bloomery::AnyKey& key : {bloomery::AnyKey{4711}, bloomery::AnyKey{"4711"},
                                      bloomery::AnyKey{12}, bloomery::AnyKey{"apple"}}) {
    const auto answer = filter->may_contain(key);
    std::printf("%s\n", !answer ? "not a key" : *answer ? "maybe" : "no");
  }
}
