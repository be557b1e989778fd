// What a program that uses the library looks like from outside: a typed filter and one format.
#include <bloomery/bloomery.h>
#include <bloomery/formats/format.h>

#include <cstdio>
#include <string>

int main() {
  bloomery::Filter<std::string> seen({.keys = 1000, .false_positive_rate = 0.01});
  seen.insert("a key");
  const bool right = seen.may_contain("a key") && !seen.may_contain("another") &&
                     bloomery::find_format("guava") != nullptr;
  std::puts(right ? "the library answers" : "the library is wrong");
  return right ? 0 : 1;
}
