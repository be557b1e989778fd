// The output of a run of dedup: its records, marked or counted as the options say, and its repeats.
#pragma once
#include "apps/cli/dedup/options.h"

namespace bloomery::cli {

class RecordPrinter {
 public:
  // Precondition: the options outlive the printer.
  RecordPrinter(const DedupOptions& options, bool prints_records)
      : options_{&options}, prints_records_{prints_records} {}

  // Opens the files, or goes on with those that the state describes.
  Status open(const CheckpointState* resumed);
  // What is printed of a chunk; by many threads.
  Status arrange(Chunk& chunk) const;
  Status print(Chunk& chunk);  // in input order
  // Once, before the first row of CSV; at the end, where no row was printed. Null: nothing.
  Status print_preamble(const CsvPreamble* preamble);
  bool prints_anything() const { return prints_records_ || !options_->dupes.empty(); }

  // All that was printed is complete, and with `sync` on the disk.
  Status settle(bool sync);
  // Gives the files their names.
  Status publish();
  // Removes files that are not complete.
  void abandon();
  std::uint64_t output_bytes() const { return output_->size(); }
  std::uint64_t dupes_bytes() const { return dupes_ ? dupes_->size() : 0; }

 private:
  Status check_values(const Chunk& chunk) const;
  // What separates a mark or a number from its record: that of the columns, with CSV.
  std::byte separator() const;

  const DedupOptions* options_;
  bool prints_records_;
  bool has_preamble_ = false;
  std::optional<Destination> output_;
  std::optional<Destination> dupes_;
};

}  // namespace bloomery::cli
