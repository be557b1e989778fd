// A filter in front of a database: absent keys are answered without a read.
#include <cstdio>
#include <string>
#include <unordered_map>

#include "bloomery/bloomery.h"

class Users {
 public:
  void add(const std::string& name, int age) {
    table_.emplace(name, age);
    known_.insert(name);
  }
  // The age of a user, or -1.
  int find(const std::string& name) {
    if (!known_.may_contain(name)) return -1;  // certainly absent: no read
    ++reads_;
    const auto found = table_.find(name);
    return found == table_.end() ? -1 : found->second;  // "maybe" can be wrong: look
  }
  int reads() const { return reads_; }

 private:
  std::unordered_map<std::string, int> table_;  // stands for the database
  bloomery::Filter<std::string> known_{{.keys = 10'000, .false_positive_rate = 0.01}};
  int reads_ = 0;
};

int main() {
  Users users;
  for (int i = 0; i < 10'000; ++i) users.add("user " + std::to_string(i), i % 90);

  std::printf("user 7: %d\n", users.find("user 7"));
  for (int i = 0; i < 100'000; ++i) users.find("absent " + std::to_string(i));
  std::printf("reads for 100,000 absent keys: %s\n",
              users.reads() < 1500 ? "under 1.5 %" : "too many");
}
