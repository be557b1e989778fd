// An input that can be read several times and at any position: regular plain files themselves, and
// a nameless temporary copy of pipes and compressed files. Bytes that changed since the first read
// are an error, and never returned.
#pragma once
#include <string>
#include <vector>

#include "apps/cli/dedup/blocks.h"
#include "apps/cli/records/chunk_sequence.h"

namespace bloomery::cli {

// An open file, closed with the object unless it is stdin.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_{number} {}
  Descriptor(Descriptor&& other) noexcept : number_{std::exchange(other.number_, -1)} {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor();
  int number() const { return number_; }
  int release() { return std::exchange(number_, -1); }

 private:
  int number_;
};

class Replay {
 public:
  // Copies what must be copied, into TMPDIR or /tmp.
  // `option` made the run read its input again, for messages.
  static Result<Replay> open(const std::vector<InputFile>& inputs, const RecordEnds& ends,
                             std::string_view option = "--exact");

  std::uint64_t bytes() const { return bytes_; }
  // Of the copies, which were counted as they were made; the rest of the inputs is in plain().
  std::uint64_t copied_records() const { return copied_records_; }
  const std::vector<InputFile>& plain() const { return plain_; }

  // For one more reading from the start. Precondition: the replay outlives and does not move.
  std::vector<OpenFile> files() const;

  struct Found {
    std::uint64_t place = 0;  // of the first byte
    std::size_t size = 0;
    bool whole = false;  // the file ends here
  };
  // The block around a place that is counted over all files, and the blocks behind it; stops where
  // its file ends. Precondition: there is room for whole blocks (BlockSums::kBlockBytes), and for
  // one at least.
  Result<Found> read_around(std::uint64_t place, ByteSpan into) const;

 private:
  struct Part {
    std::string name;
    Descriptor file;
    std::uint64_t start;  // in the file
    std::uint64_t bytes;
    std::uint64_t place;  // of its first byte, counted over all files
    std::string option;
    mutable BlockSums sums{bytes};
  };
  class Reading;
  Replay() = default;
  Status add(const InputFile& input, const RecordEnds& ends);
  Result<std::uint64_t> copy_column(ColumnRecords& column, const Descriptor& to,
                                    const RecordEnds& ends);
  Result<std::uint64_t> copy(Input& input, const Descriptor& to, const RecordEnds& ends);
  static Result<std::size_t> read_blocks(const Part& part, std::uint64_t from, ByteSpan into);

  std::string option_;
  std::vector<Part> parts_;
  std::vector<InputFile> plain_;
  std::uint64_t bytes_ = 0;
  std::uint64_t copied_records_ = 0;
};

}  // namespace bloomery::cli
