// A fixed number of operations by one row of the kernel tables, for a tool that counts instructions
// (arm64_instructions.py). Prints nothing: what it does besides must not depend on the count.
//   instructions_per_key ROW OPERATION PROBES COUNT
#include <cstdlib>
#include <iostream>
#include <string_view>
#include <vector>

#include "bloomery/layout/block_sizing.h"
#include "bloomery/simd/bit_matrix_kernels.h"
#include "bloomery/simd/block_kernels.h"
#include "bloomery/simd/keccak_kernels.h"

namespace {

using namespace bloomery;

constexpr std::uint64_t kBlocks = 1000;
constexpr std::size_t kMostKeys = 1024;
constexpr std::size_t kKeyBytes = 23;

template <class Row>
const Row* row_named(std::span<const Row> rows, std::string_view name) {
  for (const Row& row : rows)
    if (row.name == name) return &row;
  return nullptr;
}

struct Keys {
  std::vector<std::uint64_t> numbers = std::vector<std::uint64_t>(kMostKeys);
  std::vector<std::byte> text = std::vector<std::byte>(kMostKeys * kKeyBytes);
  std::vector<ByteView> views;
  Keys() {
    for (std::size_t i = 0; i < kMostKeys; ++i) numbers[i] = i * 0x9e3779b97f4a7c15U;
    for (std::size_t i = 0; i < text.size(); ++i) text[i] = static_cast<std::byte>(i * i >> 3);
    for (std::size_t i = 0; i < kMostKeys; ++i)
      views.push_back(ByteView{text}.subspan(i * kKeyBytes, kKeyBytes));
  }
};

// Whether there is such an operation. One key at a time in batches of one call each, as Filter<T>
// makes them.
template <class Key>
bool act(const simd::KeyKernels<Key>& kernels, std::string_view operation,
         const simd::BlockTarget& target, std::span<const Key> keys, std::size_t& sum) {
  const simd::OneKey<Key> one = kernels.one_key(target);
  if (operation == "lookup")
    for (const Key& key : keys) sum += one.may_contain(target, key) ? 1 : 0;
  else if (operation == "insert")
    for (const Key& key : keys) sum += one.insert(target, key) ? 1 : 0;
  else if (operation == "lookup-batch")
    sum += kernels.may_contain_batch(target, keys.data(), keys.size(), {});
  else if (operation == "insert-batch")
    sum += kernels.insert_batch(target, keys.data(), keys.size(), {});
  else if (operation == "add-batch")
    sum += kernels.add_batch(target, keys.data(), keys.size(), {});
  else
    return false;
  return true;
}

bool act_on_matrix(const simd::BitMatrixKernels& kernels, std::string_view operation,
                   std::size_t count, std::size_t& sum) {
  constexpr std::size_t kRowBytes = 64;
  constexpr std::size_t kRows = 64;
  std::vector<std::byte> rows(kRows * kRowBytes), columns(kRows * kRowBytes);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<std::byte>(i * i >> 2);
  const std::byte* three[3] = {rows.data(), rows.data() + 1024, rows.data() + 2048};
  std::vector<std::uint64_t> positions(1024 * 8 + simd::BitMatrixKernels::kPositionsSlack);
  for (std::size_t i = 0; i < count; ++i) {
    if (operation == "transpose")
      kernels.transpose(rows.data(), kRows, kRowBytes, columns.data(), 8);
    else if (operation == "and-rows")
      sum += kernels.and_rows(three, 3, columns.data(), 1024) ? 1 : 0;
    else if (operation == "positions")
      sum += kernels.positions(rows.data(), 1024, 0, positions.data());
    else
      return false;
  }
  return true;
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 5) return 2;
  const std::string_view name = arguments[1];
  std::string_view operation = arguments[2];
  const auto probes = static_cast<std::uint32_t>(std::atoi(arguments[3]));
  const auto keys_wanted = static_cast<std::size_t>(std::atoi(arguments[4]));
  const auto* block = row_named(simd::block_kernels(), name);
  const auto* keccak = row_named(simd::keccak_kernels(), name);
  const auto* matrix = row_named(simd::bit_matrix_kernels(), name);
  if (block == nullptr || keccak == nullptr || matrix == nullptr || keys_wanted > kMostKeys ||
      !checked(BlockShape{kBlocks, probes})) {
    std::cerr << "no such row, number of probes or of keys\n";
    return 2;
  }
  const Keys keys;
  std::vector<std::byte> blocks(kBlocks * block::kBlockBytes + block::kBlockBytes);
  auto* const aligned = reinterpret_cast<std::byte*>(
      (reinterpret_cast<std::uintptr_t>(blocks.data()) + 63) / 64 * 64);
  const simd::BlockTarget target{aligned, kBlocks, nullptr, probes, Hasher{Profile::kAes, 0}};
  (void)block->numbers.insert_batch(target, keys.numbers.data(), kMostKeys / 2, {});

  std::size_t sum = 0;
  bool known = true;
  if (operation == "keccak") {
    std::vector<simd::Keccak256Digest> digests(kMostKeys);
    keccak->hash(keys.views.data(), keys_wanted, digests.data());
  } else if (operation.starts_with("bytes-")) {
    operation.remove_prefix(6);
    known = act<ByteView>(block->bytes, operation, target, std::span{keys.views}.first(keys_wanted),
                          sum);
  } else if (operation == "transpose" || operation == "and-rows" || operation == "positions") {
    known = act_on_matrix(*matrix, operation, keys_wanted, sum);
  } else {
    known = act<std::uint64_t>(block->numbers, operation, target,
                               std::span{keys.numbers}.first(keys_wanted), sum);
  }
  asm volatile("" : : "r"(sum));
  if (!known) std::cerr << "no such operation\n";
  return known ? 0 : 2;
}
