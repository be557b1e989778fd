// Keys of the benchmarks, and what the machine itself can do.
#include "bench/gpu/bench.h"
#include "bloomery/gpu/cuda/direct.cuh"

namespace bloomery::gpu::bench {
namespace {

using cuda::block_of;
using std::uint8_t;

__host__ __device__ inline u64 scrambled(u64 x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  return x ^ x >> 31;
}

__global__ void make(u64* out, u64 keys, KeySet set, u64 inserted) {
  for (u64 i = blockIdx.x * u64{256} + threadIdx.x; i < keys; i += gridDim.x * u64{256}) {
    u64 number = i;
    if (set == KeySet::kQueries) number = i % 2 == 1 ? scrambled(i) % inserted : i + (u64{1} << 40);
    if (set == KeySet::kHot && scrambled(i) % 10 == 0) number = 77;
    if (set == KeySet::kLogUniform)
      number = static_cast<u64>(
          exp(static_cast<double>(scrambled(i)) * 0x1p-64 * log(static_cast<double>(keys))));
    if (set == KeySet::kEqual) number = 77;
    out[i] = scrambled(number);
  }
}
__global__ void add_bytes(const uint8_t* bytes, u64 count, u64 step, u64 first,
                          unsigned long long* sum) {
  u64 mine = 0;
  for (u64 i = first + (blockIdx.x * u64{256} + threadIdx.x) * step; i < count;
       i += gridDim.x * u64{256} * step)
    mine += bytes[i];
  if (mine != 0) atomicAdd(sum, static_cast<unsigned long long>(mine));
}
__global__ void count_differences(const u64* a, const u64* b, u64 words, unsigned long long* sum) {
  for (u64 i = blockIdx.x * u64{256} + threadIdx.x; i < words; i += gridDim.x * u64{256})
    if (a[i] != b[i]) atomicAdd(sum, 1ull);
}

// Four lanes read 64 bytes; kInFlight reads of a lane before the first use.
template <int kInFlight>
__global__ void __launch_bounds__(256)
    read_blocks(const uint8_t* __restrict__ memory, u32 blocks, u32* sink) {
  const u32 id = blockIdx.x * 256 + threadIdx.x;
  uint4 read[kInFlight];
  u32 all = 0;
#pragma unroll
  for (int j = 0; j < kInFlight; ++j)
    read[j] =
        __ldg(reinterpret_cast<const uint4*>(
                  memory + u64{block_of(scrambled(u64{id / 4} * kInFlight + j), blocks)} * 64) +
              id % 4);
#pragma unroll
  for (int j = 0; j < kInFlight; ++j) all ^= read[j].x ^ read[j].y ^ read[j].z ^ read[j].w;
  if (all == 0x13572468) *sink = 1;
}
__global__ void __launch_bounds__(256) or_blocks(uint8_t* memory, u32 blocks) {
  const u32 id = blockIdx.x * 256 + threadIdx.x;
#pragma unroll
  for (int j = 0; j < 4; ++j)
    cuda::or_word(memory + u64{block_of(scrambled(u64{id / 8} * 4 + j), blocks)} * 64 + id % 8 * 8,
                  u64{1} << (id >> 3 & 63));
}

unsigned long long* counter() {
  static unsigned long long* memory = nullptr;
  if (memory == nullptr) BLOOMERY_CHECK(cudaMalloc(&memory, 64));
  return memory;
}
u64 counted(const std::function<void(unsigned long long*)>& run) {
  BLOOMERY_CHECK(cudaMemset(counter(), 0, 8));
  run(counter());
  unsigned long long value = 0;
  BLOOMERY_CHECK(cudaMemcpy(&value, counter(), 8, cudaMemcpyDeviceToHost));
  return value;
}

}  // namespace

void make_keys(u64* out, u64 keys, KeySet set, u64 inserted) {
  make<<<2112, 256>>>(out, keys, set, inserted);
  BLOOMERY_CHECK(cudaGetLastError());
}
u64 sum_of_bytes(const uint8_t* bytes, u64 count, u64 step, u64 first) {
  return counted([&](auto* sum) { add_bytes<<<2112, 256>>>(bytes, count, step, first, sum); });
}
u64 words_that_differ(const void* a, const void* b, u64 bytes) {
  return counted([&](auto* sum) {
    count_differences<<<2112, 256>>>(static_cast<const u64*>(a), static_cast<const u64*>(b),
                                     bytes / 8, sum);
  });
}

float median_ms(const std::function<void()>& run, const std::function<void()>& before,
                int repeats) {
  cudaEvent_t start, end;
  BLOOMERY_CHECK(cudaEventCreate(&start));
  BLOOMERY_CHECK(cudaEventCreate(&end));
  std::vector<float> times;
  for (int i = 0; i <= repeats; ++i) {
    before();
    BLOOMERY_CHECK(cudaEventRecord(start));
    run();
    BLOOMERY_CHECK(cudaEventRecord(end));
    BLOOMERY_CHECK(cudaEventSynchronize(end));
    BLOOMERY_CHECK(cudaGetLastError());
    float ms = 0;
    BLOOMERY_CHECK(cudaEventElapsedTime(&ms, start, end));
    if (i != 0) times.push_back(ms);
  }
  BLOOMERY_CHECK(cudaEventDestroy(start));
  BLOOMERY_CHECK(cudaEventDestroy(end));
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

Limits measure_limits(void* memory, u64 bytes) {
  const auto* const read = static_cast<const uint8_t*>(memory);
  const u32 blocks = static_cast<u32>(bytes / 64);
  const u64 accesses = u64{1} << 27;
  auto* const sink = reinterpret_cast<u32*>(counter());
  const float four = median_ms(
      [&] { read_blocks<4><<<static_cast<u32>(accesses / 256), 256>>>(read, blocks, sink); }, [] {},
      7);
  const float sixteen = median_ms(
      [&] { read_blocks<16><<<static_cast<u32>(accesses / 1024), 256>>>(read, blocks, sink); },
      [] {}, 7);
  const float write = median_ms(
      [&] {
        or_blocks<<<static_cast<u32>(accesses / 4 * 8 / 256), 256>>>(static_cast<uint8_t*>(memory),
                                                                     blocks);
      },
      [] {}, 7);
  return {giga(accesses, std::min(four, sixteen)), giga(accesses, write)};
}

double copy_rate(void* to, const void* from, u64 bytes) {
  const float ms =
      median_ms([&] { BLOOMERY_CHECK(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice)); },
                [] {}, 7);
  return 2 * static_cast<double>(bytes) / ms / 1e6;
}

}  // namespace bloomery::gpu::bench
