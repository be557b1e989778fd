#include "apps/cli/shell/topics.h"

#include <algorithm>

namespace bloomery::cli {
namespace {

constexpr std::string_view kExitCodes =
    R"(Exit codes

  0   success; for query and eth logs: at least one record or log was selected
  1   nothing was selected
  2   wrong usage, or a file or server that cannot be read or written
  3   not a valid filter: damaged, another version, incompatible parameters, or the wrong secret
  4   refused: the filter is over its design (--strict, --max-fpr) or over the memory limit (-m)

An error is one line on stderr: bloomery, the file, and what is wrong with it.
)";

constexpr std::string_view kFormats =
    R"(Filter formats

A filter file keeps the format of the system it belongs to, byte for byte. `bloomery formats` lists
all formats.

Commands that open a filter recognise its format by its first bytes. Some formats carry no mark
there: name them with --format. A bare bit array also needs what a header would have said:
--keys and --fpr, or --bits and --probes.

  bloomery build --format guava -o seen.guava urls.txt             make a filter for another system
  bloomery query --format go-bloom --keys 10k --fpr 1% bits.bin urls.txt
  bloomery convert --to bits-and-blooms:json -o seen.json seen.bin

`convert` writes a filter in a format that hashes keys the same way. It refuses other formats,
because a filter does not store its keys: they cannot be hashed again.
)";

constexpr std::string_view kKeys =
    R"(From records to keys

A record is a line (newline; -z: NUL; -D CH: another byte). Its key is, in this order:

  1. the whole record, or a part of it:
       -f 2          the second field, as in cut; fields are separated by tabs (-t CH: another byte)
       --json-key P  the value at a JSON Pointer, such as /user/id, or at several: /user,/time
     A record without that part is an error; --missing skip leaves it out
     --trim and -i then ignore white space at its ends, and the case of its letters
  2. decoded:        --hex or --base64, where keys are binary
  3. typed:          --funnel NAME, for filters whose keys are numbers or UTF-16 text:
                     bytes (default), utf16, i8, i16, i32, i64, u64, f32, f64, bool, json
                     (--json-typed: JSON values, of which 1 and "1" differ, and 1 and 1.0 do not)

`dedup` and `query` print the whole record; `query --emit-field` prints the key alone. A filter of
format bloomery stores its funnel, so add and query use the same one. No file stores the options of
steps 1 and 2.
)";

constexpr std::string_view kUnits =
    R"(Numbers and units

Input:
  counts         250, 10M, 1e9       k, M, G, T and P are powers of 1000
  sizes          64Mi, 4Gi, 512MiB   Ki, Mi, Gi, Ti and Pi are powers of 1024
  probabilities  0.001, 0.1%, 1/1000
  times          90 (seconds); --interval takes 300ms, 90s, 5m or 1h

Output:
  counts         1,234,567           decimal, with thousands separators
  memory, files  12.3 MiB            KiB, MiB and GiB are powers of 1024
  rates          0.98 %              below one in a million: 1.2e-07

With --json all numbers are plain: bytes, counts, seconds, and rates between 0 and 1.
)";

constexpr std::string_view kRedis =
    R"(Filters in a Redis server

Where a command takes a filter file it also takes redis://host:port/key (TLS: rediss://).

  bloomery inspect redis://localhost/seen
  bloomery add redis://localhost/seen today.txt                  the server adds the keys
  bloomery convert --to redisbloom -o seen.bin redis://localhost/seen
  bloomery query 'redis://node1/seen?shards=auto' new.txt        one filter over a Redis Cluster

Give passwords with --redis-password-file or BLOOMERY_REDIS_PASSWORD: other users of the machine
can see those in an address.
)";

constexpr HelpTopic kTopics[] = {
    {"exit-codes", "What each exit code means", kExitCodes},
    {"formats", "Filter files of other systems", kFormats},
    {"keys", "Which part of a record is its key", kKeys},
    {"redis", "Filters in a Redis server", kRedis},
    {"units", "How numbers are written and printed", kUnits},
};

}  // namespace

std::span<const HelpTopic> help_topics() { return kTopics; }

const HelpTopic* find_topic(std::string_view name) {
  const auto* found = std::ranges::find(kTopics, name, &HelpTopic::name);
  return found == std::end(kTopics) ? nullptr : found;
}

}  // namespace bloomery::cli
