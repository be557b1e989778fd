// A classic filter in a file of ours, asked where it lies: opening costs one page, not the whole
// file.
#pragma once
#include "bloomery/base/file.h"
#include "bloomery/formats/native.h"

namespace bloomery {

// Read-only, for many readers. The file must not shrink while it is mapped: replace it, as
// save_native does.
class MappedNative {
 public:
  // Verifies the header, its checksum and the length of the file; the body is trusted until
  // verify(). kUnsupported for counting and scalable filters: load them. options.limits do not
  // apply: a mapping takes no memory of ours.
  static Result<MappedNative> open(const std::filesystem::path& path, const DecodeOptions& options);

  Status verify() const;  // reads the whole body and compares its checksum

  bool may_contain(ByteView key) const { return view().may_contain(key); }
  void may_contain_batch(std::span<const ByteView> keys, std::span<std::uint8_t> answers) const {
    view().may_contain_batch(keys, answers);
  }
  Health health() const;  // reads the whole body
  Shape shape() const { return header_.shape(); }
  FunnelName funnel() const { return header_.funnel; }
  const BloomeryClassic& dialect() const { return dialect_; }
  Provenance provenance() const { return header_.provenance(); }
  ByteView bytes() const { return file_.bytes().subspan(kNativeHeaderBytes); }

 private:
  MappedNative(MappedFile file, const NativeHeader& header, const BloomeryClassic& dialect)
      : file_{std::move(file)}, header_{header}, modulus_{header.bits}, dialect_{dialect} {}
  ClassicView<BloomeryClassic, const std::byte> view() const {
    return {header_.shape(), modulus_, bytes(), dialect_};
  }

  MappedFile file_;
  NativeHeader header_;
  Modulus modulus_;
  BloomeryClassic dialect_;
};

}  // namespace bloomery
