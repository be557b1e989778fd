#include "bloomery/formats/set/filter_set.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <filesystem>
#include <iomanip>
#include <limits>
#include <mutex>
#include <sstream>
#include <system_error>

#include "bloomery/base/error.h"
#include "bloomery/base/file.h"
#include "bloomery/base/message.h"
#include "bloomery/filter/block/health.h"
#include "bloomery/formats/native/body.h"
#include "bloomery/formats/set/opened_part.h"

namespace bloomery {

using internal::OpenedPart;

namespace {
constexpr std::uint64_t kFewestSamples = 1024;  // blocks of a part, to judge it by
}  // namespace

struct FilterSet::State {
  State(SetManifest from, std::unique_ptr<PartSource> parts_from, const KeyHash& hash_of)
      : manifest{std::move(from)},
        source{std::move(parts_from)},
        hash{hash_of},
        opened(manifest.parts.size()) {}
  ~State() {
    for (auto& part : opened) delete part.load();
  }

  SetManifest manifest;
  std::unique_ptr<PartSource> source;
  KeyHash hash;
  std::vector<std::atomic<const OpenedPart*>> opened;  // null: not yet
  std::mutex opening;

  Error named(std::uint32_t index, const Error& error) const {
    return {error.code, message("part ", index, " of ", manifest.count(), " (",
                                manifest.parts[index].file, "): ", error.message)};
  }

  // Names the file once, and of one that is not there the command that builds it again.
  Error not_opened(std::uint32_t index, const Error& error) const {
    const std::string& file = manifest.parts[index].file;
    const std::size_t at = error.message.find(file + ": ");
    const bool is_path = at != std::string::npos &&
                         error.message.find("://") == std::string::npos &&
                         (at == 0 || error.message[at - 1] == '/');
    if (!is_path) return named(index, error);
    const std::string path = error.message.substr(0, at + file.size());
    std::string sentence = error.message.substr(path.size() + 2);
    if (sentence.ends_with(std::generic_category().message(ENOENT))) sentence += again(index, path);
    return named(index, {error.code, std::move(sentence)});
  }

  std::string again(std::uint32_t index, const std::string& path) const {
    if (manifest.whole.goal_keys == 0)
      return "; build it again by build --part, with the options of the other parts";
    std::ostringstream rate;
    throw_on_failure(rate);
    rate << std::setprecision(std::numeric_limits<double>::digits10) << manifest.whole.goal_rate;
    return message("; build it again, with the other options of the first time: bloomery build ",
                   "--part ", index, "/", manifest.count(), " -n ", manifest.whole.goal_keys,
                   " -p ", rate.str(), " -o ", path, " FILE");
  }

  Result<const OpenedPart*> part(std::uint32_t index) {
    if (const OpenedPart* there = opened[index].load(std::memory_order_acquire)) return there;
    const std::scoped_lock lock{opening};
    if (const OpenedPart* there = opened[index].load(std::memory_order_relaxed)) return there;
    auto reader = source->open(manifest.parts[index].file);
    if (!reader) return not_opened(index, reader.error());
    auto part = OpenedPart::open(manifest, index, std::move(*reader), hash, kTrustedFrom);
    if (!part) return named(index, part.error());
    const auto* made = new OpenedPart{std::move(*part)};
    opened[index].store(made, std::memory_order_release);
    return made;
  }

