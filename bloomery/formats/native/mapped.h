// A filter in a file of ours, asked where it lies: opening costs one page, not the whole file.
#pragma once
#include "bloomery/base/file.h"
#include "bloomery/formats/native/native.h"

namespace bloomery {

// Read-only, for many readers. To change the file, replace it, as save_native does. Where another
// process overwrites it in place, answers change but stay within its bytes; where it truncates the
// file, see MappedFile.
class MappedNative {
 public:
  // Verifies the header, its checksum and the length of the file; the body is trusted until
  // verify(), but for the seeds of a block filter. kUnsupported for counting and scalable filters:
  // load them. options.limits do not apply: a mapping takes no memory of ours.
  static Result<MappedNative> open(const std::filesystem::path& path, const DecodeOptions& options);

  Status verify() const;  // reads the whole body and compares its checksum
  // kIo where the file became shorter than it was: a lookup would then end the process (SIGBUS).
  Status check_size() const { return file_.check_size(); }
  ByteView file_bytes() const { return file_.bytes(); }  // all of the mapping

  bool may_contain(ByteView key) const {
    return is_block() ? block_.may_contain(key) : classic().may_contain(key);
  }
  void may_contain_batch(std::span<const ByteView> keys, std::span<std::uint8_t> answers) const {
    assert(answers.size() >= keys.size());
    if (is_block())
      block_.may_contain_batch(keys, {answers.data(), nullptr});
    else
      classic().may_contain_batch(keys, answers);
  }
  Health health() const;  // reads the whole body, or a large sample of blocks
  NativeKind kind() const { return header_.kind; }
  Shape shape() const { return header_.shape(); }
  FunnelName funnel() const { return header_.funnel; }
  const KeyHash& hash() const { return hash_; }
  // Left open for writing, or open right now: no checksum vouches for the body.
  bool was_open() const { return header_.is_open(); }
  Provenance provenance() const;  // nobody counted the keys of a file that was open
  ByteView bytes() const { return file_.bytes().subspan(kNativeHeaderBytes); }

 private:
  MappedNative(MappedFile file, const NativeHeader& header, const KeyHash& hash);
  bool is_block() const { return header_.kind == NativeKind::kBlock; }
  ClassicView<BloomeryClassic, const std::byte> classic() const {
    return {header_.shape(), modulus_, bytes(), BloomeryClassic{hash_}};
  }

  MappedFile file_;
  NativeHeader header_;
  Modulus modulus_;
  KeyHash hash_;
  BlockView<const std::byte> block_;  // of a block filter
};

// What it says of itself, as describe() of a loaded one.
Description describe(const MappedNative& mapped);

}  // namespace bloomery
