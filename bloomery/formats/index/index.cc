#include "bloomery/formats/index/index.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "bloomery/base/error.h"
#include "bloomery/base/message.h"
#include "bloomery/simd/bit_matrix_kernels.h"

namespace bloomery {
namespace {

constexpr std::size_t kLine = 64;
constexpr std::size_t kFetchedLines = 4;  // of each row: the processor follows from there

void fetch(const std::byte* row, std::size_t bytes) {
  for (std::size_t at = 0; at < std::min(bytes, kFetchedLines * kLine); at += kLine)
    __builtin_prefetch(row + at);
}

}  // namespace

Result<IndexView> IndexView::open(ByteView file, const DecodeOptions& options) {
  auto directory = decode_index_directory(file, options.limits);
  if (!directory) return directory.error();
  const auto hash = native_hash(directory->header.shape, options.sip_key);
  if (!hash) return hash.error();
  return IndexView{file, std::move(*directory), *hash};
}

IndexView::IndexView(ByteView file, IndexDirectory directory, const KeyHash& hash)
    : file_{file}, directory_{std::move(directory)}, rows_{directory_.header.shape, hash} {
  first_columns_.push_back(0);
  for (const IndexSegment& segment : directory_.segments)
    first_columns_.push_back(first_columns_.back() + segment.columns);
}

std::size_t IndexView::segment_of(std::uint64_t column) const {
  const auto after = std::ranges::upper_bound(first_columns_, column);
  return static_cast<std::size_t>(after - first_columns_.begin()) - 1;
}

bool IndexView::is_deleted(std::uint64_t column) const {
  const std::size_t at = segment_of(column);
  return directory_.segments[at].is_deleted(column - first_columns_[at]);
}

const IndexedFilter& IndexView::filter(std::uint64_t column) const {
  const std::size_t at = segment_of(column);
  return directory_.segments[at].filters[static_cast<std::size_t>(column - first_columns_[at])];
}

double IndexView::expected_false_hits() const {
  double sum = 0;
  for (const IndexSegment& segment : directory_.segments)
    for (std::uint64_t i = 0; i < segment.columns; ++i)
      if (!segment.is_deleted(i)) sum += segment.filters[static_cast<std::size_t>(i)].rate;
  return sum;
}

void IndexView::find(std::span<const ByteView> keys, IndexAnswers& answers) const {
  const auto& kernels = simd::active_bit_matrix_kernels();
  answers.columns_.clear();
  answers.ends_.clear();
  std::uint64_t widest = 0;
  for (const IndexSegment& segment : directory_.segments)
    widest = std::max(widest, segment.row_bytes());
  const std::size_t count = rows_.count();
  auto& kept = answers.kept_;
  auto& found = answers.found_;
  auto& numbers = answers.rows_;
  auto& places = answers.places_;
  kept.resize(static_cast<std::size_t>(widest));
  found.resize(kept.size() * 8 + simd::BitMatrixKernels::kPositionsSlack);
  numbers.resize(2 * count);
  places.resize(count);
  if (!keys.empty()) rows_.find(keys[0], numbers.data());
  for (std::size_t key = 0; key < keys.size(); ++key) {
    std::uint64_t* const mine = numbers.data() + key % 2 * count;
    std::uint64_t* const next = numbers.data() + (key + 1) % 2 * count;
    if (key + 1 < keys.size()) {
      rows_.find(keys[key + 1], next);
      for (const IndexSegment& segment : directory_.segments)
        for (std::size_t i = 0; i < count; ++i)
          fetch(row(segment, next[i]), static_cast<std::size_t>(segment.row_bytes()));
    }
    for (std::size_t at = 0; at < directory_.segments.size(); ++at) {
      const IndexSegment& segment = directory_.segments[at];
      const auto bytes = static_cast<std::size_t>(segment.row_bytes());
      for (std::size_t i = 0; i < count; ++i) places[i] = row(segment, mine[i]);
      if (!kernels.and_rows(places.data(), count, kept.data(), bytes)) continue;
      if (segment.deleted_columns > 0)
        for (std::size_t i = 0; i < bytes; ++i) kept[i] &= ~segment.deleted[i];
      // What lies past the last column of a damaged row is no filter.
      if (const auto past = static_cast<unsigned>(bytes * 8 - segment.columns); past != 0)
        kept[bytes - 1] &= std::byte{0xff} << past;
      const std::size_t hits =
          kernels.positions(kept.data(), bytes, first_columns_[at], found.data());
      answers.columns_.insert(answers.columns_.end(), found.begin(),
                              found.begin() + static_cast<std::ptrdiff_t>(hits));
    }
    answers.ends_.push_back(answers.columns_.size());
  }
}

Status IndexView::verify() const {
  std::vector<std::string_view> names;
  for (std::size_t at = 0; at < directory_.segments.size(); ++at) {
    const IndexSegment& segment = directory_.segments[at];
    if (auto valid = verify_rows(file_, segment, at, shape().bits); !valid) return valid;
    for (std::uint64_t i = 0; i < segment.columns; ++i)
      if (!segment.is_deleted(i))
        names.push_back(segment.filters[static_cast<std::size_t>(i)].name);
  }
  std::ranges::sort(names);
  if (const auto twice = std::ranges::adjacent_find(names); twice != names.end())
    return malformed(message("two filters are called ", *twice));
  return ok();
}

Status FilterIndex::verify() const {
  file_.expect_reads(MappedFile::Reads::kSequential);
  auto valid = view_.verify();
  file_.expect_reads(MappedFile::Reads::kRandom);
  return valid;
}

Result<FilterIndex> FilterIndex::open(FileName path, const DecodeOptions& options) {
  // A process that changes the index may be writing the header or have made the file longer since
  // it was mapped: what is wrong only for a moment is looked at again.
  constexpr int kTries = 4;
  constexpr std::chrono::milliseconds kPause{5};
  for (int tries = 1;; ++tries) {
    auto file = MappedFile::open(path.view());
    if (!file) return file.error();
    file->expect_reads(MappedFile::Reads::kRandom);
    auto view = IndexView::open(file->bytes(), options);
    if (view) return FilterIndex{std::move(*file), std::move(*view)};
    const ErrorCode code = view.error().code;
    const bool may_pass = code == ErrorCode::kMalformed || code == ErrorCode::kTruncated;
    if (!may_pass || tries == kTries || file->bytes().size() < kIndexHeaderBytes)
      return view.error();
    std::this_thread::sleep_for(kPause);
  }
}

}  // namespace bloomery
