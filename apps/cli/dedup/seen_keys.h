// The keys that dedup has seen: its own filter, which takes every new key, and filters of keys that
// count as seen from the start and are only queried.
#pragma once
#include <optional>
#include <vector>

#include "apps/cli/filters/plan.h"
#include "apps/cli/filters/queryable_filter.h"
#include "apps/cli/records/chunk.h"

namespace bloomery::cli {

struct SeenKeysOptions {
  std::vector<std::string> against;
  std::string against_format = "auto";
  std::string save;  // empty: nothing is kept
  NewFilterOptions filter;
  double default_rate = kDefaultRate;
  std::string counted_how = "counted";  // how `counted` of open_seen_keys was found, for the plan
};

class SeenKeys {
 public:
  // `opened` describes the filter as it is now; to describe it is to read all of it.
  SeenKeys(AnyFilter filter, const Format* format, std::vector<QueryableFilter> against,
           Description opened = {})
      : filter_{std::move(filter)},
        opened_{std::move(opened)},
        format_{format},
        against_{std::move(against)} {}

  // is_new[i] is 1 where no filter may contain the key, which the own filter then takes. Returns
  // how many. Precondition: one answer for each key.
  Result<std::size_t> take(std::span<const ByteView> keys, std::span<std::uint8_t> is_new);
  // The same for a chunk's keys and answers. A record without a key is new, and taken by no filter.
  Result<std::size_t> take(Chunk& chunk);

  const AnyFilter& filter() const { return *filter_; }
  AnyFilter& filter() { return *filter_; }
  const Description& opened() const { return opened_; }  // the filter before the first key
  void forget() { filter_.reset(); }                     // frees the memory; no query follows
  const Format& format() const { return *format_; }
  std::span<const QueryableFilter> against() const { return against_; }
  // kIo where a part of one became shorter while it was in use: what was cut off reads as zeros,
  // and records of it as new.
  Status check_against() const;

 private:
  Result<std::size_t> take_unless_against(std::span<const ByteView> keys,
                                          std::span<std::uint8_t> is_new);

  std::optional<AnyFilter> filter_;
  Description opened_;
  const Format* format_;
  std::vector<QueryableFilter> against_;
  std::vector<std::uint8_t> answers_;
  std::vector<ByteView> unknown_;
  std::vector<std::size_t> places_;
  std::vector<ByteView> present_;  // keys of records that have one
  std::vector<std::uint8_t> present_is_new_;
};

// Opens the filters to query and the saved one, or makes a new one as `inputs` need it and prints
// the plan. Takes the funnel that the filters record. Complains, and sets the session's exit code,
// where it cannot. `counted`, where known, is the number of records.
std::optional<SeenKeys> open_seen_keys(SeenKeysOptions& options, RecordOptions& records,
                                       std::vector<InputFile>& inputs,
                                       std::optional<std::uint64_t> counted, Session& session);

// The same with the own filter from a checkpoint. The file of --save is locked, and not read.
struct EncodedKeys {
  std::string path;  // for messages
  std::string format;
  ByteView filter;
};
std::optional<SeenKeys> resume_seen_keys(SeenKeysOptions& options, RecordOptions& records,
                                         const EncodedKeys& encoded, Session& session);

}  // namespace bloomery::cli
