#include "bloomery/formats/any_filter.h"

namespace bloomery {
namespace {

using internal::core;

Error cannot(std::string_view what) {
  return {ErrorCode::kUnsupported, message("this kind of filter cannot ", what)};
}

Error kinds_differ() {
  return {ErrorCode::kInvalidArgument,
          "the filters are of different kinds: their bits mean different things"};
}

// Applies an operation to two filters of the same alternative. A file that carries more has its own
// merge where that more takes part; otherwise the filters inside are merged.
template <class R, class A, class B, class Operation>
R on_same_kind(A& a, B& b, Operation operation) {
  return std::visit(
      [&](auto& left) -> R {
        const auto* right = std::get_if<std::remove_cvref_t<decltype(left)>>(&b);
        if (right == nullptr) return kinds_differ();
        return operation(left, *right);
      },
      a);
}

}  // namespace

Result<std::size_t> insert_batch(AnyFilter& filter, std::span<const ByteView> keys,
                                 std::span<std::uint8_t> is_new) {
  return std::visit(
      [&](auto& held) -> Result<std::size_t> {
        if constexpr (requires { core(held).insert_batch(keys, is_new); })
          return core(held).insert_batch(keys, is_new);
        return cannot("take new keys");
      },
      filter);
}

Status may_contain_batch(const AnyFilter& filter, std::span<const ByteView> keys,
                         std::span<std::uint8_t> answers) {
  return std::visit(
      [&](const auto& held) -> Status {
        if constexpr (requires { core(held).may_contain_batch(keys, answers); }) {
          core(held).may_contain_batch(keys, answers);
          return ok();
        }
        return cannot("be asked for a key");
      },
      filter);
}

Result<std::size_t> remove_batch(AnyFilter& filter, std::span<const ByteView> keys,
                                 std::span<std::uint8_t> removed) {
  return std::visit(
      [&](auto& held) -> Result<std::size_t> {
        if constexpr (requires { core(held).remove_batch(keys, removed); })
          return core(held).remove_batch(keys, removed);
        return cannot(
            "remove keys: only a counting or cuckoo filter can, because others share their bits");
      },
      filter);
}

Status merge(AnyFilter& into, const AnyFilter& from) {
  return on_same_kind<Status>(into, from, [](auto& a, const auto& b) -> Status {
    if constexpr (requires { a.merge(b); }) return a.merge(b);
    if constexpr (requires { core(a).merge(core(b)); }) return core(a).merge(core(b));
    return cannot("be merged");
  });
}

Status intersect(AnyFilter& into, const AnyFilter& from) {
  return on_same_kind<Status>(into, from, [](auto& a, const auto& b) -> Status {
    if constexpr (requires { a.intersect(b); }) return a.intersect(b);
    if constexpr (requires { core(a).intersect(core(b)); }) return core(a).intersect(core(b));
    return cannot("be intersected");
  });
}

Result<bool> is_subset_of(const AnyFilter& part, const AnyFilter& whole) {
  return on_same_kind<Result<bool>>(part, whole, [](const auto& a, const auto& b) -> Result<bool> {
    if constexpr (requires { a.is_subset_of(b); }) return a.is_subset_of(b);
    if constexpr (requires { core(a).is_subset_of(core(b)); }) return core(a).is_subset_of(core(b));
    return cannot("be compared");
  });
}

Result<bool> is_equal(const AnyFilter& a, const AnyFilter& b) {
  if (a.index() != b.index()) return false;
  return on_same_kind<Result<bool>>(a, b, [](const auto& left, const auto& right) -> Result<bool> {
    if constexpr (requires { left == right; }) return left == right;
    if constexpr (requires { core(left) == core(right); }) return core(left) == core(right);
    return cannot("be compared");
  });
}

Result<AnyFilter> fold(const AnyFilter& filter, std::uint64_t factor) {
  return std::visit(
      [&](const auto& held) -> Result<AnyFilter> {
        if constexpr (requires { held.fold(factor); }) {
          auto folded = held.fold(factor);
          if (!folded) return folded.error();
          return AnyFilter{std::move(*folded)};
        }
        return cannot("be folded");
      },
      filter);
}

Result<AnyFilter> clone(const AnyFilter& filter) {
  return std::visit(
      [&](const auto& held) -> Result<AnyFilter> {
        if constexpr (requires { held.clone(); }) return AnyFilter{held.clone()};
        return cannot("be copied");
      },
      filter);
}

Description describe(const AnyFilter& filter) {
  return std::visit([](const auto& held) { return describe(held); }, filter);
}

}  // namespace bloomery
