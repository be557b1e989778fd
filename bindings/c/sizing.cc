#include "bloomery/layout/sizing.h"

#include "bindings/c/handle.h"
#include "bloomery/layout/block_sizing.h"

namespace bloomery::c {
namespace {

// Of a shape that was planned for the goal, or for none.
template <class AnyShape>
bloomery_sizing sizing_of(const AnyShape& shape, const std::optional<Goal>& goal,
                          const char* layout) {
  bloomery_sizing sizing = BLOOMERY_SIZING_INIT;
  sizing.layout = layout;
  sizing.probes = shape.probes;
  sizing.bytes = shape.bytes();
  sizing.keys = goal ? goal->keys : 0;
  sizing.rate = expected_rate(shape, static_cast<double>(sizing.keys));
  return sizing;
}

Result<bloomery_sizing> size_block(const CreateOptions& create, const char* layout) {
  const auto plan = block_plan_for(create);
  if (!plan) return plan.error();
  bloomery_sizing sizing = sizing_of(plan->shape, plan->goal, layout);
  sizing.bits = plan->shape.bits();
  return sizing;
}

Result<bloomery_sizing> size_array(const CreateOptions& create, std::uint64_t bits_per_position,
                                   const char* layout) {
  const auto plan = array_plan_for(create.sizing);
  if (!plan) return plan.error();
  bloomery_sizing sizing = sizing_of(plan->shape, plan->goal, layout);
  sizing.bits = plan->shape.bits * bits_per_position;
  sizing.bytes = Shape{sizing.bits, 1}.bytes();
  return sizing;
}

Result<bloomery_sizing> size_scalable(const CreateOptions& create) {
  if (!create.sizing.keys || !create.sizing.rate)
    return refused("a scalable filter is sized by the keys of its first layer and the rate");
  const Goal goal{*create.sizing.keys, *create.sizing.rate};
  const auto first = ScalableFilter<BloomeryClassic>::layer_goal(goal, create.growth, 0);
  if (!first) return first.error();
  const auto shape = BloomeryClassic::shape_for(*first);
  if (!shape) return shape.error();
  bloomery_sizing sizing = sizing_of(*shape, *first, "scalable");
  sizing.bits = shape->bits;
  sizing.rate = goal.false_positive_rate;
  return sizing;
}

Result<bloomery_sizing> size_native(const Request& request) {
  const CreateOptions& create = request.create;
  switch (layout_for(create)) {
    case Layout::kLines:
      return size_block(create, request.concurrent ? "concurrent" : "lines");
    case Layout::kCounting:
      return size_array(create, create.counter_bits, "counting");
    case Layout::kScalable:
      return size_scalable(create);
    case Layout::kClassic:
      return size_array(create, 1, "classic");
    case Layout::kAuto:
    case Layout::kBlock:
      break;
  }
  return size_block(create, request.concurrent ? "concurrent" : "block");
}

}  // namespace
}  // namespace bloomery::c

int bloomery_size(const bloomery_options* options, bloomery_sizing* sizing) {
  using namespace bloomery::c;
  return guarded([&]() -> bloomery::Status {
    const auto request = read_options(options);
    if (!request) return request.error();
    if (request->format->name != "bloomery")
      return unsupported(bloomery::message("only filters of the format bloomery can be sized, and ",
                                           "the format is ", request->format->name));
    const auto planned = size_native(*request);
    if (!planned) return planned.error();
    return write_struct(*planned, sizing, "bloomery_sizing");
  });
}
