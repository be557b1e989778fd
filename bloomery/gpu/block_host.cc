// Keys in host memory, for DeviceBlock.
#include "bloomery/base/message.h"
#include "bloomery/gpu/block_parts.h"
#include "bloomery/gpu/host_pipe.h"

namespace bloomery::gpu {
namespace {

Status check_answers(std::uint64_t keys, std::span<std::uint8_t> answers, AnswerKind kind) {
  const std::uint64_t needed = answer_bytes(kind, keys);
  if (answers.size() >= needed) return ok();
  return Error{ErrorCode::kInvalidArgument, message("the answers of ", keys, " keys take ", needed,
                                                    " bytes, and ", answers.size(), " were given")};
}

DeviceStrings as_strings(const HostStrings& keys) {
  return {keys.offsets, keys.offset_bits, keys.data, 0, keys.size};
}

}  // namespace

Status DeviceBlock::insert(HostPipe& pipe, std::span<const std::uint64_t> keys) {
  const auto source = internal::source_of(hash_, DeviceKeys{keys.data(), keys.size()});
  if (!source) return source.error();
  if (auto possible = check_insert(); !possible) return possible;
  if (keys.empty()) return ok();
  note_insert();
  return pipe.run(batched(), *source, nullptr, AnswerKind::kBytes);
}

Status DeviceBlock::insert(HostPipe& pipe, const HostStrings& keys) {
  const auto source = internal::source_of(hash_, as_strings(keys));
  if (!source) return source.error();
  if (auto possible = check_insert(); !possible) return possible;
  if (keys.size == 0) return ok();
  note_insert();
  return pipe.run(batched(), *source, nullptr, AnswerKind::kBytes);
}

Status DeviceBlock::may_contain(HostPipe& pipe, std::span<const std::uint64_t> keys,
                                std::span<std::uint8_t> answers, AnswerKind kind) const {
  const auto source = internal::source_of(hash_, DeviceKeys{keys.data(), keys.size()});
  if (!source) return source.error();
  if (auto enough = check_answers(keys.size(), answers, kind); !enough) return enough;
  return pipe.run(batched(), *source, answers.data(), kind);
}

Status DeviceBlock::may_contain(HostPipe& pipe, const HostStrings& keys,
                                std::span<std::uint8_t> answers, AnswerKind kind) const {
  const auto source = internal::source_of(hash_, as_strings(keys));
  if (!source) return source.error();
  if (auto enough = check_answers(keys.size, answers, kind); !enough) return enough;
  return pipe.run(batched(), *source, answers.data(), kind);
}

}  // namespace bloomery::gpu
