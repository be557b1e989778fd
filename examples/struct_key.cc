// A struct as a key: its funnel says which bytes stand for it.
#include <cstdint>
#include <cstdio>
#include <string>

#include "bloomery/bloomery.h"

struct Visit {
  std::string page;
  std::uint64_t visitor;

  struct Funnel {
    using Key = Visit;
    void operator()(const Visit& visit, bloomery::ByteSink& sink) const {
      sink.put_u64(visit.visitor);  // of fixed length, so it comes first
      sink.put(bloomery::Utf8Funnel{}, visit.page);
    }
  };
};

int main() {
  bloomery::Filter<Visit> seen({.keys = 1000, .false_positive_rate = 0.001});
  seen.insert({"/index", 7});
  std::printf("visitor 7: %s\n", seen.may_contain({"/index", 7}) ? "maybe" : "no");
  std::printf("visitor 8: %s\n", seen.may_contain({"/index", 8}) ? "maybe" : "no");
}
