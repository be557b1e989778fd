#include <numeric>

#include "bindings/c/keys.h"

namespace bloomery::c {
namespace {

Error refuse_mapped(std::string_view what) {
  return unsupported(message("the filter is a mapped file and read-only: it cannot ", what,
                             "; load or clone it first"));
}

// Block filters take numbers as they lie, without a view of each.
template <class Filter>
std::optional<std::span<const std::uint64_t>> numbers_of(const KeyBatch& keys,
                                                         const Filter& filter) {
  const std::uint64_t* numbers = keys.numbers(filter.hash());
  if (numbers == nullptr) return std::nullopt;
  return std::span{numbers, keys.count()};
}
template <class Filter>
std::size_t insert_numbers(Filter& filter, std::span<const std::uint64_t> keys,
                           std::uint8_t* is_new) {
  return is_new != nullptr ? filter.insert_batch(keys, std::span{is_new, keys.size()})
                           : filter.insert_batch(keys);
}

std::size_t sum_of(std::span<const std::uint8_t> answers) {
  return std::accumulate(answers.begin(), answers.end(), std::size_t{0});
}

Result<std::size_t> insert_all(bloomery_filter& filter, const KeyBatch& keys,
                               std::uint8_t* is_new) {
  if (is_mapped(filter)) return refuse_mapped("take new keys");
  auto* concurrent = std::get_if<Concurrent>(&filter.held);
  auto* any = std::get_if<AnyFilter>(&filter.held);
  auto* block = any != nullptr ? std::get_if<NativeBlock>(any) : nullptr;
  if (block != nullptr)
    if (const auto numbers = numbers_of(keys, block->filter))
      return insert_numbers(block->filter, *numbers, is_new);
  if (concurrent != nullptr)
    if (const auto numbers = numbers_of(keys, concurrent->filter))
      return insert_numbers(concurrent->filter, *numbers, is_new);
  return keys.for_each_chunk(is_new, [&](auto views, auto answers) -> Result<std::size_t> {
    if (concurrent != nullptr) return concurrent->filter.insert_batch(views, answers);
    return insert_batch(*any, views, answers);
  });
}

Result<std::size_t> look_up_all(const bloomery_filter& filter, const KeyBatch& keys,
                                std::uint8_t* answers) {
  const auto* concurrent = std::get_if<Concurrent>(&filter.held);
  const auto* mapped = std::get_if<MappedNative>(&filter.held);
  const auto* set = std::get_if<FilterSet>(&filter.held);
  const auto* any = std::get_if<AnyFilter>(&filter.held);
  const auto* block = any != nullptr ? std::get_if<NativeBlock>(any) : nullptr;
  const std::span to{answers, answers != nullptr ? keys.count() : 0};
  if (block != nullptr && answers != nullptr)
    if (const auto numbers = numbers_of(keys, block->filter))
      return block->filter.may_contain_batch(*numbers, to);
  if (concurrent != nullptr && answers != nullptr)
    if (const auto numbers = numbers_of(keys, concurrent->filter))
      return concurrent->filter.may_contain_batch(*numbers, to);
  return keys.for_each_chunk(answers, [&](auto views, auto found) -> Result<std::size_t> {
    if (concurrent != nullptr) return concurrent->filter.may_contain_batch(views, found);
    if (mapped != nullptr) {
      mapped->may_contain_batch(views, found);
    } else if (set != nullptr) {
      if (auto asked = set->may_contain_batch(views, found); !asked) return asked.error();
    } else if (auto done = may_contain_batch(*any, views, found); !done) {
      return done.error();
    }
    return sum_of(found);
  });
}

Result<std::size_t> remove_all(bloomery_filter& filter, const KeyBatch& keys,
                               std::uint8_t* removed) {
  if (is_mapped(filter)) return refuse_mapped("remove keys");
  auto* any = std::get_if<AnyFilter>(&filter.held);
  if (any == nullptr) return unsupported("a concurrent filter cannot remove keys");
  return keys.for_each_chunk(
      removed, [&](auto views, auto answers) { return remove_batch(*any, views, answers); });
}

bloomery_keys keys_of(std::uint32_t type, const void* data, std::size_t count) {
  bloomery_keys keys = BLOOMERY_KEYS_INIT;
  keys.type = type;
  keys.data = data;
  keys.count = count;
  return keys;
}

// A batch: checked, then applied.
template <class Filter, class Apply>
int apply_keys(Filter* filter, const bloomery_keys* keys, std::uint8_t* out, std::size_t* count,
               Apply apply) {
  return guarded([&]() -> Status {
    if (auto valid = check_handle(filter); !valid) return valid;
    const auto read = read_struct(keys, "bloomery_keys");
    if (!read) return read.error();
    const auto batch = KeyBatch::checked(*read, *filter);
    if (!batch) return batch.error();
    const auto done = apply(*filter, *batch, out);
    if (!done) return done.error();
    if (count != nullptr) *count = *done;
    return ok();
  });
}

template <class Filter, class Apply>
int apply_array(Filter* filter, std::uint32_t type, const void* data, std::size_t size,
                std::uint8_t* out, std::size_t* count, Apply apply) {
  const bloomery_keys keys = keys_of(type, data, size);
  return apply_keys(filter, &keys, out, count, apply);
}

// The block filter behind a handle whose keys of this size are hashed as they lie, or null: the
// common case of single keys.
template <class Filter>
auto* block_of_bytes(Filter* filter, std::size_t size) {
  auto* any = filter != nullptr ? std::get_if<AnyFilter>(&filter->held) : nullptr;
  auto* native = any != nullptr ? std::get_if<NativeBlock>(any) : nullptr;
  const auto is_plain = [&] {
    return filter->funnel == FunnelName::kBytes ||
           (filter->funnel == FunnelName::kI64 && size == sizeof(std::int64_t));
  };
  return native != nullptr && is_plain() ? &native->filter : nullptr;
}

}  // namespace
}  // namespace bloomery::c

