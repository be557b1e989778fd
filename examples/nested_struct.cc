// A struct inside a struct as a key: each has a funnel, and the outer one calls the inner one.
#include <iostream>
#include <string>

#include "bloomery/formats/go_bloom.h"
#include "bloomery/funnel/keyed.h"

struct Address {
  std::string city;
  std::uint32_t postcode;
};
struct Person {
  std::string name;
  Address home;
};
struct AddressFunnel {
  using Key = Address;
  void operator()(const Address& address, bloomery::ByteSink& sink) const {
    sink.put_u32(address.postcode);
    sink.put(bloomery::Utf8Funnel{}, address.city);
  }
};
struct PersonFunnel {
  using Key = Person;
  void operator()(const Person& person, bloomery::ByteSink& sink) const {
    sink.put(AddressFunnel{}, person.home);
    sink.put_u8(0);  // a border, so that ("Bern", "Anna") and ("Ber", "nAnna") are two keys
    sink.put(bloomery::Utf8Funnel{}, person.name);
  }
};

using People = bloomery::ClassicFilter<bloomery::GoBloom>;

int main() {
  bloomery::Keyed<PersonFunnel, People> seen{*People::for_goal({1000, 0.001})};
  seen.insert({"Anna", {"Bern", 3000}});
  std::cout << seen.may_contain({"Anna", {"Bern", 3000}})
            << seen.may_contain({"Anna", {"Basel", 4000}}) << '\n';
}
