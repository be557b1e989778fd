#include "bloomery/funnel/funnel_name.h"

namespace bloomery {
namespace {

struct Row {
  std::string_view name;
  FunnelName funnel;
};
constexpr Row kRows[] = {
    {"bytes", FunnelName::kBytes}, {"utf16", FunnelName::kUtf16}, {"i8", FunnelName::kI8},
    {"i16", FunnelName::kI16},     {"i32", FunnelName::kI32},     {"i64", FunnelName::kI64},
    {"u64", FunnelName::kU64},     {"f32", FunnelName::kF32},     {"f64", FunnelName::kF64},
    {"bool", FunnelName::kBool},   {"json", FunnelName::kJson},
};

}  // namespace

std::optional<FunnelName> find_funnel(std::string_view name) {
  for (const Row& row : kRows)
    if (row.name == name) return row.funnel;
  return std::nullopt;
}

std::string_view funnel_name(FunnelName funnel) {
  for (const Row& row : kRows)
    if (row.funnel == funnel) return row.name;
  return funnel == FunnelName::kUser ? "user" : "unknown";
}

}  // namespace bloomery
