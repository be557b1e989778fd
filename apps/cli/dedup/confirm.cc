#include "apps/cli/dedup/confirm.h"

#include <algorithm>
#include <cstring>

namespace bloomery::cli {

std::optional<ByteView> RecordWindow::record_inside(std::uint64_t place) const {
  if (place < place_ || place >= place_ + size_) return std::nullopt;
  const ByteView rest = ByteView{bytes_}.first(size_).subspan(place - place_);
  const auto end = end_of_record(rest);
  if (!end) return whole_ ? std::optional{rest} : std::nullopt;
  return rest.first(*end);
}

std::optional<std::size_t> RecordWindow::end_of_record(ByteView rest) const {
  if (ends_.csv) return input::RowSplitter::end_of_row(rest, *ends_.csv);
  const void* end = std::memchr(rest.data(), std::to_integer<int>(ends_.delimiter), rest.size());
  if (end == nullptr) return std::nullopt;
  return static_cast<std::size_t>(static_cast<const std::byte*>(end) - rest.data());
}

Result<ByteView> RecordWindow::record_at(std::uint64_t place) {
  constexpr std::size_t kBlock = BlockSums::kBlockBytes;
  for (std::size_t bytes = (read_ahead_ + kBlock - 1) / kBlock * kBlock;; bytes *= 2) {
    if (const auto record = record_inside(place)) return *record;
    if (bytes_.size() < bytes) bytes_.resize(bytes);
    const auto found = replay_->read_around(place, ByteSpan{bytes_}.first(bytes));
    if (!found) return found.error();
    place_ = found->place;
    size_ = found->size;
    whole_ = found->whole;
  }
}

Status Confirmation::add(Suspect suspect, ByteView key) {
  if (keys_.size() + key.size() + (pending_.size() + 1) * sizeof(Pending) > budget_bytes_)
    if (auto compared = compare_all(); !compared) return compared;
  pending_.push_back({suspect, keys_.size(), key.size()});
  keys_.insert(keys_.end(), key.begin(), key.end());
  return ok();
}

std::string_view Confirmation::key_of(const Pending& pending) const {
  return text_of(ByteView{keys_}.subspan(pending.key_begin, pending.key_size));
}

Result<bool> Confirmation::repeats_its_first(const Pending& pending) {
  const auto record = window_.record_at(pending.suspect.first_place);
  if (!record) return record.error();
  if (columns_at_) key_reader_.use_columns(columns_at_(pending.suspect.first_place));
  const auto key = key_reader_.keys(std::span{&*record, 1});
  if (!key) return key.error();
  return text_of(key->front()) == key_of(pending);
}

Status Confirmation::compare_all() {
  if (pending_.empty()) return ok();
  std::ranges::sort(pending_, {}, [](const Pending& one) { return one.suspect.first_place; });
  const std::uint64_t apart =
      (pending_.back().suspect.first_place - pending_.front().suspect.first_place) /
      pending_.size();
  // Far apart, a sweep would read mostly bytes that are not needed.
  constexpr std::uint64_t kFar = std::uint64_t{16} << 10;
  window_.read_ahead(apart > kFar ? 4096 : ChunkReader::kChunkBytes);
  std::vector<const Pending*> unconfirmed;
  // The firsts lie in order now, and so their repeats do not.
  constexpr std::size_t kPrefetchAhead = 16;
  for (std::size_t i = 0; i < pending_.size(); ++i) {
    if (i + kPrefetchAhead < pending_.size())
      __builtin_prefetch(keys_.data() + pending_[i + kPrefetchAhead].key_begin);
    const auto repeats = repeats_its_first(pending_[i]);
    if (!repeats) return repeats.error();
    if (!*repeats) unconfirmed.push_back(&pending_[i]);
  }
  judge_unconfirmed(unconfirmed);
  pending_.clear();
  keys_.clear();
  return ok();
}

// Of two equal records, the order of the input decides which came first.
void Confirmation::judge_unconfirmed(std::vector<const Pending*>& unconfirmed) {
  std::ranges::sort(unconfirmed, {}, [](const Pending* one) { return one->suspect.index; });
  for (const Pending* one : unconfirmed)
    if (cleared_keys_.emplace(key_of(*one)).second) cleared_.push_back(one->suspect.index);
}

}  // namespace bloomery::cli
