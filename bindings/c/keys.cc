#include "bindings/c/keys.h"

#include <limits>
#include <utility>

namespace bloomery::c {
namespace {

// Of the keys of a funnel: 0 for any number of bytes.
std::size_t width_of(FunnelName funnel) {
  switch (funnel) {
    case FunnelName::kI8:
    case FunnelName::kBool:
      return 1;
    case FunnelName::kI16:
      return 2;
    case FunnelName::kI32:
    case FunnelName::kF32:
      return 4;
    case FunnelName::kI64:
    case FunnelName::kU64:
    case FunnelName::kF64:
      return 8;
    case FunnelName::kBytes:
    case FunnelName::kUtf16:
    case FunnelName::kJson:
    case FunnelName::kUser:
      break;
  }
  return 0;
}

template <class Number>
bool in_range_of(FunnelName funnel, Number number) {
  switch (funnel) {
    case FunnelName::kI8:
      return std::in_range<std::int8_t>(number);
    case FunnelName::kI16:
      return std::in_range<std::int16_t>(number);
    case FunnelName::kI32:
      return std::in_range<std::int32_t>(number);
    case FunnelName::kI64:
      return std::in_range<std::int64_t>(number);
    default:
      return std::in_range<std::uint64_t>(number);
  }
}

bool is_integer(FunnelName funnel) {
  return funnel == FunnelName::kU64 || funnel == FunnelName::kI64 || funnel == FunnelName::kI32 ||
         funnel == FunnelName::kI16 || funnel == FunnelName::kI8;
}

}  // namespace

KeyBatch::KeyBatch(const bloomery_keys& keys, FunnelName funnel, ByteOrder order)
    : keys_{keys},
      funnel_{funnel},
      width_{width_of(funnel)},
      unit_{funnel == FunnelName::kUtf16 ? 2 : std::max<std::size_t>(1, width_)},
      is_big_{order == ByteOrder::kBig && unit_ > 1} {}

Result<KeyBatch> KeyBatch::checked(const bloomery_keys& keys, const bloomery_filter& filter) {
  if (filter.funnel == FunnelName::kJson)  // text of JSON would be other keys than its values
    return Error{ErrorCode::kUnsupported,
                 "the filter's keys are JSON values with their types, which only the command "
                 "bloomery encodes"};
  const bool is_big = filter.format->name.starts_with("eventhorizon");
  KeyBatch batch{keys, filter.funnel, is_big ? ByteOrder::kBig : ByteOrder::kLittle};
  if (auto valid = batch.check_storage(); !valid) return valid.error();
  const Status valid = batch.is_integers() ? batch.check_integers() : batch.check_widths();
  if (!valid) return valid.error();
  return batch;
}

const std::uint64_t* KeyBatch::numbers(const KeyHash& hash) const {
  const bool is_wide = funnel_ == FunnelName::kU64 || funnel_ == FunnelName::kI64;
  if (!is_integers() || !is_wide || !hash.takes_numbers() || has_nulls() || is_big_) return nullptr;
  return static_cast<const std::uint64_t*>(keys_.data) + keys_.offset;
}

ByteView KeyBatch::view(std::size_t i) const {
  const std::size_t at = keys_.offset + i;
  const auto* bytes = static_cast<const std::byte*>(keys_.data);
  const auto between = [&]<class Offset>(const Offset* offsets) {
    return ByteView{bytes + offsets[at], static_cast<std::size_t>(offsets[at + 1] - offsets[at])};
  };
  switch (keys_.type) {
    case BLOOMERY_KEYS_BYTES:
      return view_of(static_cast<const bloomery_key*>(keys_.data)[at]);
    case BLOOMERY_KEYS_FIXED:
      return {bytes + at * keys_.width, keys_.width};
    case BLOOMERY_KEYS_OFFSETS32:
      return between(static_cast<const std::int32_t*>(keys_.offsets));
    case BLOOMERY_KEYS_OFFSETS64:
      return between(static_cast<const std::int64_t*>(keys_.offsets));
    default:  // integers: the low bytes of a little-endian number are the narrower number
      return {bytes + at * sizeof(std::uint64_t), width_};
  }
}

Status KeyBatch::check_storage() const {
  if (keys_.type < BLOOMERY_KEYS_BYTES || keys_.type > BLOOMERY_KEYS_OFFSETS64)
    return refused(message("bloomery_keys has the unknown type ", keys_.type));
  if (keys_.count == 0) return ok();
  constexpr std::size_t kMost = std::numeric_limits<std::size_t>::max() / 32;
  if (keys_.count > kMost || keys_.offset > kMost - keys_.count)
    return refused("the offset and count of bloomery_keys are beyond all memory");
  if (keys_.type == BLOOMERY_KEYS_OFFSETS32) return check_offsets<std::int32_t>();
  if (keys_.type == BLOOMERY_KEYS_OFFSETS64) return check_offsets<std::int64_t>();
  if (keys_.type == BLOOMERY_KEYS_FIXED && keys_.width == 0) return ok();  // empty keys
  if (keys_.data == nullptr) return refused("the array of keys is NULL");
  if (keys_.type == BLOOMERY_KEYS_FIXED) return check_fixed();
  return ok();
}

Status KeyBatch::check_fixed() const {
  if (keys_.data_size != 0 &&
      keys_.data_size / keys_.width < static_cast<std::uint64_t>(keys_.offset) + keys_.count)
    return refused(message(keys_.offset + keys_.count, " keys of ", keys_.width,
                           " bytes are more than data_size, ", keys_.data_size));
  return ok();
}

template <class Offset>
Status KeyBatch::check_offsets() const {
  const auto* offsets = static_cast<const Offset*>(keys_.offsets);
  if (offsets == nullptr) return refused("the offsets of the keys are NULL");
  offsets += keys_.offset;
  // Without a branch per key: falling offsets, and negative ones, have their sign.
  Offset falls = offsets[0];
  for (std::size_t i = 0; i < keys_.count; ++i)
    falls |= static_cast<Offset>(offsets[i + 1] < offsets[i] ? -1 : 0);
  if (falls < 0) return refused("the offsets of the keys are negative or fall");
  const auto end = static_cast<std::uint64_t>(offsets[keys_.count]);
  if (end > keys_.data_size)
    return refused(message("the offsets of the keys end at ", end, ", and their data has ",
                           keys_.data_size, " bytes"));
  if (keys_.data == nullptr && end != 0) return refused("the data of the keys is NULL");
  return ok();
}

Status KeyBatch::check_integers() const {
  if (!is_integer(funnel_))
    return refused(message("the keys of this filter are ", funnel_name(funnel_),
                           ", and these are integers; make or load the filter with the funnel u64 "
                           "or i64, or give the keys as bytes"));
  const auto check = [&]<class Number>(const Number* numbers) -> Status {
    for (std::size_t i = 0; i < keys_.count; ++i)
      if (!in_range_of(funnel_, numbers[keys_.offset + i]) && !is_null(i))
        return wrong_key(i, message("is ", numbers[keys_.offset + i], ", out of its range"));
    return ok();
  };
  const bool is_signed = keys_.type == BLOOMERY_KEYS_I64;
  if (funnel_ == FunnelName::kU64 && !is_signed) return ok();
  if (funnel_ == FunnelName::kI64 && is_signed) return ok();
  return is_signed ? check(static_cast<const std::int64_t*>(keys_.data))
                   : check(static_cast<const std::uint64_t*>(keys_.data));
}

Status KeyBatch::check_widths() const {
  if (keys_.type == BLOOMERY_KEYS_BYTES) {
    const auto* keys = static_cast<const bloomery_key*>(keys_.data) + keys_.offset;
    for (std::size_t i = 0; i < keys_.count; ++i)
      if (!is_readable(keys[i]) && !is_null(i)) return wrong_key(i, "has NULL for its bytes");
  }
  if (unit_ == 1 && width_ == 0) return ok();
  for (std::size_t i = 0; i < keys_.count; ++i) {
    if (is_null(i)) continue;
    const ByteView key = view(i);
    if (width_ != 0 ? key.size() != width_ : key.size() % unit_ != 0)
      return wrong_key(i, message("has ", key.size(), " bytes"));
    if (funnel_ == FunnelName::kBool && std::to_integer<unsigned>(key[0]) > 1)
      return wrong_key(i, "is neither 0 nor 1");
  }
  return ok();
}

Error KeyBatch::wrong_key(std::size_t i, std::string_view what) const {
  return refused(
      message("key ", i, " ", what, "; the keys of this filter are ", funnel_name(funnel_)));
}

std::size_t KeyBatch::fill(std::size_t start, Chunk& chunk) const {
  const std::size_t end = std::min(keys_.count, start + kChunkKeys);
  chunk.size = 0;
  if (!has_nulls()) {
    for (std::size_t i = start; i < end; ++i) chunk.views[chunk.size++] = view(i);
  } else {
    for (std::size_t i = start; i < end; ++i) {
      if (is_null(i)) continue;
      chunk.places[chunk.size] = static_cast<std::uint16_t>(i - start);
      chunk.views[chunk.size++] = view(i);
    }
  }
  if (is_big_) swap_bytes(chunk);
  return end;
}

void KeyBatch::swap_bytes(Chunk& chunk) const {
  std::size_t total = 0;
  for (std::size_t i = 0; i < chunk.size; ++i) total += chunk.views[i].size();
  chunk.swapped.resize(total);
  std::byte* to = chunk.swapped.data();
  for (std::size_t i = 0; i < chunk.size; ++i) {
    const ByteView from = chunk.views[i];
    for (std::size_t at = 0; at < from.size(); at += unit_)
      std::reverse_copy(from.data() + at, from.data() + at + unit_, to + at);
    chunk.views[i] = {to, from.size()};
    to += from.size();
  }
}

void KeyBatch::scatter(const Chunk& chunk, std::size_t start, std::size_t end, std::uint8_t* out) {
  std::fill(out + start, out + end, std::uint8_t{0});
  for (std::size_t i = 0; i < chunk.size; ++i) out[start + chunk.places[i]] = chunk.answers[i];
}

}  // namespace bloomery::c
