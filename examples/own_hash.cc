// A filter over a double hash of your own: here the two halves of Murmur3.
#include <cstdio>

#include "bloomery/filter/classic/classic.h"
#include "bloomery/filter/classic/double_hash.h"
#include "bloomery/hash/murmur3.h"

namespace {

bloomery::Hash128 my_hash(bloomery::ByteView key) noexcept {
  return bloomery::murmur3_x64_128(key);
}

}  // namespace

int main() {
  using Filter = bloomery::ClassicFilter<bloomery::DoubleHash<my_hash>>;
  auto filter = Filter::for_goal({.keys = 1000, .false_positive_rate = 0.01});
  if (!filter) {
    std::fprintf(stderr, "%s\n", filter.error().message.c_str());
    return 1;
  }
  filter->insert(bloomery::bytes_of("apple"));
  for (const char* key : {"apple", "plum"})
    std::printf("%s: %s\n", key, filter->may_contain(bloomery::bytes_of(key)) ? "maybe" : "no");
}
