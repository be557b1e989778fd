// Keys, answers and other memory on a device as functions take them: typed addresses with a length.
// No type of CUDA is needed to name them.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>

struct CUstream_st;  // of CUDA: a cudaStream_t points to one

namespace bloomery::gpu {

// A queue of work on a device. A cudaStream_t converts to it; empty is the default stream.
class Stream {
 public:
  constexpr Stream() = default;
  constexpr Stream(CUstream_st* handle) : handle_{handle} {}
  constexpr CUstream_st* handle() const { return handle_; }
  friend bool operator==(Stream, Stream) = default;

 private:
  CUstream_st* handle_ = nullptr;
};

// Memory on a device that a call may write.
struct DeviceBytes {
  void* data = nullptr;
  std::uint64_t size = 0;
};

// Whole numbers on a device.
struct DeviceKeys {
  const std::uint64_t* data = nullptr;
  std::uint64_t size = 0;
};

// Byte strings on a device, as columns keep them: string i is data[offsets[i], offsets[i + 1]), so
// that there is one offset more than strings. Nothing outside `data` is read, and no check is made
// that the offsets ascend and lie within it.
struct DeviceStrings {
  const void* offsets = nullptr;  // 32 or 64 bits each
  std::uint32_t offset_bits = 32;
  const void* data = nullptr;
  std::uint64_t data_bytes = 0;
  std::uint64_t size = 0;  // of strings
};

// The same in host memory.
struct HostStrings {
  const void* offsets = nullptr;
  std::uint32_t offset_bits = 32;
  const void* data = nullptr;
  std::uint64_t size = 0;
};

// How a lookup answers, in the order of the keys: a byte of 0 or 1 for each, or bit i%8 of byte
// i/8.
enum class AnswerKind : std::uint8_t { kBytes, kBits };

// Bits come in whole words of 32, zero past the last key.
constexpr std::uint64_t answer_bytes(AnswerKind kind, std::uint64_t keys) {
  return kind == AnswerKind::kBytes ? keys : (keys + 31) / 32 * 4;
}

// Where a lookup on the device writes: at least answer_bytes(), at a multiple of four.
struct DeviceAnswers {
  void* data = nullptr;
  std::uint64_t size = 0;  // bytes
  AnswerKind kind = AnswerKind::kBytes;
};

}  // namespace bloomery::gpu
