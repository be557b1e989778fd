#include "apps/cli/dedup/repeat_table.h"

#include <utility>

#include "apps/cli/shell/numbers.h"
#include "bloomery/base/message.h"

namespace bloomery::cli {
namespace {

constexpr std::size_t kFirstRepeatSlots = 4096;
__extension__ using WideProduct = unsigned __int128;

}  // namespace

RepeatTable::Slot* RepeatTable::slots() const {
  return reinterpret_cast<Slot*>(slots_.span().data());
}

// Scaled, not reduced: any number of slots will do, so the table can grow by half.
std::size_t RepeatTable::home(std::uint64_t fingerprint) const {
  return static_cast<std::size_t>((WideProduct{fingerprint} * slot_count_) >> 64);
}

std::size_t RepeatTable::place_of(std::uint64_t fingerprint) const {
  const Slot* const all = slots();
  std::size_t at = home(fingerprint);
  while (all[at].fingerprint != 0 && all[at].fingerprint != fingerprint)
    at = at + 1 == slot_count_ ? 0 : at + 1;
  return at;
}

void RepeatTable::prefetch(std::uint64_t fingerprint) const {
  if (slot_count_ != 0) __builtin_prefetch(slots() + home(stored(fingerprint)));
}

Result<std::uint64_t*> RepeatTable::put(std::uint64_t fingerprint) {
  fingerprint = stored(fingerprint);
  if (size_ >= slot_count_ / 4 * 3)
    if (auto grown = grow(); !grown) return grown.error();
  Slot& slot = slots()[place_of(fingerprint)];
  if (slot.fingerprint == 0) ++size_;
  slot.fingerprint = fingerprint;
  return &slot.number;
}

std::uint64_t* RepeatTable::find(std::uint64_t fingerprint) {
  if (slot_count_ == 0) return nullptr;
  Slot& slot = slots()[place_of(stored(fingerprint))];
  return slot.fingerprint == 0 ? nullptr : &slot.number;
}

std::uint64_t RepeatTable::peak_bytes(std::uint64_t fingerprints) {
  std::uint64_t slots = fingerprints == 0 ? 0 : kFirstRepeatSlots;
  std::uint64_t old = 0;  // it is there until its entries are in the new one
  while (fingerprints > slots / 4 * 3) slots += (old = slots) / 2;
  return (slots + old) * sizeof(Slot);
}

Status RepeatTable::grow() {
  const std::size_t larger = slot_count_ == 0 ? kFirstRepeatSlots : slot_count_ / 2 * 3;
  if (larger * sizeof(Slot) > max_bytes_)
    return Error{ErrorCode::kTooLarge,
                 message("the table of ", format_count(size_), " repeated keys takes ",
                         format_bytes(larger * sizeof(Slot)), "; --memory allows ",
                         format_bytes(max_bytes_))};
  const Buffer old = std::exchange(slots_, Buffer{larger * sizeof(Slot)});
  const auto* const entries = reinterpret_cast<const Slot*>(old.view().data());
  const std::size_t old_count = std::exchange(slot_count_, larger);
  for (std::size_t i = 0; i < old_count; ++i)
    if (entries[i].fingerprint != 0) slots()[place_of(entries[i].fingerprint)] = entries[i];
  return ok();
}

}  // namespace bloomery::cli
