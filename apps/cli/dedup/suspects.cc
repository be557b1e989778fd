#include "apps/cli/dedup/suspects.h"

#include <utility>

#include "apps/cli/shell/numbers.h"
#include "bloomery/base/message.h"

namespace bloomery::cli {
namespace {

constexpr std::size_t kFirstSlots = 4096;
constexpr std::size_t kWord = sizeof(std::uint64_t);
__extension__ using Wide = unsigned __int128;

}  // namespace

std::uint64_t* SuspectTable::slots() const {
  return reinterpret_cast<std::uint64_t*>(slots_.span().data());
}

// Scaled, not reduced: any number of slots will do, so the table can grow by half.
std::size_t SuspectTable::home(std::uint64_t fingerprint) const {
  return static_cast<std::size_t>((Wide{fingerprint} * slot_count_) >> 64);
}

std::size_t SuspectTable::find(std::uint64_t fingerprint) const {
  const std::uint64_t* const all = slots();
  std::size_t at = home(fingerprint);
  while (all[at] != 0 && all[at] != fingerprint) at = at + 1 == slot_count_ ? 0 : at + 1;
  return at;
}

void SuspectTable::prefetch(std::uint64_t fingerprint) const {
  if (slot_count_ == 0) return;
  const std::size_t at = home(stored(fingerprint));
  __builtin_prefetch(slots() + at);
  if (places_.size() != 0) __builtin_prefetch(places_.view().data() + at * kWord);
}

Error SuspectTable::too_large(std::uint64_t bytes) const {
  return {ErrorCode::kTooLarge,
          message("to confirm ", size_, " suspected repeats takes ", format_bytes(bytes),
                  "; --memory allows ", format_bytes(max_bytes_))};
}

Status SuspectTable::insert(std::uint64_t fingerprint) {
  fingerprint = stored(fingerprint);
  if (size_ >= slot_count_ / 4 * 3)
    if (auto grown = grow(); !grown) return grown;
  const std::size_t at = find(fingerprint);
  if (slots()[at] == fingerprint) return ok();
  slots()[at] = fingerprint;
  ++size_;
  return ok();
}

std::uint64_t SuspectTable::peak_bytes(std::uint64_t suspects) {
  std::uint64_t slots = suspects == 0 ? 0 : kFirstSlots;
  while (suspects > slots / 4 * 3) slots += slots / 2;
  return slots * kWord * 2;
}

Status SuspectTable::grow() {
  const std::size_t larger = slot_count_ == 0 ? kFirstSlots : slot_count_ / 2 * 3;
  // The places will take as much again.
  if (larger * kWord * 2 > max_bytes_) return too_large(larger * kWord * 2);
  const Buffer old = std::exchange(slots_, Buffer{larger * kWord});
  const auto* const fingerprints = reinterpret_cast<const std::uint64_t*>(old.view().data());
  const std::size_t old_count = std::exchange(slot_count_, larger);
  for (std::size_t i = 0; i < old_count; ++i)
    if (fingerprints[i] != 0) slots()[find(fingerprints[i])] = fingerprints[i];
  return ok();
}

void SuspectTable::make_places() { places_ = Buffer{slot_count_ * kWord}; }

std::uint64_t* SuspectTable::place_of(std::uint64_t fingerprint) {
  if (slot_count_ == 0) return nullptr;
  const std::size_t at = find(stored(fingerprint));
  if (slots()[at] == 0) return nullptr;
  return reinterpret_cast<std::uint64_t*>(places_.span().data()) + at;
}

}  // namespace bloomery::cli
