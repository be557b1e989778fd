// Filters of other systems: made, written and read by the name of their format.
#include <array>
#include <cstdio>
#include <string>

#include "bloomery/formats/format.h"

int main() {
  const bloomery::Format* guava = bloomery::find_format("guava");
  bloomery::CreateOptions options;
  options.sizing.keys = 1000;
  options.sizing.rate = 0.01;
  auto filter = guava->create(options);
  if (!filter) {
    std::fprintf(stderr, "%s\n", filter.error().message.c_str());
    return 1;
  }
  const std::array keys{bloomery::bytes_of("apple"), bloomery::bytes_of("plum")};
  std::array<std::uint8_t, 2> answers{};
  if (!bloomery::insert_batch(*filter, std::span{keys}.first(1), std::span{answers}.first(1)))
    return 1;

  const auto bytes = guava->encode(*filter);  // what BloomFilter.readFrom reads in Java
  if (!bytes) return 1;
  const bloomery::Format* guessed = bloomery::guess_format(*bytes);
  if (guessed == nullptr) return 1;
  const auto again = guessed->decode(*bytes, {});
  if (!again || !bloomery::may_contain_batch(*again, keys, answers)) return 1;
  std::printf("%s: apple %d, plum %d\n", std::string{guessed->name}.c_str(), answers[0],
              answers[1]);
  std::printf("%zu bytes\n", bytes->size());
}
