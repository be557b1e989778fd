// Filter policies for LevelDB 1.23:
//
//   options.filter_policy = bloomery::NewBloomeryPolicy(10);
//
// As with LevelDB's own NewBloomFilterPolicy, the caller deletes the policy after the database, and
// many threads may use it. Which one to take, and what each promises: docs/leveldb.md.
#pragma once
#include <leveldb/filter_policy.h>

namespace bloomery {

// Under which name filters are written and looked for. Their bytes are the same; LevelDB ignores
// filters under any name but that of the policy it was opened with: slower, never wrong.
enum class BuiltinPolicyName {
  kLevelDb,    // "leveldb.BuiltinBloomFilter2": C++ from 1.18
  kGoLevelDb,  // "leveldb.BuiltinBloomFilter": goleveldb, and C++ before 1.18
};

// The built-in policy, faster: the same bytes under the same name, so that databases can be opened
// with either, in turn. Bits per key are taken to be 0 to 65536.
const leveldb::FilterPolicy* NewBloomeryPolicy(
    int bits_per_key, BuiltinPolicyName name = BuiltinPolicyName::kLevelDb);

// Our own filters, "bloomery.BlockFilter1": never larger than the built-in ones of the same bits
// per key, with a quarter to a tenth fewer false reads, and with a check: a damaged filter costs a
// read, and loses no key. Bits per key are taken to be 1 to 1024.
const leveldb::FilterPolicy* NewBloomeryBlockPolicy(int bits_per_key);

}  // namespace bloomery
