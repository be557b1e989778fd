// A program that links bloomery::core alone: a typed filter, a format of bare bits, and a header by
// the name it had in version 0.1.
#include <bloomery/bloomery.h>
#include <bloomery/filter/classic.h>
#include <bloomery/formats/guava.h>

#include <cstdio>
#include <string>

int main() {
  const auto secret = bloomery::sip_key_from_secret(bloomery::bytes_of("open sesame"));
  auto seen = bloomery::Filter<std::string>::for_goal(
      {.keys = 1000, .false_positive_rate = 0.01},
      bloomery::Hasher{bloomery::Profile::kSiphash, 0, secret});
  if (!seen) return 1;
  seen->insert("a key");
  bloomery::ClassicFilter<bloomery::GuavaMitz64> guava{bloomery::Shape{9600, 7}};
  guava.insert(bloomery::bytes_of("a key"));
  const bool right = seen->may_contain("a key") && !seen->may_contain("another") &&
                     !guava.may_contain(bloomery::bytes_of("another"));
  std::puts(right ? "the library answers" : "the library is wrong");
  return right ? 0 : 1;
}
