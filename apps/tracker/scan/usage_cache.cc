// The bytes of a usage cache. All numbers little-endian:
//   "BLMUSAGE", u32 version, u32 flags (1 one file system, 2 MinIO's rules, 4 the sweep has begun),
//   u64 scan, u64 full_from, i64 saved, u64 sweep step, u32 cycles, u32 bytes of root, u32 of key,
//   u32 of the sweep's last; u64 bytes of the body, u64 XXH3-64 of the body, u64 linked files; each
//   cycle: u64 scan, u64 number, u64 token; root, key, last; each linked file: u64 device, u64
//   inode, u64 names elsewhere; u64 XXH3-64 of all before it; the body (usage_record.cc).
#include "apps/tracker/scan/usage_cache.h"

#include <algorithm>

#include "apps/tracker/state/paths.h"
#include "apps/tracker/state/private_files.h"
#include "bloomery/base/byte_reader.h"
#include "bloomery/base/byte_writer.h"
#include "bloomery/base/file.h"
#include "bloomery/hash/xxh.h"

namespace bloomery::tracker {
namespace {

constexpr std::string_view kMagic = "BLMUSAGE";
constexpr std::uint32_t kVersion = 1;
constexpr std::uint32_t kOneFileSystem = 1;
constexpr std::uint32_t kMinioRules = 2;
constexpr std::uint32_t kSweepBegun = 4;
constexpr std::uint64_t kLinkedBytes = 24;

Error malformed(std::string_view what) {
  return {ErrorCode::kMalformed, message("a usage cache: ", what)};
}

struct Lengths {
  std::uint32_t cycles, root, key, last;
  std::uint64_t body, body_sum, linked;
};

Status check_frame(ByteReader& reader) {
  const ByteView magic = reader.take(kMagic.size());
  const auto version = reader.le<std::uint32_t>();
  if (reader.failed()) return reader.truncated("a usage cache");
  if (text_of(magic) != kMagic) return malformed("it begins with BLMUSAGE, and this does not");
  if (version != kVersion)
    return Error{ErrorCode::kUnsupported,
                 message("a usage cache: unsupported version ", version, "; upgrade bloomery")};
  return ok();
}

Status read_cycles(ByteReader& reader, std::uint32_t count, UsageCache& cache) {
  if (count > kMostScanCycles) return malformed("it names more cycles than there can be");
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto scan = reader.le<std::uint64_t>();
    const auto index = reader.le<std::uint64_t>();
    const auto token = reader.le<std::uint64_t>();
    if (reader.failed()) return reader.truncated("the cycles of a usage cache");
    if (scan > cache.scan || (i > 0 && scan <= cache.cycles.back().scan))
      return malformed("its scans are not in order");
    cache.cycles.push_back({scan, {index, token}});
  }
  return ok();
}

Status read_linked(ByteReader& reader, std::uint64_t count, UsageCache& cache) {
  if (count > reader.remaining() / kLinkedBytes)
    return malformed("it names more linked files than its bytes can hold");
  cache.elsewhere.reserve(static_cast<std::size_t>(count));
  for (std::uint64_t i = 0; i < count; ++i) {
    LinkedFile file;
    file.device = reader.le<std::uint64_t>();
    file.inode = reader.le<std::uint64_t>();
    file.names = reader.le<std::uint64_t>();
    cache.elsewhere.push_back(file);
  }
  const auto order = [](const LinkedFile& a, const LinkedFile& b) {
    return std::pair{a.device, a.inode} < std::pair{b.device, b.inode};
  };
  return std::ranges::is_sorted(cache.elsewhere, order) ? ok()
                                                        : malformed("its files are not in order");
}

Status check_header(const UsageCache& cache) {
  if (!cache.root.starts_with('/') || !is_clean(cache.key) || !is_clean(cache.sweep.last))
    return malformed("a path in it is not clean");
  if (cache.full_from > cache.scan) return malformed("a scan of everything began after the last");
  return ok();
}

Result<UsageCache> read_header(ByteReader& reader, Lengths& lengths) {
  UsageCache cache;
  const auto flags = reader.le<std::uint32_t>();
  cache.one_file_system = (flags & kOneFileSystem) != 0;
  cache.minio_rules = (flags & kMinioRules) != 0;
  cache.sweep.begun = (flags & kSweepBegun) != 0;
  cache.scan = reader.le<std::uint64_t>();
  cache.full_from = reader.le<std::uint64_t>();
  cache.saved_unix = reader.le<std::int64_t>();
  cache.sweep.step = reader.le<std::uint64_t>();
  lengths.cycles = reader.le<std::uint32_t>();
  lengths.root = reader.le<std::uint32_t>();
  lengths.key = reader.le<std::uint32_t>();
  lengths.last = reader.le<std::uint32_t>();
  lengths.body = reader.le<std::uint64_t>();
  lengths.body_sum = reader.le<std::uint64_t>();
  lengths.linked = reader.le<std::uint64_t>();
  if (reader.failed()) return reader.truncated("a usage cache");
  if (flags > (kOneFileSystem | kMinioRules | kSweepBegun))
    return malformed("an unknown flag is set");
  if (auto read = read_cycles(reader, lengths.cycles, cache); !read) return read.error();
  cache.root = text_of(reader.take(lengths.root));
  cache.key = text_of(reader.take(lengths.key));
  cache.sweep.last = text_of(reader.take(lengths.last));
  if (reader.failed()) return reader.truncated("the paths of a usage cache");
  if (auto read = read_linked(reader, lengths.linked, cache); !read) return read.error();
  return cache;
}

// All of the header, and its checksum.
Result<UsageCache> read_checked_header(ByteView bytes, ByteReader& reader, Lengths& lengths) {
  if (auto framed = check_frame(reader); !framed) return framed.error();
  auto cache = read_header(reader, lengths);
  if (!cache) return cache;
  const std::uint64_t sum = xxh3_64(bytes.first(reader.position()));
  if (reader.le<std::uint64_t>() != sum || reader.failed())
    return malformed("the checksum of its header is wrong: it is damaged or cut off");
  if (auto checked = check_header(*cache); !checked) return checked.error();
  return cache;
}

}  // namespace

