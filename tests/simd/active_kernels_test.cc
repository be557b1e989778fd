// Which row of the table a process uses. It is fixed at the first call, so each question is put to
// a process of its own: this program once more, asked for one test.
#include <gtest/gtest.h>
#include <unistd.h>
#if defined(__aarch64__)
#include <sys/auxv.h>
#endif

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include "bloomery/simd/bit_matrix_kernels.h"
#include "bloomery/simd/block_kernels.h"
#include "bloomery/simd/keccak_kernels.h"

namespace bloomery::simd {
namespace {

constexpr std::string_view kMark = "active kernels: ";

TEST(ActiveKernels, AreARowOfTheTable) {
  const BlockKernels& active = active_block_kernels();
  std::cout << kMark << active.name << "\n";
  EXPECT_TRUE(std::ranges::any_of(
      block_kernels(), [&](const BlockKernels& row) { return row.name == active.name; }));
  EXPECT_EQ(&active, &active_block_kernels());
}

// The row that a process with this environment uses; empty if it could not be asked.
std::string active_with(const std::string& environment) {
  std::array<char, 4096> path{};
  if (readlink("/proc/self/exe", path.data(), path.size() - 1) < 0) return {};
  const char* emulator = std::getenv("BLOOMERY_EMULATOR");
  const std::string command = "env " + environment + " " + (emulator == nullptr ? "" : emulator) +
                              " '" + path.data() +
                              "' --gtest_filter=ActiveKernels.AreARowOfTheTable 2>&1";
  std::FILE* child = popen(command.c_str(), "r");
  if (child == nullptr) return {};
  std::string output;
  std::array<char, 512> piece{};
  while (std::fgets(piece.data(), piece.size(), child) != nullptr) output += piece.data();
  if (pclose(child) != 0) return {};
  const std::size_t at = output.find(kMark);
  if (at == std::string::npos) return {};
  const std::size_t from = at + kMark.size();
  return output.substr(from, output.find('\n', from) - from);
}

TEST(ActiveKernels, AreTheBestUnlessAnotherIsNamed) {
  const std::string_view best = block_kernels().front().name;
  EXPECT_EQ(active_with("-u BLOOMERY_CPU"), best);
  for (const BlockKernels& row : block_kernels())
    EXPECT_EQ(active_with("BLOOMERY_CPU=" + std::string{row.name}), row.name);
}

TEST(ActiveKernels, AreTheBestWhereTheNameIsNone) {
  const std::string_view best = block_kernels().front().name;
  for (const std::string name : {"", "avx", "AVX2", "neon", "'baseline '"})
    EXPECT_EQ(active_with("BLOOMERY_CPU=" + name), best) << name;
}

TEST(ActiveKernels, TheTableEndsInBaselineAndNamesEachRowOnce) {
  const auto rows = block_kernels();
  ASSERT_FALSE(rows.empty());
  EXPECT_EQ(rows.back().name, "baseline");
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) EXPECT_NE(rows[i].name, rows[j].name);
}

template <class Row>
std::vector<std::string_view> names_of(std::span<const Row> rows) {
  std::vector<std::string_view> names;
  for (const Row& row : rows) names.push_back(row.name);
  return names;
}

#if defined(__aarch64__)
bool processor_has_aes() { return (getauxval(AT_HWCAP) & HWCAP_AES) != 0; }
#endif

TEST(ActiveKernels, TheTableHasARowForWhatTheProcessorCan) {
  std::vector<std::string_view> expected;
#if defined(__x86_64__)
  const bool avx2 = __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("bmi") != 0 &&
                    __builtin_cpu_supports("bmi2") != 0 && __builtin_cpu_supports("aes") != 0;
  const bool avx512 =
      __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512bw") != 0 &&
      __builtin_cpu_supports("avx512dq") != 0 && __builtin_cpu_supports("avx512vl") != 0 &&
      __builtin_cpu_supports("avx512vbmi") != 0 && __builtin_cpu_supports("avx512bitalg") != 0 &&
      __builtin_cpu_supports("avx512vpopcntdq") != 0 && __builtin_cpu_supports("avx512vbmi2") != 0;
  if (avx512 && avx2) expected.push_back("avx512");
  if (avx2) expected.push_back("avx2");
#elif defined(__aarch64__)
  if (processor_has_aes()) expected.push_back("neon");
#endif
  expected.push_back("baseline");
  EXPECT_EQ(names_of(block_kernels()), expected);
}

TEST(ActiveKernels, TheTablesOfWideWordsHaveARowForWhatTheProcessorCan) {
  std::vector<std::string_view> expected;
#if defined(__x86_64__)
  const bool avx2 = __builtin_cpu_supports("avx2") != 0;
  if (avx2 && __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512vl") != 0)
    expected.push_back("avx512");
  if (avx2) expected.push_back("avx2");
#elif defined(__aarch64__)
  expected.push_back("neon");
#endif
  expected.push_back("baseline");
  EXPECT_EQ(names_of(bit_matrix_kernels()), expected);
  EXPECT_EQ(names_of(keccak_kernels()), expected);
}

}  // namespace
}  // namespace bloomery::simd
