// A filter in a file of ours, queried where it lies: opening costs a page or two, not the whole
// file.
#pragma once
#include <cassert>

#include "bloomery/base/file_name.h"
#include "bloomery/filter/block/view.h"
#include "bloomery/filter/health.h"
#include "bloomery/filter/provenance.h"
#include "bloomery/formats/options.h"

namespace bloomery {

enum class NativeKind : std::uint16_t;
struct Description;

// Read-only, for many readers. To change the file, replace it, as save_native does. Where another
// process overwrites it in place, answers change but stay within its bytes; where it truncates the
// file, see MappedFile.
class MappedNative {
 public:
  // Every kind of filter. Verifies the header, its checksum and the length of the file; the body is
  // trusted until verify(), but for the seeds of a block filter and the table of a scalable one.
  // options.limits do not apply: a mapping takes no memory of ours.
  static Result<MappedNative> open(FileName path, const DecodeOptions& options);
  MappedNative(MappedNative&& other) noexcept;
  MappedNative& operator=(MappedNative&& other) noexcept;
  ~MappedNative();

  Status verify() const;  // reads the whole body and compares its checksum
  // kIo where the file became shorter than it was: a lookup would then end the process (SIGBUS).
  Status check_size() const;
  ByteView file_bytes() const;  // all of the mapping

  bool may_contain(ByteView key) const {
    return is_block_ ? block_.may_contain(key) : other_may_contain(key);
  }
  // Precondition: one answer for each key.
  void may_contain_batch(std::span<const ByteView> keys, std::span<std::uint8_t> answers) const {
    assert(answers.size() >= keys.size());
    if (is_block_)
      block_.may_contain_batch(keys, {answers.data(), nullptr});
    else
      other_may_contain_batch(keys, answers.first(keys.size()));
  }
  Health health() const;  // reads the whole body, or a large sample of blocks
  NativeKind kind() const;
  Shape shape() const;  // of a scalable filter: of its first layer
  FunnelName funnel() const;
  const KeyHash& hash() const;
  // Left open for writing, or open right now: the body has no valid checksum.
  bool was_open() const;
  Provenance provenance() const;  // a file that was open has no count of its keys
  ByteView bytes() const;         // the body

 private:
  struct State;  // the mapping, the header, the layers
  friend Description describe(const MappedNative& mapped);

  explicit MappedNative(State* state);  // takes it over
  bool other_may_contain(ByteView key) const;
  void other_may_contain_batch(std::span<const ByteView> keys,
                               std::span<std::uint8_t> answers) const;

  State* state_;
  bool is_block_;
  BlockView<const std::byte> block_;  // of a block filter
};

// What it says of itself, as describe() of a loaded one.
Description describe(const MappedNative& mapped);

}  // namespace bloomery
