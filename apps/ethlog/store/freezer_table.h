// One table of geth's freezer: an index file and numbered data files of immutable values,
// read-only.
#pragma once
#include <filesystem>
#include <map>
#include <optional>
#include <vector>

#include "apps/ethlog/store/read_at.h"
#include "bloomery/base/limits.h"
#include "bloomery/base/result.h"

namespace bloomery::ethlog {

// Safe for many readers. geth must not run on the files; one that changes is an error at most.
class FreezerTable {
 public:
  // Looks for NAME.cidx (values are snappy blocks) or NAME.ridx (raw). After a crash index and data
  // may disagree: then values end where the shorter does.
  static Result<FreezerTable> open(const std::filesystem::path& folder, const std::string& name,
                                   DecodeLimits limits);

  std::uint64_t first() const { return first_; }  // those before were pruned
  std::uint64_t end() const { return deleted_ + values_; }
  // Nothing outside first() .. end() - 1.
  Result<std::optional<std::vector<std::byte>>> value(std::uint64_t number) const;

 private:
  struct Place {
    std::uint16_t file;
    std::uint32_t offset;  // where the value ends
  };
  FreezerTable(std::string name, ReadAt index, DecodeLimits limits)
      : name_{std::move(name)}, index_{std::move(index)}, limits_{limits} {}
  // Those of an entry and of the next.
  Result<std::pair<Place, Place>> places(std::uint64_t entry) const;
  Status open_data(const std::filesystem::path& folder);
  Status read_meta(const std::filesystem::path& folder);
  Status count_values();
  Result<std::vector<std::byte>> stored(std::uint64_t number) const;

  std::string name_;
  ReadAt index_;
  DecodeLimits limits_;
  bool compressed_ = false;
  std::map<std::uint16_t, ReadAt> data_;
  std::uint64_t deleted_ = 0;  // values whose bytes are gone from the front
  std::uint64_t values_ = 0;   // values behind them
  std::uint64_t first_ = 0;
};

}  // namespace bloomery::ethlog
