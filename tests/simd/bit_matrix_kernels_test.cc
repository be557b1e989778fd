#include "bloomery/simd/bit_matrix_kernels.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace bloomery::simd {
namespace {

using Bytes = std::vector<std::byte>;

// One bit in `sparse` on average is set, so that whole rows come out empty now and then.
Bytes random_bytes(std::mt19937_64& random, std::size_t size, std::size_t sparse) {
  Bytes bytes(size);
  for (std::size_t bit = 0; bit < 8 * size; ++bit)
    if (random() % sparse == 0) bytes[bit / 8] |= std::byte{1} << (bit % 8);
  return bytes;
}

struct Rows {
  Rows(std::mt19937_64& random, std::size_t count, std::size_t size, std::size_t sparse) {
    for (std::size_t i = 0; i < count; ++i) bytes.push_back(random_bytes(random, size, sparse));
    for (const Bytes& row : bytes) pointers.push_back(row.data());
  }
  std::vector<Bytes> bytes;
  std::vector<const std::byte*> pointers;
};

Bytes and_of(const Rows& rows, std::size_t from, std::size_t count) {
  Bytes all = rows.bytes[from];
  for (std::size_t i = 1; i < count; ++i)
    for (std::size_t at = 0; at < all.size(); ++at) all[at] &= rows.bytes[from + i][at];
  return all;
}
bool any(const Bytes& bytes) { return bytes != Bytes(bytes.size()); }

constexpr std::size_t kSizes[] = {0, 1, 2, 7, 8, 9, 31, 32, 64, 65, 127, 255, 256, 257, 512, 600};
constexpr std::byte kUntouched{0xa5};

TEST(BitMatrixKernels, AndRowsEqualsByteByByte) {
  std::mt19937_64 random{3};
  for (const std::size_t size : kSizes)
    for (const std::size_t count : {1U, 2U, 3U, 7U, 12U}) {
      const Rows rows{random, count, size, count == 12 ? 2U : 1U + size % 3};
      const Bytes expected = and_of(rows, 0, count);
      for (const BitMatrixKernels& row : bit_matrix_kernels()) {
        Bytes out(size + 1, kUntouched);
        EXPECT_EQ(row.and_rows(rows.pointers.data(), count, out.data(), size), any(expected))
            << row.name << ", " << count << " rows of " << size;
        EXPECT_EQ(out.back(), kUntouched);
        out.pop_back();
        EXPECT_EQ(out, expected) << row.name << ", " << count << " rows of " << size;
      }
    }
}

TEST(BitMatrixKernels, AndRowsSeesTheLastBitWhereverItIs) {
  for (const BitMatrixKernels& row : bit_matrix_kernels())
    for (std::size_t bit = 0; bit < 8 * 300; bit += 5) {
      Bytes one(300);
      one[bit / 8] = std::byte{1} << (bit % 8);
      const std::byte* rows[] = {one.data(), one.data()};
      Bytes out(300);
      EXPECT_TRUE(row.and_rows(rows, 2, out.data(), out.size())) << row.name << ", bit " << bit;
      EXPECT_EQ(out, one);
    }
}

TEST(BitMatrixKernels, KeepAnyEqualsByteByByte) {
  std::mt19937_64 random{4};
  for (const std::size_t size : kSizes)
    for (const std::size_t keys : {0U, 1U, 2U, 5U, 50U})
      for (const std::size_t probes : {1U, 3U, 5U}) {
        const Rows rows{random, keys * probes, size, 3};
        const Bytes before = random_bytes(random, size, 1 + keys % 3);
        Bytes expected(size);
        for (std::size_t key = 0; key < keys; ++key) {
          const Bytes one = and_of(rows, key * probes, probes);
          for (std::size_t at = 0; at < size; ++at) expected[at] |= one[at];
        }
        for (std::size_t at = 0; at < size; ++at) expected[at] &= before[at];
        for (const BitMatrixKernels& row : bit_matrix_kernels()) {
          Bytes kept = before;
          kept.push_back(kUntouched);
          EXPECT_EQ(row.keep_any(rows.pointers.data(), keys, probes, kept.data(), size),
                    any(expected))
              << row.name << ", " << keys << " keys, " << probes << " probes, " << size;
          EXPECT_EQ(kept.back(), kUntouched);
          kept.pop_back();
          EXPECT_EQ(kept, expected) << row.name;
        }
      }
}

TEST(BitMatrixKernels, TransposeEqualsBitByBit) {
  std::mt19937_64 random{5};
  for (const std::size_t count : {8U, 16U, 56U, 64U, 72U, 128U, 200U, 512U})
    for (const std::size_t row_bytes : {64U, 256U}) {
      const Bytes matrix = random_bytes(random, count * row_bytes, 2);
      const std::size_t stride = count / 8 + 3;  // the gaps must stay as they were
      Bytes expected(row_bytes * 8 * stride, kUntouched);
      for (std::size_t column = 0; column < row_bytes * 8; ++column)
        for (std::size_t row = 0; row < count; ++row) {
          std::byte& byte = expected[column * stride + row / 8];
          const std::byte mask = std::byte{0x80} >> (row % 8);
          const auto bit = matrix[row * row_bytes + column / 8] >> (column % 8) & std::byte{1};
          byte = bit == std::byte{1} ? byte | mask : byte & ~mask;
        }
      for (const BitMatrixKernels& row : bit_matrix_kernels()) {
        Bytes columns(expected.size(), kUntouched);
        row.transpose(matrix.data(), count, row_bytes, columns.data(), stride);
        EXPECT_TRUE(columns == expected) << row.name << ", " << count << " rows of " << row_bytes;
      }
    }
}

TEST(BitMatrixKernels, PositionsEqualBitByBit) {
  std::mt19937_64 random{6};
  for (const std::size_t size : kSizes)
    for (const std::size_t sparse : {1U, 2U, 4U, 9U, 100U}) {
      const Bytes bits = random_bytes(random, size, sparse);
      const std::uint64_t first = random();
      std::vector<std::uint64_t> expected;
      for (std::size_t i = 0; i < 8 * size; ++i)
        if ((bits[i / 8] & std::byte{0x80} >> (i % 8)) != std::byte{0})
          expected.push_back(first + i);
      for (const BitMatrixKernels& row : bit_matrix_kernels()) {
        std::vector<std::uint64_t> positions(8 * size + BitMatrixKernels::kPositionsSlack + 1, 77);
        const std::size_t count = row.positions(bits.data(), size, first, positions.data());
        EXPECT_EQ(positions.back(), 77U) << row.name << ", " << size << " bytes";
        positions.resize(count);
        EXPECT_EQ(positions, expected) << row.name << ", " << size << " bytes, 1 in " << sparse;
      }
    }
}

TEST(BitMatrixKernels, TheTableEndsInBaselineAndTheActiveRowIsInIt) {
  const auto rows = bit_matrix_kernels();
  EXPECT_EQ(rows.back().name, "baseline");
  bool found = false;
  for (const BitMatrixKernels& row : rows) found |= row.name == active_bit_matrix_kernels().name;
  EXPECT_TRUE(found);
}

}  // namespace
}  // namespace bloomery::simd
