// Many filters of one shape, turned on their side: row r of the file holds bit r of every filter,
// so that one lookup reads as many rows as a key has probes and answers for all of them.
// (Bit-sliced signatures: Faloutsos 1985; BIGSI and COBS use them for genomes.)
// bloomery/formats/index/change.h makes and changes such files.
#pragma once
#include "bloomery/base/file.h"
#include "bloomery/base/file_name.h"
#include "bloomery/formats/index/directory.h"
#include "bloomery/formats/index/key_rows.h"

namespace bloomery {

// The columns that may hold each key of a batch, ascending. Reuse it for the next batch.
class IndexAnswers {
 public:
  std::size_t size() const { return ends_.size(); }
  std::span<const std::uint64_t> operator[](std::size_t key) const {
    const std::size_t begin = key == 0 ? 0 : ends_[key - 1];
    return std::span{columns_}.subspan(begin, ends_[key] - begin);
  }

 private:
  friend class IndexView;
  std::vector<std::uint64_t> columns_;
  std::vector<std::size_t> ends_;
  // Memory of find(), kept between batches: the rows of a key and of the next, where they lie in a
  // segment, their AND, and its ones.
  std::vector<std::uint64_t> rows_;
  std::vector<const std::byte*> places_;
  std::vector<std::byte> kept_;
  std::vector<std::uint64_t> found_;
};

// The algorithm over bytes of any owner, which must outlive it. Many readers.
class IndexView {
 public:
  // Header, directory and names are verified, rows only by verify(). A keyed index needs its
  // secret.
  static Result<IndexView> open(ByteView file, const DecodeOptions& options);

  // Exactly what may_contain() of each filter says.
  void find(std::span<const ByteView> keys, IndexAnswers& answers) const;

  // Filters have numbers, which are their columns: those that were deleted keep theirs until the
  // index is compacted.
  std::uint64_t columns() const { return first_columns_.back(); }
  std::uint64_t filters() const { return directory_.header.filters; }
  bool is_deleted(std::uint64_t column) const;
  const IndexedFilter& filter(std::uint64_t column) const;

  const NativeHeader& shape() const { return directory_.header.shape; }
  FunnelName funnel() const { return shape().funnel; }
  const KeyHash& hash() const { return rows_.hash(); }
  const IndexDirectory& directory() const { return directory_; }
  // The sum of the filters' rates: how many of them an absent key is expected to be found in.
  double expected_false_hits() const;

  // Reads every row and compares the checksums; kMalformed names the segment and the bytes.
  Status verify() const;

 private:
  IndexView(ByteView file, IndexDirectory directory, const KeyHash& hash);
  std::size_t segment_of(std::uint64_t column) const;
  const std::byte* row(const IndexSegment& segment, std::uint64_t number) const {
    return file_.data() + segment.offset + number * segment.row_bytes();
  }

  ByteView file_;
  IndexDirectory directory_;
  KeyRows rows_;
  std::vector<std::uint64_t> first_columns_;  // of each segment, and one past the last
};

// A file that is queried where it lies: opening costs its names, a lookup a page for each row.
// A process that appends to the index meanwhile does not disturb it: the answers are those of the
// moment when it was opened.
class FilterIndex {
 public:
  static Result<FilterIndex> open(FileName path, const DecodeOptions& options);

  const IndexView& view() const { return view_; }
  const IndexView* operator->() const { return &view_; }
  ByteView file_bytes() const { return file_.bytes(); }
  Status verify() const;  // that of the view, with the file read ahead
  // kIo where the file became shorter than it was: a lookup would then end the process (SIGBUS).
  Status check_size() const { return file_.check_size(); }

 private:
  FilterIndex(MappedFile file, IndexView view) : file_{std::move(file)}, view_{std::move(view)} {}
  MappedFile file_;
  IndexView view_;
};

}  // namespace bloomery
