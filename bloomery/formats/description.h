// What a filter says of itself, for people and for --json: one struct for every kind of filter. A
// member that a format cannot know is empty.
#pragma once
#include <string>
#include <vector>

#include "bloomery/filter/health.h"

namespace bloomery {

struct LayerDescription {  // one layer, table, cycle or column of a filter that has many
  std::string name;
  std::uint64_t bits = 0;
  std::uint32_t probes = 0;
  std::uint64_t bytes = 0;
  std::optional<std::uint64_t> keys_inserted;
  std::optional<Goal> goal;
  Health health{};
};

struct ColumnDescription {  // of a table that holds filters
  std::string name;
  std::string type;
  std::uint64_t values = 0;  // nulls are among them where the file does not count those
};

struct Description {
  std::string format;  // as --format spells it
  std::string
      layout;  // "classic", "block", "lines", "counting", "scalable", "cuckoo", "split-block", ...
  std::string dialect;  // which bits a key sets
  std::optional<std::uint64_t> bits;
  std::optional<std::uint32_t> probes;
  std::uint64_t bytes = 0;  // of the filter in memory
  std::optional<std::uint64_t> keys_inserted;
  std::optional<Goal> goal;
  std::optional<Health> health;
  bool has_checksum = false;  // it was verified: a filter that fails its checksum is never loaded
  std::vector<LayerDescription> layers;
  std::vector<ColumnDescription> columns;  // of a Parquet file
  std::vector<std::string> notes;          // what a user of this format should know, in sentences
};

// What every filter with one array of bits can say.
template <class Filter>
Description describe_classic(const Filter& filter, std::string_view format) {
  Description description;
  description.format = format;
  description.layout = "classic";
  description.dialect = Filter::DialectType::kName;
  description.bits = filter.shape().bits;
  description.probes = filter.shape().probes;
  description.bytes = filter.size_bytes();
  description.keys_inserted = filter.provenance().keys_inserted;
  description.goal = filter.provenance().goal;
  description.health = filter.health();
  return description;
}

}  // namespace bloomery
