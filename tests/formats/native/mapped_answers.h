// A native filter in its file beside the same filter in memory.
#pragma once
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "bloomery/formats/native/mapped.h"

namespace bloomery::testing {

// Inserts half of `count` keys, saves the filter, maps the file, and expects that both answer
// alike.
template <class Native>
Result<MappedNative> map_and_compare(Native& native, const std::filesystem::path& file,
                                     std::size_t count) {
  std::vector<std::string> texts(count);
  std::vector<ByteView> keys(count);
  for (std::size_t i = 0; i < count; ++i) keys[i] = bytes_of(texts[i] = std::to_string(i));
  const std::span<const ByteView> all{keys};
  native.filter.insert_batch(all.first(count / 2));
  EXPECT_TRUE(save_native(native, file));
  auto mapped = MappedNative::open(file, {.limits = {.max_bytes = 1}});
  EXPECT_TRUE(mapped) << mapped.error().message;
  if (!mapped) return mapped;
  EXPECT_TRUE(mapped->verify());
  std::vector<std::uint8_t> expected(count);
  std::vector<std::uint8_t> answers(count);
  native.filter.may_contain_batch(all, expected);
  mapped->may_contain_batch(keys, answers);
  EXPECT_EQ(answers, expected);
  EXPECT_TRUE(mapped->may_contain(keys[0]));
  EXPECT_FALSE(mapped->may_contain(bytes_of("absent")));
  return mapped;
}

}  // namespace bloomery::testing
