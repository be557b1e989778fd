// A server for tests of the module without one: a keyspace, replies, what is sent to replicas, and
// memory that runs out on demand.
#pragma once
#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "apps/redis/server/redis_api.h"

namespace bloomery::testing {

// The n-th allocation from here on fails, of operator new and of the server's that may fail alike.
class FailNth {
 public:
  explicit FailNth(std::size_t n);
  ~FailNth();
  FailNth(const FailNth&) = delete;
  FailNth& operator=(const FailNth&) = delete;
  static bool happened();
};
std::int64_t live_allocations();  // of this program: made and not freed

class FakeServer {
 public:
  using Words = std::vector<std::string>;
  struct Reply {
    bool complete = false;  // one reply, and every element of it
    std::size_t errors = 0;
    bool is_error = false;  // nothing but an error
    std::string text;       // for messages
  };
  using Field = std::variant<std::uint64_t, double, std::string>;
  using Fields = std::vector<Field>;

  explicit FakeServer(int flags = 0);  // of GetContextFlags; registers the module's commands
  ~FakeServer();
  FakeServer(const FakeServer&) = delete;
  FakeServer& operator=(const FakeServer&) = delete;

  Reply run(const Words& words);
  std::map<std::string, Fields> state();  // every key, as it would be saved
  // False: refused. True: it is at the key.
  bool restore(const std::string& key, const std::string& like, const Fields& fields, int encoding);
  bool copy(const std::string& from, const std::string& to);

  struct Type {
    std::string name;
    redis_module::TypeMethods methods;
  };
  struct Entry {
    Type* type = nullptr;
    void* value = nullptr;
  };
  std::map<std::string, Entry> keys;
  std::vector<Words> sent;  // to replicas, since the last run()
  std::vector<std::pair<char, std::string>> replies;
  std::vector<std::size_t> sizes;
  int flags;
  const Words* running = nullptr;
};

}  // namespace bloomery::testing
