// The cache of a scan, as it is and with its checksums put right; what is decoded is looked at from
// end to end, and a scan believes it.
#include <algorithm>
#include <cstdlib>

#include "apps/tracker/scan/scanner.h"
#include "apps/tracker/scan/usage_view.h"
#include "bloomery/base/endian.h"
#include "bloomery/hash/xxh.h"

namespace {

using namespace bloomery;
using namespace bloomery::tracker;

constexpr std::size_t kCounts = 48;
constexpr std::size_t kBody = 64;
constexpr std::size_t kLinked = 80;
constexpr std::size_t kFixed = 88;
constexpr std::size_t kCycleBytes = 24;
constexpr std::size_t kLinkedBytes = 24;

std::vector<std::byte> with_right_sums(ByteView input) {
  std::vector<std::byte> bytes{input.begin(), input.end()};
  if (bytes.size() < kFixed) return bytes;
  const auto linked = load_le<std::uint64_t>(bytes.data() + kLinked);
  if (linked > bytes.size()) return bytes;
  std::uint64_t header =
      kFixed + kLinkedBytes * linked + kCycleBytes * load_le<std::uint32_t>(bytes.data() + kCounts);
  for (std::size_t i = 1; i < 4; ++i)
    header += load_le<std::uint32_t>(bytes.data() + kCounts + 4 * i);
  if (header + 8 > bytes.size()) return bytes;
  const auto sum_at = static_cast<std::size_t>(header);
  const ByteView body = ByteView{bytes}.subspan(sum_at + 8);
  store_le(bytes.data() + kBody, static_cast<std::uint64_t>(body.size()));
  store_le(bytes.data() + kBody + 8, xxh3_64(body));
  store_le(bytes.data() + sum_at, xxh3_64(ByteView{bytes}.first(sum_at)));
  return bytes;
}

class NoFolders final : public FolderReader {
 public:
  void enter(std::string_view name) override {
    if (!is_folder_name(name)) std::abort();
    ++depth_;
  }
  void leave() override { --depth_; }
  FolderOutcome read(Listing& listing) override {
    listing = {};
    return depth_ == 0 ? FolderOutcome::kRead : FolderOutcome::kGone;
  }

 private:
  std::size_t depth_ = 0;
};

class NothingChanged final : public ChangeSource {
 public:
  bool may_have_changed(std::string_view, CycleId since) const override { return since.index == 0; }
  std::string gap_since(CycleId) const override { return {}; }
};

void scan_it(const UsageCache& cache, bool minio) {
  NoFolders reader;
  const NothingChanged source;
  const ScanRules rules{.minio_exact = minio, .sweep = 3};
  const ScanFrame frame{.scan = cache.scan + 1, .cycle = {7, 7}, .known = &cache};
  const auto result = scan_tree(reader, source, cache.key, rules, frame, {});
  if (!result) std::abort();
  if (is_whole_tree(cache.body) && !is_whole_tree(result->cache.body)) std::abort();
}

void use(ByteView bytes) {
  const auto cache = decode_usage_cache(bytes, {.max_bytes = 1 << 20});
  if (!cache) return;
  auto again = encode_usage_header(*cache);
  again.insert(again.end(), cache->body.begin(), cache->body.end());
  if (!std::ranges::equal(again, bytes)) std::abort();
  const bool listed = for_each_folder(*cache, [](std::string_view, const FolderRecord&) {});
  if (is_whole_tree(cache->body) && !listed) std::abort();
  (void)largest_folders(*cache, 10);
  scan_it(*cache, false);
  scan_it(*cache, true);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const ByteView input = std::as_bytes(std::span{data, size});
  use(input);
  use(with_right_sums(input));
  return 0;
}
