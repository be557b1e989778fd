#include "bloomery/gpu/batch.h"

#include <algorithm>

#include "bloomery/base/message.h"

namespace bloomery::gpu::internal {
namespace {

Work work_of(const Batched& filter, const KeySource& keys, std::uint64_t count) {
  return {filter.memory.count, filter.block_bytes, count, carried_bytes(keys.kind)};
}

Error invalid(std::string what) { return {ErrorCode::kInvalidArgument, std::move(what)}; }

Status check_workspace(const Batched& filter, const Call& call) {
  if (call.workspace.size == 0) return ok();
  if (reinterpret_cast<std::uintptr_t>(call.workspace.data) % kAlignment != 0)
    return invalid(message("the workspace lies at no multiple of ", kAlignment,
                           " bytes; allocate it by itself"));
  return filter.device.runtime().check_pointer(filter.device.index(), call.workspace.data,
                                               "the bytes of the workspace");
}

Status check_keys(const Batched& filter, const KeySource& keys) {
  const Runtime& runtime = filter.device.runtime();
  const std::uint64_t alignment = keys.kind == KeyKind::kStrings32 ? 4 : 8;
  if (keys.first == nullptr || reinterpret_cast<std::uintptr_t>(keys.first) % alignment != 0)
    return invalid(message("the keys lie at no multiple of ", alignment, " bytes"));
  return runtime.check_pointer(filter.device.index(), keys.first, "the keys");
}

Status check_answers(const Batched& filter, const DeviceAnswers& answers, std::uint64_t keys) {
  const std::uint64_t needed = answer_bytes(answers.kind, keys);
  if (answers.size < needed)
    return invalid(message("the answers of ", keys, " keys take ", needed, " bytes, and ",
                           answers.size, " were given"));
  if (reinterpret_cast<std::uintptr_t>(answers.data) % 4 != 0)
    return invalid("the answers lie at no multiple of 4 bytes");
  return filter.device.runtime().check_pointer(filter.device.index(), answers.data, "the answers");
}

}  // namespace

Status insert_batch(const Batched& filter, const KeySource& keys, bool empty, const Call& call) {
  if (keys.count == 0) return ok();
  if (auto checked = check_keys(filter, keys); !checked) return checked;
  if (auto checked = check_workspace(filter, call); !checked) return checked;
  const auto plan = gpu::plan(Operation::kInsert, work_of(filter, keys, keys.count),
                              call.workspace.size, call.method, call.tuning);
  if (!plan) return plan.error();
  const Runtime& runtime = filter.device.runtime();
  for (std::uint64_t at = 0; at < keys.count; at += plan->part_keys) {
    const std::uint64_t count = std::min(plan->part_keys, keys.count - at);
    InsertJob job{filter.memory, keys.part(at, count), empty && at == 0, nullptr, nullptr};
    InsertLayout layout;
    if (plan->partitioned) {
      layout = insert_layout(work_of(filter, keys, count), call.tuning);
      job.layout = &layout;
      job.workspace = call.workspace.data;
    }
    if (auto done = runtime.insert(filter.device.index(), job, call.stream); !done) return done;
  }
  return ok();
}

Status look_up_batch(const Batched& filter, const KeySource& keys, const DeviceAnswers& answers,
                     const Call& call) {
  if (keys.count == 0) return ok();
  if (auto checked = check_keys(filter, keys); !checked) return checked;
  if (auto checked = check_answers(filter, answers, keys.count); !checked) return checked;
  if (auto checked = check_workspace(filter, call); !checked) return checked;
  // The window sets of a seeded filter are read with its blocks: directly only.
  const bool seeded = filter.memory.seeds != nullptr;
  if (seeded && call.method == Method::kPartitioned)
    return Error{ErrorCode::kUnsupported, "lookups in a seeded filter cannot be partitioned"};
  const auto plan =
      gpu::plan(Operation::kLookup, work_of(filter, keys, keys.count), call.workspace.size,
                seeded ? Method::kDirect : call.method, call.tuning);
  if (!plan) return plan.error();
  const Runtime& runtime = filter.device.runtime();
  for (std::uint64_t at = 0; at < keys.count; at += plan->part_keys) {
    const std::uint64_t count = std::min(plan->part_keys, keys.count - at);
    LookupJob job{
        filter.memory,
        keys.part(at, count),
        static_cast<char*>(answers.data) + (answers.kind == AnswerKind::kBytes ? at : at / 8),
        answers.kind,
        nullptr,
        nullptr};
    LookupLayout layout;
    if (plan->partitioned) {
      layout = lookup_layout(work_of(filter, keys, count), call.tuning);
      job.layout = &layout;
      job.workspace = call.workspace.data;
    }
    if (auto done = runtime.look_up(filter.device.index(), job, call.stream); !done) return done;
  }
  return ok();
}

Result<KeySource> string_source(const DeviceStrings& keys, std::uint64_t seed) {
  if (keys.offset_bits != 32 && keys.offset_bits != 64)
    return invalid(message("offsets of ", keys.offset_bits, " bits; strings take 32 or 64"));
  const auto end = reinterpret_cast<std::uintptr_t>(keys.data) + keys.data_bytes;
  return KeySource{keys.offset_bits == 32 ? KeyKind::kStrings32 : KeyKind::kStrings64,
                   keys.offsets,
                   keys.data,
                   reinterpret_cast<const void*>(end / 8 * 8),
                   seed,
                   keys.size};
}

}  // namespace bloomery::gpu::internal