  template <class Use>
  Status each_part(Use use) {
    for (std::uint32_t i = 0; i < manifest.count(); ++i)
      if (auto done = use(i); !done) return done;
    return ok();
  }
};

FilterSet::FilterSet(std::unique_ptr<State> state) : state_{std::move(state)} {}
FilterSet::FilterSet(FilterSet&& other) noexcept = default;
FilterSet& FilterSet::operator=(FilterSet&& other) noexcept = default;
FilterSet::~FilterSet() = default;

Result<FilterSet> FilterSet::open(FileName name, const DecodeOptions& options) {
  const std::filesystem::path path{name.view()};
  const auto bytes = read_file(path, {std::min(options.limits.max_bytes, kMostManifestBytes)});
  if (!bytes) return bytes.error();
  auto manifest = decode_manifest(*bytes, options.limits);
  if (!manifest) return manifest.error();
  return open(std::move(*manifest), part_folder(path.parent_path().native()), options.sip_key);
}

Result<FilterSet> FilterSet::open(SetManifest manifest, std::unique_ptr<PartSource> source,
                                  const std::optional<SipKey>& sip_key) {
  const auto hash = native_hash(manifest.whole, sip_key);
  if (!hash) return hash.error();
  return FilterSet{std::make_unique<State>(std::move(manifest), std::move(source), *hash)};
}

const SetManifest& FilterSet::manifest() const { return state_->manifest; }
const KeyHash& FilterSet::hash() const { return state_->hash; }

std::uint32_t FilterSet::opened() const {
  return static_cast<std::uint32_t>(
      std::ranges::count_if(state_->opened, [](const auto& part) { return part.load(); }));
}

std::vector<std::uint32_t> FilterSet::parts_of(Hash128 digest) const {
  const BlockShape shape = this->shape();
  std::vector<std::uint32_t> found;
  block::LineWords line{digest.low, digest.high};
  for (std::uint32_t i = 0; i < shape.lines(); ++i, line = block::next_line(line)) {
    const std::uint32_t part =
        part_of_block(block::block_of(line.place, shape.blocks), shape.blocks, parts());
    if (std::ranges::find(found, part) == found.end()) found.push_back(part);
  }
  return found;
}

Result<bool> FilterSet::may_contain(ByteView key) const {
  std::uint8_t answer = 0;
  if (auto asked = may_contain_batch({&key, 1}, {&answer, 1}); !asked) return asked.error();
  return answer != 0;
}

Status FilterSet::may_contain_batch(std::span<const ByteView> keys,
                                    std::span<std::uint8_t> answers) const {
  constexpr std::size_t kPiece = 4096;
  std::vector<Hash128> digests(std::min(kPiece, keys.size()));
  for (std::size_t at = 0; at < keys.size(); at += kPiece) {
    const std::size_t count = std::min(kPiece, keys.size() - at);
    digest_batch(hash(), keys.subspan(at, count), digests);
    const std::span<const Hash128> piece{digests.data(), count};
    if (auto asked = may_contain_batch(piece, answers.subspan(at, count)); !asked) return asked;
  }
  return ok();
}

// The lines of all keys, sorted by part: each part is asked once.
Status FilterSet::may_contain_batch(std::span<const Hash128> digests,
                                    std::span<std::uint8_t> answers) const {
  struct Line {
    std::uint64_t block;
    Hash128 words;
    std::size_t key;
  };
  const BlockShape shape = this->shape();
  std::vector<Line> lines;
  lines.reserve(digests.size() * shape.lines());
  for (std::size_t i = 0; i < digests.size(); ++i) {
    block::LineWords line{digests[i].low, digests[i].high};
    for (std::uint32_t j = 0; j < shape.lines(); ++j, line = block::next_line(line))
      lines.push_back({block::block_of(line.place, shape.blocks), {line.place, line.bits}, i});
  }
  std::ranges::sort(lines, {}, &Line::block);
  std::ranges::fill(answers.first(digests.size()), 1);

  std::vector<Hash128> words;
  std::vector<std::uint8_t> found;
  for (std::size_t at = 0; at < lines.size();) {
    const std::uint32_t index = part_of_block(lines[at].block, shape.blocks, parts());
    const PartRange range = blocks_of({index, parts()}, shape.blocks);
    const std::size_t start = at;
    words.clear();
    for (; at < lines.size() && range.holds(lines[at].block); ++at)
      words.push_back(lines[at].words);
    const auto part = state_->part(index);
    if (!part) return part.error();
    found.resize(words.size());
    if (auto asked = (*part)->lines_found(words, found); !asked)
      return state_->named(index, asked.error());
    for (std::size_t i = start; i < at; ++i) answers[lines[i].key] &= found[i - start];
  }
  return ok();
}

Status FilterSet::open_all() const {
  return state_->each_part([&](std::uint32_t i) -> Status {
    const auto part = state_->part(i);
    return part ? ok() : Status{part.error()};
  });
}

Status FilterSet::check_size() const {
  return state_->each_part([&](std::uint32_t i) -> Status {
    const OpenedPart* part = state_->opened[i].load(std::memory_order_acquire);
    if (part == nullptr) return ok();
    auto valid = part->reader().check_size();
    return valid ? ok() : Status{state_->named(i, valid.error())};
  });
}

Status FilterSet::verify_part(std::uint32_t index) const {
  const auto part = state_->part(index);
  if (!part) return part.error();
  internal::BodyChecksum checksum;
  const auto read = (*part)->each_piece([&](ByteView piece) {
    checksum.add(piece);
    return ok();
  });
  if (!read) return state_->named(index, read.error());
  if (checksum.value() != manifest().parts[index].body_checksum)
    return state_->named(index, internal::damaged_body());
  return ok();
}

Result<ByteView> FilterSet::body(std::uint32_t index, std::vector<std::byte>& buffer) const {
  const auto part = state_->part(index);
  if (!part) return part.error();
  ByteView body = (*part)->reader().bytes();
  if (!body.empty()) {
    body = body.subspan(kNativeHeaderBytes);
  } else {
    buffer.clear();
    const auto read = (*part)->each_piece([&](ByteView piece) {
      buffer.insert(buffer.end(), piece.begin(), piece.end());
      return ok();
    });
    if (!read) return state_->named(index, read.error());
    body = buffer;
  }
  if (internal::body_checksum(std::span{&body, 1}) != manifest().parts[index].body_checksum)
    return state_->named(index, internal::damaged_body());
  return body;
}

Status FilterSet::verify() const {
  return state_->each_part([&](std::uint32_t i) { return verify_part(i); });
}

Result<Health> FilterSet::part_health(std::uint32_t index) const {
  const auto part = state_->part(index);
  if (!part) return part.error();
  const std::uint64_t most = std::max<std::uint64_t>(kHealthBlocks / parts(), kFewestSamples);
  auto health = (*part)->health(provenance().goal, most);
  return health ? health : Result<Health>{state_->named(index, health.error())};
}

// The blocks of the one filter that the parts are: the answer is the same to the last bit.
Result<Health> FilterSet::health() const {
  BlockTally tally{shape()};
  std::uint64_t next = 0;
  for (std::uint32_t i = 0; i < parts(); ++i) {
    const auto part = state_->part(i);
    if (!part) return part.error();
    const PartRange range = blocks_of({i, parts()}, shape().blocks);
    const std::uint64_t first = next;
    while (next < tally.blocks() && range.holds(tally.block(next))) ++next;
    if (auto added = (*part)->add_samples(tally, first, next); !added)
      return state_->named(i, added.error());
  }
  return tally.health(provenance().goal);
}

Result<Description> FilterSet::describe() const {
  const auto all = health();
  if (!all) return all.error();
  Description description;
  const SetManifest& set = manifest();
  description.format = "bloomery-set";
  description.layout = set.whole.kind == NativeKind::kLines ? "lines" : "block";
  description.dialect = set.whole.kind == NativeKind::kLines ? "bloomery-lines" : "bloomery-block";
  description.bits = set.whole.bits;
  description.probes = set.whole.probes;
  description.bytes = set.whole.body_bytes;
  description.keys_inserted = provenance().keys_inserted;
  description.goal = provenance().goal;
  description.health = *all;
  const Hasher& hasher = hash().hasher;
  const bool keyed = hasher.profile() == Profile::kSiphash;
  description.notes.push_back(message(
      "the keys are ", funnel_name(funnel()), ", hashed with ", profile_name(hasher.profile()),
      keyed ? std::string{" (keyed by a secret)"} : message(" (seed ", hasher.seed(), ")")));
  description.notes.push_back(message("the filter lies in ", parts(), " parts"));
  for (std::uint32_t i = 0; i < parts(); ++i) {
    const auto part = part_health(i);
    if (!part) return part.error();
    const PartRange range = blocks_of({i, parts()}, shape().blocks);
    description.layers.push_back({message("part ", i), range.size() * block::kBlockBits,
                                  set.whole.probes, set.parts[i].bytes - kNativeHeaderBytes,
                                  set.parts[i].keys_inserted, std::nullopt, *part});
  }
  return description;
}

}  // namespace bloomery
