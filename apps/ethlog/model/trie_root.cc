#include "apps/ethlog/model/trie_root.h"

#include <algorithm>

#include "apps/ethlog/model/rlp.h"

namespace bloomery::ethlog {
namespace {

// rlp(index) as half bytes. No key is the beginning of another, for RLP says its own length: so a
// branch never carries a value of its own.
struct Entry {
  std::array<std::uint8_t, 18> path{};
  std::uint8_t length = 0;
  ByteView value;

  std::span<const std::uint8_t> nibbles() const { return {path.data(), length}; }
  std::span<const std::uint8_t> nibbles_from(std::size_t at) const { return nibbles().subspan(at); }
};

Entry entry_for(std::uint64_t index, ByteView value) {
  RlpWriter writer;
  writer.number(index);
  Entry entry;
  for (const std::byte byte : writer.take()) {
    entry.path[entry.length++] = std::to_integer<std::uint8_t>(byte >> 4);
    entry.path[entry.length++] = std::to_integer<std::uint8_t>(byte & std::byte{15});
  }
  entry.value = value;
  return entry;
}

// The "hex prefix" form of a path: a flag nibble says leaf or extension, and odd or even.
void append_path(RlpWriter& out, std::span<const std::uint8_t> nibbles, bool leaf) {
  std::vector<std::byte> packed;
  const bool odd = nibbles.size() % 2 != 0;
  unsigned first = (leaf ? 0x20U : 0U) | (odd ? 0x10U | nibbles[0] : 0U);
  packed.push_back(static_cast<std::byte>(first));
  for (std::size_t i = odd ? 1 : 0; i < nibbles.size(); i += 2)
    packed.push_back(static_cast<std::byte>(nibbles[i] << 4 | nibbles[i + 1]));
  out.bytes(packed);
}

std::vector<std::byte> node_of(std::span<const Entry> entries, std::size_t depth);

// A node of fewer than 32 bytes stands in its parent itself, a longer one as its hash.
void append_reference(RlpWriter& out, std::span<const Entry> entries, std::size_t depth) {
  const std::vector<std::byte> node = node_of(entries, depth);
  if (node.size() < Hash::kSize)
    out.item(node);
  else
    out.bytes(keccak_hash(node).bytes);
}

void append_branch(RlpWriter& out, std::span<const Entry> entries, std::size_t depth) {
  auto first = entries.begin();
  for (unsigned nibble = 0; nibble < 16; ++nibble) {
    const auto last = std::find_if(first, entries.end(),
                                   [&](const Entry& entry) { return entry.path[depth] != nibble; });
    if (first == last)
      out.bytes({});
    else
      append_reference(out, {first, last}, depth + 1);
    first = last;
  }
  out.bytes({});
}

// Precondition: entries are sorted, not empty, and share their first `depth` nibbles.
std::vector<std::byte> node_of(std::span<const Entry> entries, std::size_t depth) {
  RlpWriter out;
  out.begin_list();
  if (entries.size() == 1) {
    append_path(out, entries[0].nibbles_from(depth), true);
    out.bytes(entries[0].value);
  } else {
    // Sorted, so what the first and the last share is shared by all.
    const auto low = entries.front().nibbles_from(depth);
    const auto high = entries.back().nibbles_from(depth);
    const auto differ = std::mismatch(low.begin(), low.end(), high.begin(), high.end()).first;
    const auto shared = static_cast<std::size_t>(differ - low.begin());
    if (shared > 0) {
      append_path(out, low.first(shared), false);
      append_reference(out, entries, depth + shared);
    } else {
      append_branch(out, entries, depth);
    }
  }
  out.end_list();
  return out.take();
}

}  // namespace

const Hash& empty_trie_root() {
  static constexpr std::byte kEmptyString[] = {std::byte{0x80}};
  static const Hash root = keccak_hash(kEmptyString);
  return root;
}

Hash ordered_trie_root(std::span<const ByteView> values) {
  if (values.empty()) return empty_trie_root();
  std::vector<Entry> entries;
  entries.reserve(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) entries.push_back(entry_for(i, values[i]));
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return std::lexicographical_compare(a.nibbles().begin(), a.nibbles().end(), b.nibbles().begin(),
                                        b.nibbles().end());
  });
  return keccak_hash(node_of(entries, 0));
}

}  // namespace bloomery::ethlog