using namespace bloomery::c;

int bloomery_insert_keys(bloomery_filter* filter, const bloomery_keys* keys, uint8_t* is_new,
                         size_t* added) {
  return apply_keys(filter, keys, is_new, added, insert_all);
}
int bloomery_may_contain_keys(const bloomery_filter* filter, const bloomery_keys* keys,
                              uint8_t* answers, size_t* found) {
  return apply_keys(filter, keys, answers, found, look_up_all);
}
int bloomery_remove_keys(bloomery_filter* filter, const bloomery_keys* keys, uint8_t* removed,
                         size_t* removed_count) {
  return apply_keys(filter, keys, removed, removed_count, remove_all);
}

int bloomery_insert(bloomery_filter* filter, const bloomery_key* keys, size_t count,
                    uint8_t* is_new, size_t* added) {
  return apply_array(filter, BLOOMERY_KEYS_BYTES, keys, count, is_new, added, insert_all);
}
int bloomery_may_contain(const bloomery_filter* filter, const bloomery_key* keys, size_t count,
                         uint8_t* answers, size_t* found) {
  return apply_array(filter, BLOOMERY_KEYS_BYTES, keys, count, answers, found, look_up_all);
}
int bloomery_remove(bloomery_filter* filter, const bloomery_key* keys, size_t count,
                    uint8_t* removed, size_t* removed_count) {
  return apply_array(filter, BLOOMERY_KEYS_BYTES, keys, count, removed, removed_count, remove_all);
}

int bloomery_insert_u64(bloomery_filter* filter, const uint64_t* keys, size_t count,
                        uint8_t* is_new, size_t* added) {
  return apply_array(filter, BLOOMERY_KEYS_U64, keys, count, is_new, added, insert_all);
}
int bloomery_may_contain_u64(const bloomery_filter* filter, const uint64_t* keys, size_t count,
                             uint8_t* answers, size_t* found) {
  return apply_array(filter, BLOOMERY_KEYS_U64, keys, count, answers, found, look_up_all);
}
int bloomery_remove_u64(bloomery_filter* filter, const uint64_t* keys, size_t count,
                        uint8_t* removed, size_t* removed_count) {
  return apply_array(filter, BLOOMERY_KEYS_U64, keys, count, removed, removed_count, remove_all);
}

int bloomery_insert_i64(bloomery_filter* filter, const int64_t* keys, size_t count, uint8_t* is_new,
                        size_t* added) {
  return apply_array(filter, BLOOMERY_KEYS_I64, keys, count, is_new, added, insert_all);
}
int bloomery_may_contain_i64(const bloomery_filter* filter, const int64_t* keys, size_t count,
                             uint8_t* answers, size_t* found) {
  return apply_array(filter, BLOOMERY_KEYS_I64, keys, count, answers, found, look_up_all);
}
int bloomery_remove_i64(bloomery_filter* filter, const int64_t* keys, size_t count,
                        uint8_t* removed, size_t* removed_count) {
  return apply_array(filter, BLOOMERY_KEYS_I64, keys, count, removed, removed_count, remove_all);
}

int bloomery_insert_one(bloomery_filter* filter, const void* data, size_t size, int* is_new) {
  const bloomery_key key{data, size};
  std::uint8_t answer = 0;
  auto* block = block_of_bytes(filter, size);
  if (block != nullptr && is_readable(key)) {
    answer = block->insert(view_of(key)) ? 1 : 0;
  } else if (const int code = bloomery_insert(filter, &key, 1, &answer, nullptr)) {
    return code;
  }
  if (is_new != nullptr) *is_new = answer;
  return BLOOMERY_OK;
}

int bloomery_may_contain_one(const bloomery_filter* filter, const void* data, size_t size,
                             int* answer) {
  const bloomery_key key{data, size};
  std::uint8_t found = 0;
  const auto* block = block_of_bytes(filter, size);
  if (block != nullptr && is_readable(key)) {
    found = block->may_contain(view_of(key)) ? 1 : 0;
  } else if (const int code = bloomery_may_contain(filter, &key, 1, &found, nullptr)) {
    return code;
  }
  if (answer != nullptr) *answer = found;
  return BLOOMERY_OK;
}
