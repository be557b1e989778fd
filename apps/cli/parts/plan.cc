#include "apps/cli/parts/plan.h"

#include "apps/cli/filters/unused_options.h"
#include "apps/cli/shell/exit_code.h"
#include "apps/cli/shell/numbers.h"
#include "bloomery/layout/part.h"

namespace bloomery::cli {
namespace {

Status check_has_parts(const NewFilterOptions& options, std::string_view why) {
  if (family_of(options.format) != "bloomery")
    return usage_error(message(why, " works on filters of format bloomery only, and the format is ",
                               options.format));
  if (options.fold_at_end)
    return usage_error(message(why,
                               " cannot be combined with --auto, which finds the size from the "
                               "keys of one process"));
  const SizingRequest& sizing = options.create.sizing;
  if (!sizing.keys && !sizing.bits && !sizing.blocks)
    return usage_error(message(why,
                               " needs the size of the whole filter, the same for every part: "
                               "--keys with the number of keys of all parts, or --bits"));
  return ok();
}

Status check_layout_of_parts(Layout layout, std::string_view why) {
  if (layout == Layout::kBlock || layout == Layout::kLines) return ok();
  return usage_error(
      message(why, layout == Layout::kScalable
                       ? " needs a filter of a fixed size, and a scalable one grows with its keys"
                       : " needs --layout block or lines: a key of another layout sets bits all "
                         "over the filter, "
                         "so that no range of it belongs to some of the keys only"));
}

}  // namespace

Result<PartPlan> plan_of_parts(NewFilterOptions& options, std::uint32_t parts, FunnelName funnel,
                               double default_rate, std::string_view why) {
  if (auto fits = check_has_parts(options, why); !fits) return fits.error();
  const auto format = chosen_format(options);
  if (!format) return format.error();
  CreateOptions& create = options.create;
  create.funnel = funnel;
  if (create.sizing.keys && !create.sizing.rate && !create.sizing.bits &&
      !create.sizing.bits_per_key && !create.sizing.blocks)
    create.sizing.rate = default_rate;
  const Layout layout = layout_for(create);
  if (auto fits = check_layout_of_parts(layout, why); !fits) return fits.error();
  if (auto fits = check_layout(options, layout); !fits) return fits.error();
  create.layout = layout;
  const auto whole = block_plan_for(create);
  if (!whole) return whole.error();
  const auto hash = key_hash_for(create);
  if (!hash) return hash.error();
  if (auto valid = checked(bloomery::Part{0, parts}, whole->shape.blocks); !valid)
    return usage_error(message(why, ": ", valid.error().message));
  return PartPlan{*whole, *hash};
}

Status check_part_fits(const PartPlan& plan, bloomery::Part part, std::uint64_t memory) {
  const std::uint64_t bytes = part_bytes(plan.whole.shape, part);
  if (bytes < memory) return ok();
  return Error{ErrorCode::kTooLarge,
               message("the part would need ", format_bytes(bytes), "; --memory allows ",
                       format_bytes(memory), "; make more parts, or give more memory")};
}

}  // namespace bloomery::cli
