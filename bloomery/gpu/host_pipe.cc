#include "bloomery/gpu/host_pipe.h"

#include <algorithm>
#include <utility>

#include "bloomery/base/message.h"

namespace bloomery::gpu {
namespace {

using internal::KeyKind;
using internal::KeySource;

constexpr unsigned kDefaultThreads = 8;

bool are_strings(const KeySource& keys) {
  return keys.kind == KeyKind::kStrings32 || keys.kind == KeyKind::kStrings64;
}
std::uint64_t offset_bytes(const KeySource& keys) {
  return keys.kind == KeyKind::kStrings32 ? 4 : 8;
}
std::uint64_t offset_at(const KeySource& keys, std::uint64_t i) {
  return keys.kind == KeyKind::kStrings32 ? static_cast<const std::uint32_t*>(keys.first)[i]
                                          : static_cast<const std::uint64_t*>(keys.first)[i];
}
std::uint64_t aligned(std::uint64_t bytes) {
  return (bytes + internal::kAlignment - 1) / internal::kAlignment * internal::kAlignment;
}
// Where the bytes of `count` strings begin in a slot's buffer.
std::uint64_t data_at(const KeySource& keys, std::uint64_t count) {
  return aligned((count + 1) * offset_bytes(keys));
}

}  // namespace

Result<HostPipe::Pinned> HostPipe::Pinned::allocate(const Device& device, std::uint64_t bytes) {
  const auto data = device.runtime().allocate_pinned(device.index(), bytes);
  if (!data) return data.error();
  Pinned pinned;
  pinned.runtime_ = &device.runtime();
  pinned.device_ = device.index();
  pinned.data_ = static_cast<std::byte*>(*data);
  return pinned;
}
HostPipe::Pinned::Pinned(Pinned&& other) noexcept
    : runtime_{other.runtime_},
      device_{other.device_},
      data_{std::exchange(other.data_, nullptr)} {}
HostPipe::Pinned& HostPipe::Pinned::operator=(Pinned&& other) noexcept {
  std::swap(runtime_, other.runtime_);
  std::swap(device_, other.device_);
  std::swap(data_, other.data_);
  return *this;
}
HostPipe::Pinned::~Pinned() {
  if (data_ != nullptr) runtime_->release_pinned(device_, data_);
}

HostPipe::~HostPipe() = default;

Result<HostPipe> HostPipe::create(const Device& device, const PipeOptions& options) {
  if (options.chunk_keys == 0)
    return Error{ErrorCode::kInvalidArgument, "a pipe's chunks need at least one key"};
  HostPipe pipe{device, options};
  // Bits of answers are whole words, so that a chunk but the last has a multiple of 32 keys.
  pipe.options_.chunk_keys = (options.chunk_keys + 31) / 32 * 32;
  if (options.copy_threads == 0)
    pipe.options_.copy_threads =
        std::clamp(std::thread::hardware_concurrency(), 1u, kDefaultThreads);
  const std::uint64_t keys = pipe.options_.chunk_keys;
  pipe.buffer_bytes_ = aligned((keys + 1) * 8) + aligned(keys * options.string_bytes);
  for (std::size_t i = 0; i < kDepth; ++i) {
    auto stream = OwnedStream::make(device);
    if (!stream) return stream.error();
    Slot slot{std::move(*stream)};
    auto staging = Pinned::allocate(device, pipe.buffer_bytes_);
    if (!staging) return staging.error();
    auto back = Pinned::allocate(device, keys);
    if (!back) return back.error();
    auto on_device = DeviceMemory::allocate(device, pipe.buffer_bytes_);
    if (!on_device) return on_device.error();
    auto answers = DeviceMemory::allocate(device, keys);
    if (!answers) return answers.error();
    slot.staging = std::move(*staging);
    slot.back = std::move(*back);
    slot.keys = std::move(*on_device);
    slot.answers = std::move(*answers);
    pipe.slots_.push_back(std::move(slot));
  }
  return pipe;
}

Status HostPipe::run(const internal::Batched& filter, const KeySource& keys, std::uint8_t* answers,
                     AnswerKind kind) {
  if (filter.device.index() != device_.index())
    return Error{ErrorCode::kInvalidArgument,
                 message("the pipe leads to GPU ", device_.index(), ", and the filter lies on GPU ",
                         filter.device.index())};
  internal::CopyCrew crew{options_.copy_threads};
  const auto sent = run_chunks(crew, filter, keys, answers, kind);
  // Buffers are free for the next call only when no stream uses them, also after an error.
  Status done = sent;
  for (Slot& slot : slots_)
    if (auto back = take_back(crew, slot); !back && done) done = back;
  return done;
}

Status HostPipe::run_chunks(internal::CopyCrew& crew, const internal::Batched& filter,
                            const KeySource& keys, std::uint8_t* answers, AnswerKind kind) {
  const internal::Runtime& runtime = device_.runtime();
  std::size_t number = 0;
  for (std::uint64_t first = 0, count = 0; first < keys.count; first += count, ++number) {
    Slot& slot = slots_[number % kDepth];
    if (auto free = take_back(crew, slot); !free) return free;
    const auto fit = keys_of_chunk(keys, first);
    if (!fit) return fit.error();
    count = *fit;
    const auto on_device = send(crew, slot, keys, first, count);
    if (!on_device) return on_device.error();
    const Stream stream = slot.stream.get();
    if (answers == nullptr) {
      const internal::InsertJob job{filter.memory, *on_device, false, nullptr, nullptr};
      if (auto inserted = runtime.insert(device_.index(), job, stream); !inserted) return inserted;
      continue;
    }
    const internal::LookupJob job{filter.memory, *on_device, slot.answers.data(),
                                  kind,          nullptr,    nullptr};
    if (auto asked = runtime.look_up(device_.index(), job, stream); !asked) return asked;
    slot.out = answers + (kind == AnswerKind::kBytes ? first : first / 8);
    slot.out_bytes = answer_bytes(kind, count);
    if (auto copied = runtime.copy(device_.index(), slot.back.data(), slot.answers.data(),
                                   slot.out_bytes, stream);
        !copied)
      return copied;
  }
  return ok();
}

Result<std::uint64_t> HostPipe::keys_of_chunk(const KeySource& keys, std::uint64_t first) const {
  std::uint64_t count = std::min(options_.chunk_keys, keys.count - first);
  if (!are_strings(keys)) return count;
  const auto fits = [&](std::uint64_t strings) {
    return data_at(keys, strings) +
               aligned(offset_at(keys, first + strings) - offset_at(keys, first)) <=
           buffer_bytes_;
  };
  while (count > 32 && !fits(count)) count = (count / 2 + 31) / 32 * 32;
  if (fits(count)) return count;
  return Error{ErrorCode::kTooLarge,
               message(count, " strings from number ", first, " on take more than the ",
                       buffer_bytes_, " bytes of the pipe's buffers; make it for longer strings")};
}

Result<KeySource> HostPipe::send(internal::CopyCrew& crew, Slot& slot, const KeySource& keys,
                                 std::uint64_t first, std::uint64_t count) {
  KeySource there = keys.part(first, count);
  auto* const buffer = static_cast<std::byte*>(slot.keys.data());
  const std::uint64_t words = are_strings(keys) ? count + 1 : count;
  const std::uint64_t word_bytes = are_strings(keys) ? offset_bytes(keys) : 8;
  if (auto sent = send_bytes(crew, slot, 0, there.first, words * word_bytes); !sent)
    return sent.error();
  there.first = buffer;
  if (!are_strings(keys)) return there;
  const std::uint64_t begin = offset_at(keys, first);
  const std::uint64_t bytes = offset_at(keys, first + count) - begin;
  const std::uint64_t at = data_at(keys, count);
  if (auto sent =
          send_bytes(crew, slot, at, static_cast<const std::byte*>(keys.data) + begin, bytes);
      !sent)
    return sent.error();
  // Offsets count from the first string of the whole batch.
  there.data = reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(buffer) + at - begin);
  there.end = buffer + at + bytes / 8 * 8;
  return there;
}

Status HostPipe::send_bytes(internal::CopyCrew& crew, Slot& slot, std::uint64_t at,
                            const void* from, std::uint64_t bytes) {
  if (bytes == 0) return ok();
  const internal::Runtime& runtime = device_.runtime();
  if (!runtime.is_pinned(from)) {
    crew.copy(slot.staging.data() + at, from, bytes);
    from = slot.staging.data() + at;
  }
  return runtime.copy(device_.index(), static_cast<std::byte*>(slot.keys.data()) + at, from, bytes,
                      slot.stream.get());
}

Status HostPipe::take_back(internal::CopyCrew& crew, Slot& slot) {
  const auto done = finish(device_, slot.stream.get());
  if (done && slot.out != nullptr) crew.copy(slot.out, slot.back.data(), slot.out_bytes);
  slot.out = nullptr;
  return done;
}

}  // namespace bloomery::gpu
