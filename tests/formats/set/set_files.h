// Sets of parts for tests: built as N builders would build them, beside the one filter that they
// are together, and a source that is not mapped.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>

#include "bloomery/base/file.h"
#include "bloomery/filter/seeded/builder.h"
#include "bloomery/formats/native/native.h"
#include "bloomery/formats/native/part_file.h"
#include "bloomery/formats/set/join.h"
#include "tests/base/scratch_folder.h"

namespace bloomery::testing {

inline const KeyHash kSetHash{Hasher{Profile::kXxh3_64, 5}};
inline constexpr Goal kSetGoal{1000, 0.01};

inline NativeBlock whole_filter(BlockShape shape, std::span<const ByteView> keys) {
  const auto made = [&] {
    if (!shape.seeded) {
      BlockFilter filter{shape, kSetHash};
      filter.insert_batch(keys);
      return filter;
    }
    auto builder = SeededBuilder::create(shape, kSetHash);
    EXPECT_TRUE(builder && builder->add(keys));
    return std::move(*builder->finish());
  };
  NativeBlock native{made()};
  native.filter.set_provenance({kSetGoal, native.filter.provenance().keys_inserted});
  return native;
}

inline NativePart one_part(BlockShape shape, Part part, std::span<const ByteView> keys) {
  const auto made = [&] {
    if (!shape.seeded) {
      auto filter = BlockPart::create(shape, part, kSetHash);
      EXPECT_TRUE(filter);
      std::vector<std::uint8_t> is_new(keys.size());
      filter->insert_batch(keys, is_new);
      return std::move(*filter);
    }
    auto builder = SeededBuilder::create_part(shape, part, kSetHash);
    EXPECT_TRUE(builder && builder->add(keys));
    return std::move(*builder->finish_part());
  };
  NativePart native{made(), FunnelName::kBytes};
  native.filter.set_provenance({kSetGoal, native.filter.provenance().keys_inserted});
  return native;
}

// Saves every part in the folder, and their manifest there as seen.bloomset.
inline void save_set(const ScratchFolder& folder, BlockShape shape, std::uint32_t parts,
                     std::span<const ByteView> keys) {
  std::vector<PartHeader> headers;
  for (std::uint32_t i = 0; i < parts; ++i) {
    const std::string name = part_file_name("seen", {i, parts});
    ASSERT_TRUE(save_native_part(one_part(shape, {i, parts}, keys), folder / name));
    const auto header = read_part_header(folder / name);
    ASSERT_TRUE(header) << header.error().message;
    headers.push_back({name, *header});
  }
  std::ranges::reverse(headers);  // any order will do
  const auto manifest = manifest_of(std::move(headers));
  ASSERT_TRUE(manifest) << manifest.error().message;
  ASSERT_TRUE(save_manifest(*manifest, folder / "seen.bloomset"));
}

inline std::vector<std::byte> bytes_of_file(const std::filesystem::path& path) {
  auto bytes = read_file(path, {});
  EXPECT_TRUE(bytes) << bytes.error().message;
  return bytes ? std::move(*bytes) : std::vector<std::byte>{};
}

// Files that are read, not mapped, as those of an object store are.
class ReadPart : public PartReader {
 public:
  explicit ReadPart(std::vector<std::byte> bytes) : bytes_{std::move(bytes)} {}
  std::uint64_t size_bytes() const override { return bytes_.size(); }
  Status read(std::span<const PartBytes> ranges) const override {
    std::uint64_t last = 0;
    for (const PartBytes& range : ranges) {
      EXPECT_GE(range.offset, last);
      last = range.offset;
      EXPECT_LE(range.offset + range.into.size(), bytes_.size());
      std::copy_n(bytes_.begin() + static_cast<std::ptrdiff_t>(range.offset), range.into.size(),
                  range.into.begin());
    }
    return ok();
  }

 private:
  std::vector<std::byte> bytes_;
};
class ReadFolder : public PartSource {
 public:
  explicit ReadFolder(std::filesystem::path folder) : folder_{std::move(folder)} {}
  Result<std::unique_ptr<PartReader>> open(std::string_view file) override {
    auto bytes = read_file(folder_ / file, {});
    if (!bytes) return bytes.error();
    return std::unique_ptr<PartReader>{std::make_unique<ReadPart>(std::move(*bytes))};
  }

 private:
  std::filesystem::path folder_;
};

}  // namespace bloomery::testing
