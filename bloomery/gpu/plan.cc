#include "bloomery/gpu/plan.h"

#include <algorithm>

#include "bloomery/base/message.h"
#include "bloomery/gpu/layouts.h"

namespace bloomery::gpu {
namespace {

std::uint64_t rounded_up(std::uint64_t keys) {
  return (keys + kPartMultiple - 1) / kPartMultiple * kPartMultiple;
}

std::uint64_t bytes_for(Operation operation, Work work, std::uint64_t keys, const Tuning& tuning) {
  work.keys = keys;
  return operation == Operation::kInsert ? internal::insert_layout(work, tuning).bytes
                                         : internal::lookup_layout(work, tuning).bytes;
}

bool pays(Operation operation, const Work& work, std::uint64_t keys, const Tuning& tuning) {
  const bool insert = operation == Operation::kInsert;
  if (!insert && work.filter_bytes() < tuning.lookup_filter_bytes) return false;
  const std::uint64_t per_key = std::max(tuning.filter_bytes_per_key, std::uint64_t{1});
  return keys >=
         std::max(insert ? tuning.insert_keys : tuning.lookup_keys, work.filter_bytes() / per_key);
}

// Equal parts of at most `most` keys. Precondition: most is a multiple of kPartMultiple, not zero.
Plan in_parts(const Work& work, std::uint64_t most) {
  Plan plan;
  plan.parts = (work.keys + most - 1) / most;
  plan.part_keys =
      plan.parts > 1 ? rounded_up((work.keys + plan.parts - 1) / plan.parts) : work.keys;
  return plan;
}

std::uint64_t most_at_once(const Tuning& tuning) {
  return std::max(tuning.most_keys / kPartMultiple * kPartMultiple, kPartMultiple);
}

// The most keys, a multiple of kPartMultiple and at most `most`, whose passes fit; 0 where none do.
std::uint64_t keys_that_fit(Operation operation, const Work& work, std::uint64_t most,
                            std::uint64_t workspace, const Tuning& tuning) {
  std::uint64_t fit = 0, beyond = most / kPartMultiple + 1;
  while (beyond - fit > 1) {
    const std::uint64_t middle = fit + (beyond - fit) / 2;
    if (bytes_for(operation, work, middle * kPartMultiple, tuning) <= workspace)
      fit = middle;
    else
      beyond = middle;
  }
  return fit * kPartMultiple;
}

Plan directly(const Work& work) { return work.keys == 0 ? Plan{} : Plan{false, 1, work.keys, 0}; }

}  // namespace

std::uint64_t workspace_bytes(Operation operation, const Work& work, const Tuning& tuning) {
  if (work.keys == 0 || work.blocks == 0 || !pays(operation, work, work.keys, tuning)) return 0;
  return bytes_for(operation, work, in_parts(work, most_at_once(tuning)).part_keys, tuning);
}

Result<Plan> plan(Operation operation, const Work& work, std::uint64_t workspace, Method method,
                  const Tuning& tuning) {
  if (work.keys == 0 || method == Method::kDirect) return directly(work);
  const bool forced = method == Method::kPartitioned;
  if (!forced && (workspace == 0 || !pays(operation, work, work.keys, tuning)))
    return directly(work);
  Plan plan = in_parts(work, most_at_once(tuning));
  plan.workspace_bytes = bytes_for(operation, work, plan.part_keys, tuning);
  if (plan.workspace_bytes > workspace) {
    const std::uint64_t most =
        keys_that_fit(operation, work, most_at_once(tuning), workspace, tuning);
    if (most == 0 && !forced) return directly(work);
    if (most == 0)
      return Error{ErrorCode::kInvalidArgument,
                   message("a partitioned ", operation == Operation::kInsert ? "insert" : "lookup",
                           " needs a workspace of at least ",
                           bytes_for(operation, work, kPartMultiple, tuning), " bytes, and got ",
                           workspace, "; pass a larger one or let the method be chosen")};
    plan = in_parts(work, most);
    plan.workspace_bytes = bytes_for(operation, work, plan.part_keys, tuning);
    if (!forced && !pays(operation, work, plan.part_keys, tuning)) return directly(work);
  }
  plan.partitioned = true;
  return plan;
}

}  // namespace bloomery::gpu
