// One filter in many files: its manifest, and parts that are opened when a key needs them. A part
// that is missing, damaged or from another build is an error that names it, never an answer.
#pragma once
#include <memory>
#include <vector>

#include "bloomery/base/file_name.h"
#include "bloomery/filter/health.h"
#include "bloomery/formats/description.h"
#include "bloomery/formats/set/manifest.h"
#include "bloomery/formats/set/part_source.h"

namespace bloomery {

// Read-only, for many readers at once.
class FilterSet {
 public:
  // The body of a part in memory that is smaller is compared with its checksum when it is opened.
  // Of a larger one, and of one that is read block by block, only size and header are.
  static constexpr std::uint64_t kTrustedFrom = std::uint64_t{256} << 20;

  // The manifest's own file, with the parts beside it, which are mapped. No part is opened yet.
  // options.limits bound the manifest; parts take no memory of ours.
  static Result<FilterSet> open(FileName manifest, const DecodeOptions& options);
  // A manifest and parts from anywhere.
  static Result<FilterSet> open(SetManifest manifest, std::unique_ptr<PartSource> source,
                                const std::optional<SipKey>& sip_key);
  FilterSet(FilterSet&& other) noexcept;
  FilterSet& operator=(FilterSet&& other) noexcept;
  ~FilterSet();

  // Opens the parts of these keys and no others, and compares size and header of each with the
  // manifest; bodies as kTrustedFrom says, until verify(). Precondition: one answer for each key.
  Result<bool> may_contain(ByteView key) const;
  Status may_contain_batch(std::span<const ByteView> keys, std::span<std::uint8_t> answers) const;
  Status may_contain_batch(std::span<const Hash128> digests, std::span<std::uint8_t> answers) const;

  // Reads all of a part and compares it with the manifest and with its checksum.
  Status verify_part(std::uint32_t index) const;
  Status verify() const;  // all parts; the error of the first that is wrong
  Status open_all() const;
  // kIo where the file of a part that was opened became shorter: a lookup would end the process.
  Status check_size() const;

  // Of all parts, which it opens: what the one filter that they are says, by all blocks or a large
  // sample.
  Result<Health> health() const;
  // The same of one part, by its share of such a sample or more.
  Result<Health> part_health(std::uint32_t index) const;
  Result<Description> describe() const;

  // The body of a part, compared with its checksum: where it lies in memory, or else read into
  // `buffer`.
  Result<ByteView> body(std::uint32_t index, std::vector<std::byte>& buffer) const;

  const SetManifest& manifest() const;
  BlockShape shape() const { return manifest().shape(); }
  std::uint32_t parts() const { return manifest().count(); }
  const KeyHash& hash() const;
  FunnelName funnel() const { return manifest().whole.funnel; }
  Provenance provenance() const { return manifest().whole.provenance(); }
  // How many parts were opened so far.
  std::uint32_t opened() const;
  // The parts that a key's lines fall into: one, or with several lines up to that many.
  std::vector<std::uint32_t> parts_of(Hash128 digest) const;

 private:
  struct State;
  explicit FilterSet(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace bloomery
