// The hashes that kernels compute, compiled for the CPU, beside those of the library.
#include "bloomery/gpu/cuda/keys.h"

#include <gtest/gtest.h>

#include <memory>

#include "bloomery/hash/profile.h"
#include "bloomery/hash/xxh.h"

namespace bloomery::gpu::cuda {
namespace {

TEST(Xxh3OnDevice, HashesNumbersAsTheLibrary) {
  for (const u64 seed : {u64{0}, u64{1}, u64{0x9876543210abcdef}}) {
    const Hasher xxh3{Profile::kXxh3, seed}, mix{Profile::kMix, seed};
    const Xxh3Keys xxh3_keys{nullptr, seed};
    const MixKeys mix_keys{nullptr, seed};
    u64 key = 1;
    for (int i = 0; i < 1000; ++i, key = key * 0x5851f42d4c957f2d + 1) {
      EXPECT_EQ(xxh3_keys.hash(xxh3_keys.carried(key)), xxh3(key));
      EXPECT_EQ(mix_keys.hash(mix_keys.carried(key)), mix(key));
    }
  }
}

// Memory of exactly the key's size, so that a sanitizer sees a byte read too far.
TEST(Xxh3OnDevice, HashesBytesOfEveryLengthAndAlignment) {
  for (const u64 seed : {u64{0}, u64{0x123456789abcdef}})
    for (std::size_t length = 0; length <= 2100; length += length < 700 ? 1 : 61)
      for (std::size_t first = 0; first < 8; first += length < 300 ? 1 : 3) {
        const std::size_t size = first + length;
        const auto memory = std::make_unique<std::uint64_t[]>(size / 8 + 1);
        const auto bytes = std::make_unique<u8[]>(size);
        for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<u8>(i * i * 31 + i * 7 + 3);
        std::copy_n(bytes.get(), size, reinterpret_cast<u8*>(memory.get()));
        const Hash128 expected =
            xxh3_128({reinterpret_cast<const std::byte*>(bytes.get()) + first, length}, seed);
        // The words that hold the bytes may be read where they are the caller's.
        const u8* const whole = reinterpret_cast<const u8*>(memory.get());
        const u32 offsets[2] = {static_cast<u32>(first), static_cast<u32>(size)};
        const Strings<u32> aligned{offsets, whole, whole + (size / 8 + 1) * 8, seed};
        EXPECT_EQ(aligned.carried(aligned.load(0)), expected) << length << " from " << first;
        const u64 address = reinterpret_cast<std::uintptr_t>(bytes.get());
        const u64 long_offsets[2] = {first, size};
        const Strings<u64> tight{long_offsets, bytes.get(),
                                 reinterpret_cast<const u8*>((address + size) / 8 * 8), seed};
        EXPECT_EQ(tight.carried(tight.load(0)), expected) << length << " from " << first;
      }
}

}  // namespace
}  // namespace bloomery::gpu::cuda
