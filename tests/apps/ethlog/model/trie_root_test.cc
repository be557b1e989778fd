#include "apps/ethlog/model/trie_root.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "apps/ethlog/model/rlp.h"

namespace bloomery::ethlog {
namespace {

// The definition, node by node: what ordered_trie_root computes many leaves at a time.
using Path = std::vector<unsigned>;
using Entries = std::map<Path, ByteView>;

std::vector<std::byte> hex_prefix(const Path& path, bool leaf) {
  std::vector<std::byte> packed{
      static_cast<std::byte>((leaf ? 0x20U : 0U) | (path.size() % 2 != 0 ? 0x10U | path[0] : 0U))};
  for (std::size_t i = path.size() % 2; i < path.size(); i += 2)
    packed.push_back(static_cast<std::byte>(path[i] << 4 | path[i + 1]));
  return packed;
}

std::vector<std::byte> node_by_definition(const Entries& entries);

void refer_by_definition(RlpWriter& out, const Entries& entries) {
  const auto node = node_by_definition(entries);
  if (node.size() < 32)
    out.item(node);
  else
    out.bytes(keccak_hash(node).bytes);
}

Entries without_first(const Entries& entries, std::size_t count) {
  Entries rest;
  for (const auto& [path, value] : entries)
    rest[Path{path.begin() + static_cast<std::ptrdiff_t>(count), path.end()}] = value;
  return rest;
}

std::vector<std::byte> node_by_definition(const Entries& entries) {
  RlpWriter out;
  out.begin_list();
  const Path& first = entries.begin()->first;
  std::size_t shared = first.size();
  for (const auto& [path, value] : entries)
    while (!std::equal(first.begin(), first.begin() + static_cast<std::ptrdiff_t>(shared),
                       path.begin()))
      --shared;
  if (entries.size() == 1) {
    out.bytes(hex_prefix(first, true));
    out.bytes(entries.begin()->second);
  } else if (shared > 0) {
    out.bytes(
        hex_prefix({first.begin(), first.begin() + static_cast<std::ptrdiff_t>(shared)}, false));
    refer_by_definition(out, without_first(entries, shared));
  } else {
    for (unsigned nibble = 0; nibble < 16; ++nibble) {
      Entries below;
      for (const auto& [path, value] : entries)
        if (path[0] == nibble) below[path] = value;
      if (below.empty())
        out.bytes({});
      else
        refer_by_definition(out, without_first(below, 1));
    }
    out.bytes({});
  }
  out.end_list();
  return out.take();
}

Hash root_by_definition(const std::vector<ByteView>& values) {
  Entries entries;
  for (std::size_t i = 0; i < values.size(); ++i) {
    RlpWriter key;
    key.number(i);
    Path path;
    for (const std::byte byte : key.take()) {
      path.push_back(std::to_integer<unsigned>(byte >> 4));
      path.push_back(std::to_integer<unsigned>(byte & std::byte{15}));
    }
    entries[path] = values[i];
  }
  return keccak_hash(node_by_definition(entries));
}

TEST(TrieRoot, IsThatOfTheDefinition) {
  std::mt19937_64 random{8};
  for (const std::size_t count :
       {1U, 2U, 3U, 15U, 16U, 17U, 127U, 128U, 129U, 200U, 256U, 257U, 300U, 1000U})
    for (const std::size_t longest : {3U, 33U, 1200U}) {  // leaves within branches, and by hash
      std::vector<std::vector<std::byte>> bytes(count);
      for (auto& value : bytes) {
        value.resize(1 + random() % longest);
        for (std::byte& byte : value) byte = static_cast<std::byte>(random());
      }
      const std::vector<ByteView> values{bytes.begin(), bytes.end()};
      ASSERT_EQ(ordered_trie_root(values), root_by_definition(values))
          << count << " values of up to " << longest << " bytes";
    }
}

TEST(KeccakHashes, AreThoseOfEachInItsPlace) {
  std::vector<std::vector<std::byte>> bytes;
  for (std::size_t i = 0; i < 90; ++i) bytes.emplace_back(i * 37 % 500, static_cast<std::byte>(i));
  const std::vector<ByteView> views{bytes.begin(), bytes.end()};
  const std::vector<Hash> hashes = keccak_hashes(views);
  for (std::size_t i = 0; i < views.size(); ++i) EXPECT_EQ(hashes[i], keccak_hash(views[i]));
  EXPECT_TRUE(keccak_hashes({}).empty());
}

}  // namespace
}  // namespace bloomery::ethlog
