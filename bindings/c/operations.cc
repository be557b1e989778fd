#include "bindings/c/handle.h"
#include "bloomery/formats/set/join.h"

namespace bloomery::c {
namespace {

Error changes_mapped() {
  return unsupported("the filter is a mapped file and read-only; load or clone it first");
}

// Answers a question about two filters, either of which may be of any kind.
template <class Ask>
int ask_two(const bloomery_filter* a, const bloomery_filter* b, int* answer, Ask ask) {
  return guarded([&]() -> Status {
    if (auto valid = check_handle(a); !valid) return valid;
    if (auto valid = check_handle(b); !valid) return valid;
    if (answer == nullptr) return refused("the place for the answer is NULL");
    std::optional<AnyFilter> copy_a;
    std::optional<AnyFilter> copy_b;
    const auto left = in_memory(*a, copy_a);
    if (!left) return left.error();
    const auto right = in_memory(*b, copy_b);
    if (!right) return right.error();
    const Result<bool> result = ask(**left, **right);
    if (!result) return result.error();
    *answer = *result ? 1 : 0;
    return ok();
  });
}

// Changes a filter by another: as a whole, or not at all.
template <class Change>
int change_by(bloomery_filter* into, const bloomery_filter* from, Change change) {
  return guarded([&]() -> Status {
    if (auto valid = check_handle(into); !valid) return valid;
    if (auto valid = check_handle(from); !valid) return valid;
    if (is_mapped(*into)) return changes_mapped();
    if (into->funnel != from->funnel)
      return refused(message("the filters were made with different funnels: ",
                             funnel_name(into->funnel), " and ", funnel_name(from->funnel)));
    std::optional<AnyFilter> copy;
    const auto other = in_memory(*from, copy);
    if (!other) return other.error();
    if (auto* any = std::get_if<AnyFilter>(&into->held)) return change(*any, **other);
    auto changed = copy_of(*into);
    if (!changed) return changed.error();
    if (auto done = change(*changed, **other); !done) return done;
    auto concurrent = as_concurrent(std::move(*changed), into->format);
    if (!concurrent) return concurrent.error();
    *into = std::move(*concurrent);
    return ok();
  });
}

Status clear(AnyFilter& filter) {
  return std::visit(
      [](auto& held) -> Status {
        if constexpr (requires { internal::core(held).reset(); }) {
          internal::core(held).reset();
          if constexpr (requires { held.was_open; }) held.was_open = false;
          return ok();
        }
        return unsupported("this kind of filter cannot be cleared; create it anew");
      },
      filter);
}

}  // namespace

Result<AnyFilter> copy_of(const bloomery_filter& filter) {
  if (const auto* any = std::get_if<AnyFilter>(&filter.held)) return clone(*any);
  if (const auto* concurrent = std::get_if<Concurrent>(&filter.held))
    return AnyFilter{NativeBlock{concurrent->filter.snapshot(), filter.funnel}};
  if (const auto* set = std::get_if<FilterSet>(&filter.held)) {
    if (auto valid = set->check_size(); !valid) return valid.error();
    auto whole = load_joined(*set, {set->shape().bytes()});
    if (!whole) return whole.error();
    return AnyFilter{std::move(*whole)};
  }
  const auto& mapped = std::get<MappedNative>(filter.held);
  if (auto valid = mapped.check_size(); !valid) return valid.error();
  const ByteView bytes = mapped.file_bytes();
  return find_format("bloomery")
      ->decode(bytes, {.limits = {bytes.size()}, .sip_key = mapped.hash().hasher.key()});
}

Result<const AnyFilter*> in_memory(const bloomery_filter& filter, std::optional<AnyFilter>& copy) {
  if (const auto* any = std::get_if<AnyFilter>(&filter.held)) return any;
  auto made = copy_of(filter);
  if (!made) return made.error();
  return &copy.emplace(std::move(*made));
}

}  // namespace bloomery::c

using namespace bloomery::c;
using bloomery::AnyFilter;

int bloomery_clone(const bloomery_filter* filter, bloomery_filter** copy) {
  return guarded_new(copy, [&]() -> bloomery::Result<bloomery_filter> {
    if (auto valid = check_handle(filter); !valid) return valid.error();
    auto made = copy_of(*filter);
    if (!made) return made.error();
    return bloomery_filter{std::move(*made), filter->format, filter->funnel};
  });
}

int bloomery_fold(const bloomery_filter* filter, uint64_t factor, bloomery_filter** folded) {
  return guarded_new(folded, [&]() -> bloomery::Result<bloomery_filter> {
    if (auto valid = check_handle(filter); !valid) return valid.error();
    if (factor == 0) return refused("a filter cannot be folded by 0");
    std::optional<AnyFilter> copy;
    const auto any = in_memory(*filter, copy);
    if (!any) return any.error();
    auto made = bloomery::fold(**any, factor);
    if (!made) return made.error();
    return bloomery_filter{std::move(*made), filter->format, filter->funnel};
  });
}

int bloomery_merge(bloomery_filter* into, const bloomery_filter* from) {
  return change_by(into, from, [](AnyFilter& a, const AnyFilter& b) { return merge(a, b); });
}

int bloomery_intersect(bloomery_filter* into, const bloomery_filter* from) {
  return change_by(into, from, [](AnyFilter& a, const AnyFilter& b) { return intersect(a, b); });
}

int bloomery_compatible(const bloomery_filter* a, const bloomery_filter* b, int* answer) {
  return ask_two(a, b, answer,
                 [&](const AnyFilter& left, const AnyFilter& right) -> bloomery::Result<bool> {
                   if (a->funnel != b->funnel || left.index() != right.index()) return false;
                   auto trial = clone(left);
                   if (!trial) return false;
                   return merge(*trial, right).has_value();
                 });
}

int bloomery_equal(const bloomery_filter* a, const bloomery_filter* b, int* answer) {
  return ask_two(a, b, answer,
                 [&](const AnyFilter& left, const AnyFilter& right) -> bloomery::Result<bool> {
                   if (a->funnel != b->funnel) return false;
                   return is_equal(left, right);
                 });
}

int bloomery_is_subset(const bloomery_filter* part, const bloomery_filter* whole, int* answer) {
  return ask_two(part, whole, answer,
                 [&](const AnyFilter& left, const AnyFilter& right) -> bloomery::Result<bool> {
                   return is_subset_of(left, right);
                 });
}

int bloomery_clear(bloomery_filter* filter) {
  return guarded([&]() -> bloomery::Status {
    if (auto valid = check_handle(filter); !valid) return valid;
    if (is_mapped(*filter)) return changes_mapped();
    if (auto* any = std::get_if<AnyFilter>(&filter->held)) return clear(*any);
    auto emptied = copy_of(*filter);
    if (!emptied) return emptied.error();
    if (auto done = clear(*emptied); !done) return done;
    auto concurrent = as_concurrent(std::move(*emptied), filter->format);
    if (!concurrent) return concurrent.error();
    *filter = std::move(*concurrent);
    return bloomery::ok();
  });
}