CycleId UsageCache::cycle_of(std::uint64_t of_scan) const {
  const auto found = std::ranges::find(cycles, of_scan, &ScanCycle::scan);
  return found == cycles.end() ? CycleId{} : found->cycle;
}

bool UsageCache::is_same_tree(const UsageCache& other) const {
  return root == other.root && key == other.key && one_file_system == other.one_file_system &&
         minio_rules == other.minio_rules;
}

std::vector<std::byte> encode_usage_header(const UsageCache& cache) {
  ByteWriter writer;
  writer.put(bytes_of(kMagic));
  writer.le(kVersion);
  writer.le((cache.one_file_system ? kOneFileSystem : 0U) | (cache.minio_rules ? kMinioRules : 0U) |
            (cache.sweep.begun ? kSweepBegun : 0U));
  writer.le(cache.scan);
  writer.le(cache.full_from);
  writer.le(cache.saved_unix);
  writer.le(cache.sweep.step);
  writer.le(static_cast<std::uint32_t>(cache.cycles.size()));
  writer.le(static_cast<std::uint32_t>(cache.root.size()));
  writer.le(static_cast<std::uint32_t>(cache.key.size()));
  writer.le(static_cast<std::uint32_t>(cache.sweep.last.size()));
  writer.le(static_cast<std::uint64_t>(cache.body.size()));
  writer.le(xxh3_64(cache.body));
  writer.le(static_cast<std::uint64_t>(cache.elsewhere.size()));
  for (const ScanCycle& cycle : cache.cycles) {
    writer.le(cycle.scan);
    writer.le(cycle.cycle.index);
    writer.le(cycle.cycle.token);
  }
  writer.put(bytes_of(cache.root));
  writer.put(bytes_of(cache.key));
  writer.put(bytes_of(cache.sweep.last));
  for (const LinkedFile& file : cache.elsewhere) {
    writer.le(file.device);
    writer.le(file.inode);
    writer.le(file.names);
  }
  auto bytes = writer.take();
  const std::uint64_t sum = xxh3_64(bytes);
  bytes.resize(bytes.size() + sizeof sum);
  store_le(bytes.data() + bytes.size() - sizeof sum, sum);
  return bytes;
}

Result<UsageCache> decode_usage_header(ByteView bytes) {
  ByteReader reader{bytes};
  Lengths lengths{};
  return read_checked_header(bytes, reader, lengths);
}

Result<UsageCache> decode_usage_cache(ByteView bytes, DecodeLimits limits) {
  if (bytes.size() > limits.max_bytes)
    return Error{ErrorCode::kTooLarge, message("a usage cache of ", bytes.size(),
                                               " bytes is above the limit of ", limits.max_bytes)};
  ByteReader reader{bytes};
  Lengths lengths{};
  auto cache = read_checked_header(bytes, reader, lengths);
  if (!cache) return cache;
  if (lengths.body != reader.remaining())
    return malformed(message("it should have ", lengths.body, " bytes after its header, and has ",
                             reader.remaining()));
  const ByteView body = reader.rest();
  if (xxh3_64(body) != lengths.body_sum)
    return malformed("the checksum of its folders is wrong: it is damaged");
  const auto root = read_record(body);
  if (!root || root->all.size() != body.size() || !root->name.empty())
    return malformed("the root's record contradicts itself");
  cache->body.assign(body.begin(), body.end());
  return cache;
}

Result<UsageCache> load_usage_cache(const std::filesystem::path& path, DecodeLimits limits) {
  const auto bytes = read_file(path, limits);
  if (!bytes) return bytes.error();
  auto cache = decode_usage_cache(*bytes, limits);
  if (!cache) return Error{cache.error().code, message(path.string(), ": ", cache.error().message)};
  return cache;
}

Status save_usage_cache(const std::filesystem::path& path, const UsageCache& cache) {
  const auto header = encode_usage_header(cache);
  const ByteView parts[] = {header, cache.body};
  return save_private(path, parts);
}

}  // namespace bloomery::tracker
