#include "bloomery/formats/index/segment_writer.h"

#include <algorithm>

#include "bloomery/base/message.h"
#include "bloomery/hash/xxh.h"
#include "bloomery/simd/bit_matrix_kernels.h"

namespace bloomery::internal {
namespace {

constexpr std::uint64_t kStretchRows = 8 * simd::BitMatrixKernels::kRowBytesMultiple;

std::uint64_t padded_to(std::uint64_t value, std::uint64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

// Checksums of pieces of one length, however the bytes come.
class PieceSums {
 public:
  void add(ByteView bytes) {
    while (!bytes.empty()) {
      const auto step = static_cast<std::size_t>(
          std::min<std::uint64_t>(bytes.size(), kIndexPieceBytes - in_piece_));
      piece_.add(bytes.first(step));
      in_piece_ += step;
      bytes = bytes.subspan(step);
      if (in_piece_ == kIndexPieceBytes) end_piece();
    }
  }
  std::vector<std::byte> table() {
    if (in_piece_ > 0) end_piece();
    return std::move(sums_);
  }

 private:
  void end_piece() {
    sums_.resize(sums_.size() + 8);
    store_le(sums_.data() + sums_.size() - 8, piece_.value());
    piece_ = BodyChecksum{};
    in_piece_ = 0;
  }
  BodyChecksum piece_;
  std::uint64_t in_piece_ = 0;
  std::vector<std::byte> sums_;
};

class SegmentWriter {
 public:
  SegmentWriter(const SegmentPlan& plan, PositionedFile& file, std::uint64_t from)
      : plan_{plan}, file_{file} {
    segment_.offset = padded_to(from, kIndexPage);
    segment_.columns = plan.columns();
    for (const OldColumns& old : plan.old) {
      runs_.push_back(runs_of_zeros(old.segment->deleted, old.segment->columns));
      old_columns_ += old.segment->live_columns();
    }
    choose_stretch();
  }

  Result<IndexSegment> run() {
    const std::uint64_t rows = plan_.shape.bits;
    const std::uint64_t row_bytes = segment_.row_bytes();
    // Rows that were damaged would get a checksum that matches.
    for (std::size_t i = 0; i < plan_.old.size(); ++i)
      if (auto valid = verify_rows(plan_.old[i].file, *plan_.old[i].segment, i, rows); !valid)
        return valid.error();
    std::uint64_t at = segment_.offset;
    for (std::uint64_t first = 0; first < rows; first += stretch_) {
      if (plan_.stop != nullptr && plan_.stop())
        return Error{ErrorCode::kIo, "interrupted; the index is as it was"};
      std::ranges::fill(out_, std::byte{0});
      const std::uint64_t count = std::min(stretch_, rows - first);
      copy_old(first, count);
      if (auto turned = turn_filters(first, count); !turned) return turned.error();
      const ByteView done = ByteView{out_}.first(static_cast<std::size_t>(count * row_bytes));
      sums_.add(done);
      if (auto written = file_.write_at(at, done); !written) return written.error();
      at += done.size();
      if (plan_.progress) plan_.progress((first + count) * row_bytes, rows * row_bytes);
    }
    return finish();
  }

 private:
  // An odd number of cache lines of each filter, so that those of many do not meet in one set of
  // the cache. Beside the rows there are the bits of the filters, and where the filters do not
  // begin at a byte of the row, their rows.
  void choose_stretch() {
    const std::uint64_t width = padded_to(std::max<std::uint64_t>(1, plan_.filters.size()), 8) / 8;
    const std::uint64_t per_stretch = kStretchRows * (segment_.row_bytes() + 2 * width);
    std::uint64_t stretches = std::max<std::uint64_t>(1, plan_.memory / per_stretch);
    stretches = std::min(stretches, padded_to(plan_.shape.bits, kStretchRows) / kStretchRows);
    if (stretches % 2 == 0 && stretches * kStretchRows < plan_.shape.bits) --stretches;
    stretch_ = stretches * kStretchRows;
    out_.resize(static_cast<std::size_t>(stretch_ * segment_.row_bytes()));
    if (plan_.filters.empty()) return;
    bits_.resize(static_cast<std::size_t>(width * 8 * (stretch_ / 8)));
    if (old_columns_ % 8 != 0) turned_.resize(static_cast<std::size_t>(stretch_ * width));
  }

  void copy_old(std::uint64_t first, std::uint64_t count) {
    std::uint64_t column = 0;
    for (std::size_t i = 0; i < plan_.old.size(); ++i) {
      const IndexSegment& old = *plan_.old[i].segment;
      const std::byte* from = plan_.old[i].file.data() + old.offset + first * old.row_bytes();
      std::byte* to = out_.data();
      for (std::uint64_t row = 0; row < count; ++row) {
        std::uint64_t next = column;
        for (const BitRun& run : runs_[i]) {
          copy_bits(from, run.first, to, next, run.count);
          next += run.count;
        }
        from += old.row_bytes();
        to += segment_.row_bytes();
      }
      column += old.live_columns();
    }
  }

  Status turn_filters(std::uint64_t first, std::uint64_t count) {
    if (plan_.filters.empty()) return ok();
    const auto stride = static_cast<std::size_t>(stretch_ / 8);
    const std::uint64_t first_byte = first / 8;
    const auto bytes = static_cast<std::size_t>(
        std::min<std::uint64_t>(stride, plan_.shape.body_bytes - first_byte));
    for (std::size_t i = 0; i < plan_.filters.size(); ++i) {
      const ByteSpan line = ByteSpan{bits_}.subspan(i * stride, stride);
      if (auto got = plan_.filters[i].read(first_byte, line.first(bytes)); !got) return got;
      std::ranges::fill(line.subspan(bytes), std::byte{0});
    }
    const auto& kernels = simd::active_bit_matrix_kernels();
    const std::size_t padded = bits_.size() / stride;
    const auto row_bytes = static_cast<std::size_t>(segment_.row_bytes());
    if (turned_.empty()) {
      kernels.transpose(bits_.data(), padded, stride, out_.data() + old_columns_ / 8, row_bytes);
      return ok();
    }
    const std::size_t width = padded / 8;
    kernels.transpose(bits_.data(), padded, stride, turned_.data(), width);
    for (std::size_t row = 0; row < count; ++row)
      copy_bits(turned_.data() + row * width, 0, out_.data() + row * row_bytes, old_columns_,
                plan_.filters.size());
    return ok();
  }

  Result<IndexSegment> finish() {
    for (const OldColumns& old : plan_.old)
      for (std::uint64_t i = 0; i < old.segment->columns; ++i)
        if (!old.segment->is_deleted(i))
          segment_.filters.push_back(old.segment->filters[static_cast<std::size_t>(i)]);
    for (const FilterReader& reader : plan_.filters) {
      auto filter = reader.finish();
      if (!filter) return filter.error();
      segment_.filters.push_back(std::move(*filter));
    }
    const std::uint64_t rows = plan_.shape.bits;
    segment_.deleted.resize(static_cast<std::size_t>(segment_.row_bytes()));
    const auto sums = sums_.table();
    segment_.sums_checksum = xxh3_64(sums);
    const auto names = encode_filter_table(segment_.filters);
    segment_.names_bytes = names.size();
    segment_.names_checksum = xxh3_64(names);
    if (auto written = file_.write_at(segment_.sums_offset(rows), sums); !written)
      return written.error();
    if (auto written = file_.write_at(segment_.names_offset(rows), names); !written)
      return written.error();
    return std::move(segment_);
  }

  const SegmentPlan& plan_;
  PositionedFile& file_;
  IndexSegment segment_;
  std::vector<std::vector<BitRun>> runs_;  // of the live columns of each old segment
  std::uint64_t old_columns_ = 0;
  std::uint64_t stretch_ = 0;  // rows at a time
  std::vector<std::byte> out_;
  std::vector<std::byte> bits_;    // of the filters, one after the other
  std::vector<std::byte> turned_;  // their rows, where they must be moved by bits
  PieceSums sums_;
};

}  // namespace

std::uint64_t SegmentPlan::columns() const {
  std::uint64_t sum = filters.size();
  for (const OldColumns& columns : old) sum += columns.segment->live_columns();
  return sum;
}

Result<IndexSegment> write_segment(const SegmentPlan& plan, PositionedFile& file,
                                   std::uint64_t from) {
  return SegmentWriter{plan, file, from}.run();
}

}  // namespace bloomery::internal
