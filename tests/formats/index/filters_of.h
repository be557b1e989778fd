// Filters in files, and what each of them answers: what an index of them must say too.
#pragma once
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "bloomery/formats/index/change.h"
#include "bloomery/formats/index/index.h"
#include "bloomery/formats/native/mapped.h"
#include "bloomery/formats/native/native.h"
#include "tests/base/scratch_folder.h"

namespace bloomery::testing {

inline std::vector<std::string> number_keys(std::uint64_t from, std::uint64_t count) {
  std::vector<std::string> keys;
  for (std::uint64_t i = 0; i < count; ++i) keys.push_back("key " + std::to_string(from + i));
  return keys;
}

// A folder of filters of one shape, which are filled to very different degrees.
class IndexedFolder {
 public:
  explicit IndexedFolder(CreateOptions shape) : shape_{std::move(shape)} {}

  std::string path(const std::string& name) const { return folder_ / name; }
  std::string index() const { return path("all.bloomindex"); }

  // Each holds some keys of its own, and some of those that all may hold.
  FilterToIndex add(const std::string& name, std::uint64_t seed) {
    std::mt19937_64 random{seed};
    auto filter = create_native(shape_);
    EXPECT_TRUE(filter) << filter.error().message;
    std::vector<std::string> keys = number_keys(1'000'000 * (seed + 1), random() % 40);
    for (std::uint64_t i = 0; i < kShared; ++i)
      if (random() % 3 == 0) keys.push_back("key " + std::to_string(i));
    for (const std::string& key : keys) insert(*filter, key);
    EXPECT_TRUE(std::visit([&](const auto& one) { return save_native(one, path(name)); }, *filter));
    return {path(name), name};
  }
  std::vector<FilterToIndex> add_many(std::size_t count, std::uint64_t seed = 0) {
    std::vector<FilterToIndex> filters;
    for (std::size_t i = 0; i < count; ++i)
      filters.push_back(add("f" + std::to_string(seed + i), seed + i));
    return filters;
  }

  void insert(NativeFilter& filter, const std::string& key) const {
    const Key bytes{shape_.funnel, key};
    const ByteView view = bytes.view();
    std::visit(
        [&](auto& one) {
          std::uint8_t is_new = 0;
          (void)one.filter.insert_batch(std::span<const ByteView>{&view, 1}, std::span{&is_new, 1});
        },
        filter);
  }

  // Compares the index with each filter's own answers; the filters are those of these names.
  void expect_same_answers(const std::vector<std::string>& names) const {
    const auto opened = FilterIndex::open(index(), decode());
    ASSERT_TRUE(opened) << opened.error().message;
    const IndexView& view = opened->view();
    EXPECT_TRUE(view.verify());
    ASSERT_EQ(view.filters(), names.size());
    std::vector<std::string> texts = number_keys(0, kShared + 200);
    for (std::uint64_t i = 0; i < 5; ++i)
      texts.push_back("key " + std::to_string(1'000'000 * (i + 1)));
    std::vector<Key> keys;
    for (const std::string& text : texts) keys.emplace_back(shape_.funnel, text);
    std::vector<ByteView> views;
    for (const Key& key : keys) views.push_back(key.view());
    IndexAnswers answers;
    view.find(views, answers);
    ASSERT_EQ(answers.size(), views.size());
    std::vector<std::vector<std::string_view>> found(views.size());
    for (std::size_t i = 0; i < views.size(); ++i) {
      EXPECT_TRUE(std::ranges::is_sorted(answers[i]));
      for (const std::uint64_t column : answers[i]) {
        EXPECT_FALSE(view.is_deleted(column));
        found[i].push_back(view.filter(column).name);
      }
      std::ranges::sort(found[i]);
    }
    std::vector<std::vector<std::string_view>> expected(views.size());
    std::uint64_t hits = 0;
    for (const std::string& name : names) {
      const auto filter = MappedNative::open(path(name), decode());
      ASSERT_TRUE(filter) << filter.error().message;
      for (std::size_t i = 0; i < views.size(); ++i)
        if (filter->may_contain(views[i])) {
          expected[i].push_back(name);
          ++hits;
        }
    }
    for (auto& names_of_key : expected) std::ranges::sort(names_of_key);
    EXPECT_EQ(found, expected);
    if (names.size() > 2) {
      EXPECT_GT(hits, 0U);
    }
    expect_same_rates(view);
  }

 private:
  // The bytes that a funnel makes of a key: numbers take eight.
  class Key {
   public:
    Key(FunnelName funnel, const std::string& text) : text_{text} {
      if (funnel != FunnelName::kU64) return;
      const std::uint64_t number = std::hash<std::string>{}(text);
      text_.assign(reinterpret_cast<const char*>(&number), sizeof number);
    }
    ByteView view() const { return bytes_of(text_); }

   private:
    std::string text_;
  };

  void expect_same_rates(const IndexView& view) const {
    for (std::uint64_t column = 0; column < view.columns(); ++column) {
      if (view.is_deleted(column)) continue;
      const IndexedFilter& filter = view.filter(column);
      const auto mapped = MappedNative::open(path(std::string{filter.name}), decode());
      ASSERT_TRUE(mapped);
      const Health health = mapped->health();
      EXPECT_DOUBLE_EQ(filter.rate, health.error_rate) << filter.name;
      EXPECT_NEAR(static_cast<double>(filter.ones) / static_cast<double>(mapped->shape().bits),
                  health.fill, 1e-12);
      EXPECT_EQ(filter.provenance, mapped->provenance());
    }
  }
  DecodeOptions decode() const {
    DecodeOptions options;
    options.sip_key = shape_.sip_key;
    return options;
  }

  static constexpr std::uint64_t kShared = 150;
  CreateOptions shape_;
  ScratchFolder folder_;
};

inline CreateOptions shape_of(Layout layout, std::uint64_t bits, std::uint32_t probes) {
  CreateOptions options;
  options.layout = layout;
  options.sizing.bits = bits;
  options.sizing.probes = probes;
  return options;
}

inline std::vector<std::string> names_of(const std::vector<FilterToIndex>& filters) {
  std::vector<std::string> names;
  for (const FilterToIndex& filter : filters) names.push_back(filter.name);
  return names;
}

inline FileLock lock_of(const std::string& path) {
  auto lock = FileLock::acquire(path);
  EXPECT_TRUE(lock);
  return std::move(*lock);
}

}  // namespace bloomery::testing
