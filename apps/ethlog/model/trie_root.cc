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

// What stands for a node in its parent: the node itself below 32 bytes, else its hash.
void append_node(RlpWriter& out, ByteView node) {
  if (node.size() < Hash::kSize)
    out.item(node);
  else
    out.bytes(keccak_hash(node).bytes);
}

std::size_t shared_nibbles(const Entry& a, const Entry& b) {
  const auto first = a.nibbles();
  const auto second = b.nibbles();
  const auto differ = std::mismatch(first.begin(), first.end(), second.begin(), second.end()).first;
  return static_cast<std::size_t>(differ - first.begin());
}

// The leaves of a trie, and their hashes, which are most of the work: computed together.
class Leaves {
 public:
  // Precondition: entries are sorted, and at least two.
  explicit Leaves(std::span<const Entry> entries) : first_{entries.data()} {
    nodes_.reserve(entries.size());
    for (std::size_t i = 0; i < entries.size(); ++i) {
      // Its branch is where it parts from the neighbour that it shares most with.
      const std::size_t before = i == 0 ? 0 : shared_nibbles(entries[i - 1], entries[i]);
      const std::size_t after =
          i + 1 == entries.size() ? 0 : shared_nibbles(entries[i], entries[i + 1]);
      nodes_.push_back(leaf_of(entries[i], std::max(before, after) + 1));
    }
    const std::vector<ByteView> views{nodes_.begin(), nodes_.end()};
    hashes_ = keccak_hashes(views);
  }

  static std::vector<std::byte> leaf_of(const Entry& entry, std::size_t depth) {
    RlpWriter out;
    out.begin_list();
    append_path(out, entry.nibbles_from(depth), true);
    out.bytes(entry.value);
    out.end_list();
    return out.take();
  }

  void append(RlpWriter& out, const Entry& entry) const {
    const auto i = static_cast<std::size_t>(&entry - first_);
    if (nodes_[i].size() < Hash::kSize)
      out.item(nodes_[i]);
    else
      out.bytes(hashes_[i].bytes);
  }

 private:
  const Entry* first_;
  std::vector<std::vector<std::byte>> nodes_;
  std::vector<Hash> hashes_;
};

std::vector<std::byte> node_of(std::span<const Entry> entries, std::size_t depth,
                               const Leaves& leaves);

void append_reference(RlpWriter& out, std::span<const Entry> entries, std::size_t depth,
                      const Leaves& leaves) {
  if (entries.size() == 1)
    leaves.append(out, entries[0]);
  else
    append_node(out, node_of(entries, depth, leaves));
}

void append_branch(RlpWriter& out, std::span<const Entry> entries, std::size_t depth,
                   const Leaves& leaves) {
  auto first = entries.begin();
  for (unsigned nibble = 0; nibble < 16; ++nibble) {
    const auto last = std::find_if(first, entries.end(),
                                   [&](const Entry& entry) { return entry.path[depth] != nibble; });
    if (first == last)
      out.bytes({});
    else
      append_reference(out, {first, last}, depth + 1, leaves);
    first = last;
  }
  out.bytes({});
}

// Precondition: at least two entries, sorted, which share their first `depth` nibbles.
std::vector<std::byte> node_of(std::span<const Entry> entries, std::size_t depth,
                               const Leaves& leaves) {
  RlpWriter out;
  out.begin_list();
  // Sorted, so what the first and the last share is shared by all.
  const std::size_t shared = shared_nibbles(entries.front(), entries.back()) - depth;
  if (shared > 0) {
    append_path(out, entries.front().nibbles_from(depth).first(shared), false);
    append_reference(out, entries, depth + shared, leaves);
  } else {
    append_branch(out, entries, depth, leaves);
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
  if (entries.size() == 1) return keccak_hash(Leaves::leaf_of(entries[0], 0));
  return keccak_hash(node_of(entries, 0, Leaves{entries}));
}

}  // namespace bloomery::ethlog
