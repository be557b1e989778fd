// Writes and reads a database of 20,000 keys with one of the policies, for live_policies.py.
//   policy_tool write|read builtin|compatible|go|block DIR
// `read` prints how many keys were lost and how many blocks were read for as many absent keys.
#include <leveldb/cache.h>

#include <cstdio>
#include <cstdlib>

#include "bloomery/leveldb/filter_policy.h"
#include "tests/apps/leveldb/counting_env.h"

namespace {

using bloomery::testing::Policy;

constexpr int kKeys = 20000;

Policy policy_named(const std::string& name) {
  if (name == "builtin") return Policy{leveldb::NewBloomFilterPolicy(10)};
  if (name == "go")
    return Policy{bloomery::NewBloomeryPolicy(10, bloomery::BuiltinPolicyName::kGoLevelDb)};
  if (name == "block") return Policy{bloomery::NewBloomeryBlockPolicy(10)};
  return Policy{bloomery::NewBloomeryPolicy(10)};
}

std::string key_of(int i) { return "key " + std::to_string(1000000 + i); }

int write_all(leveldb::DB& database) {
  for (int i = 0; i < kKeys; ++i) {
    const std::string key = key_of(i * 7919 % kKeys);
    if (!database.Put({}, key, "value of " + key + std::string(80, '.')).ok()) return 1;
  }
  database.CompactRange(nullptr, nullptr);
  return 0;
}

int read_all(leveldb::DB& database, const std::atomic<std::uint64_t>& reads) {
  std::string value;
  int lost = 0;
  for (int i = 0; i < kKeys; ++i) lost += database.Get({}, key_of(i), &value).ok() ? 0 : 1;
  const std::uint64_t before = reads;
  for (int i = 0; i < kKeys; ++i)
    if (!database.Get({}, key_of(i) + " absent", &value).IsNotFound()) return 1;
  std::printf("%d %llu\n", lost, static_cast<unsigned long long>(reads - before));
  return 0;
}

}  // namespace

int main(int count, char** values) {
  if (count != 4) return 2;
  const bool write = std::string{values[1]} == "write";
  const Policy policy = policy_named(values[2]);
  bloomery::testing::CountingEnv env;
  const std::unique_ptr<leveldb::Cache> nothing{leveldb::NewLRUCache(0)};
  leveldb::Options options;
  options.env = &env;
  options.block_cache = nothing.get();
  options.write_buffer_size = 256 << 10;
  options.create_if_missing = write;
  options.filter_policy = policy.get();
  leveldb::DB* opened = nullptr;
  if (!leveldb::DB::Open(options, values[3], &opened).ok()) return 1;
  const std::unique_ptr<leveldb::DB> database{opened};
  return write ? write_all(*database) : read_all(*database, env.reads);
}
