// Structures of older and newer callers, in memory of exactly their size.
#include <gtest/gtest.h>

#include <memory>

#include "bindings/c/handle.h"

namespace {

struct Settings {  // as this library knows it
  std::size_t struct_size;
  std::uint64_t first;
  std::uint32_t second;
  std::uint32_t third;
  std::uint64_t added_later;
};
constexpr std::size_t kOldest = offsetof(Settings, added_later);

}  // namespace

namespace bloomery::c {

template <>
inline constexpr std::size_t kFirstBytes<Settings> = kOldest;

namespace {

// A caller's structure of this many bytes; sanitizers know where it ends.
class Caller {
 public:
  Caller(std::size_t size, Settings values) : bytes_{new unsigned char[size + kGuard]} {
    values.struct_size = size;
    std::memset(bytes_.get(), 0, size);
    std::memset(bytes_.get() + size, 0xaa, kGuard);
    std::memcpy(bytes_.get(), &values, std::min(size, sizeof values));
    size_ = size;
  }
  Settings* structure() { return reinterpret_cast<Settings*>(bytes_.get()); }
  unsigned char& operator[](std::size_t at) { return bytes_[at]; }
  Settings values() const {
    Settings values{};
    std::memcpy(&values, bytes_.get(), std::min(size_, sizeof values));
    return values;
  }
  bool is_guard_whole() const {
    return std::all_of(bytes_.get() + size_, bytes_.get() + size_ + kGuard,
                       [](unsigned char byte) { return byte == 0xaa; });
  }

 private:
  static constexpr std::size_t kGuard = 16;
  std::unique_ptr<unsigned char[]> bytes_;
  std::size_t size_;
};

constexpr Settings kValues{sizeof(Settings), 1, 2, 3, 4};

TEST(CStructures, OlderCallersGiveZerosForWhatTheyLack) {
  Caller caller{kOldest, kValues};
  const auto read = read_struct(caller.structure(), "settings");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->first, 1U);
  EXPECT_EQ(read->second, 2U);
  EXPECT_EQ(read->third, 3U);
  EXPECT_EQ(read->added_later, 0U);
}

TEST(CStructures, OlderCallersGetTheMembersThatTheyHave) {
  Caller caller{kOldest, {}};
  ASSERT_TRUE(write_struct(kValues, caller.structure(), "settings"));
  EXPECT_EQ(caller.values().struct_size, kOldest);
  EXPECT_EQ(caller.values().first, 1U);
  EXPECT_EQ(caller.values().third, 3U);
  EXPECT_TRUE(caller.is_guard_whole());
}

TEST(CStructures, NewerCallersMustLeaveZerosAndGetZeros) {
  constexpr std::size_t kNewer = sizeof(Settings) + 8;
  Caller caller{kNewer, kValues};
  const auto read = read_struct(caller.structure(), "settings");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->added_later, 4U);
  caller[sizeof(Settings)] = 1;
  EXPECT_EQ(read_struct(caller.structure(), "settings").error().code, ErrorCode::kUnsupported);
  ASSERT_TRUE(write_struct(kValues, caller.structure(), "settings"));
  EXPECT_EQ(caller.values().struct_size, kNewer);
  EXPECT_EQ(caller[sizeof(Settings)], 0);
  EXPECT_TRUE(caller.is_guard_whole());
}

TEST(CStructures, SizesOfNoVersionAreRefused) {
  for (const std::size_t size : {std::size_t{0}, kOldest - 1, std::size_t{4097}, SIZE_MAX}) {
    Caller caller{sizeof(Settings), kValues};
    caller.structure()->struct_size = size;
    for (const auto& code : {read_struct(caller.structure(), "settings").error().code,
                             write_struct(kValues, caller.structure(), "settings").error().code})
      EXPECT_EQ(code, ErrorCode::kInvalidArgument) << size;
  }
  EXPECT_FALSE(read_struct<Settings>(nullptr, "settings"));
  EXPECT_FALSE(write_struct<Settings>(kValues, nullptr, "settings"));
}

// A row changed by mistake would refuse every program of 0.2 or read past its structures.
TEST(CStructures, TheSizesOf02DoNotChange) {
  if constexpr (sizeof(void*) == 8) {
    EXPECT_EQ(kFirstBytes<bloomery_options>, 168U);
    EXPECT_EQ(kFirstBytes<bloomery_sizing>, 56U);
    EXPECT_EQ(kFirstBytes<bloomery_keys>, 64U);
    EXPECT_EQ(kFirstBytes<bloomery_health>, 64U);
    EXPECT_EQ(kFirstBytes<bloomery_info>, 80U);
    EXPECT_EQ(kFirstBytes<bloomery_load_options>, 64U);
  }
}

}  // namespace
}  // namespace bloomery::c
