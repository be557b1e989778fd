// A block filter that grows in its file: keys are inserted where it lies, so that it may be larger
// than memory and nothing has to be saved at the end.
#pragma once
#include "bloomery/base/file.h"
#include "bloomery/formats/native/native.h"

namespace bloomery {

// One writer, in one process; others may read the file meanwhile. From open() to close() the file
// carries the flag "open for writing". A program that dies in between leaves it there, and every
// key it had inserted; the next to open the file counts them anew. (A machine that dies keeps what
// was synced.)
class MappedBlock {
 public:
  // Verifies the whole file first, unless it was left open: close() writes a checksum of the bytes
  // as they are. Then sets the flag and syncs it. kIo where another process has the file open for
  // writing, kUnsupported for a filter that is neither block nor lines.
  static Result<MappedBlock> open(FileName path, const DecodeOptions& options);

  // Key is a ByteView, a Hash128, or a std::uint64_t where the keys are whole numbers.
  // Precondition of every function that writes: close() was not called.
  template <class Key>
  bool insert(Key key) {  // true if certainly new
    return counted(view_.insert(key) ? 1 : 0) != 0;
  }
  // Returns how many were new. Precondition of the second: one answer per key.
  template <class Key>
  std::size_t insert_batch(std::span<const Key> keys) {
    return counted(view_.insert_batch(keys));
  }
  template <class Key>
  std::size_t insert_batch(std::span<const Key> keys, std::span<std::uint8_t> is_new) {
    assert(is_new.size() >= keys.size());
    return counted(view_.insert_batch(keys, {is_new.data(), nullptr}));
  }
  template <class Key>
  bool may_contain(Key key) const {
    return view_.may_contain(key);
  }
  template <class Key>
  std::size_t may_contain_batch(std::span<const Key> keys, std::span<std::uint8_t> answers) const {
    assert(answers.size() >= keys.size());
    return view_.may_contain_batch(keys, {answers.data(), nullptr});
  }

  // Every key inserted so far survives even a loss of power.
  Status sync() { return file_.sync(); }
  // Reads the whole body for its checksum, and makes the file whole again. Without it, or where it
  // fails, the file stays as after a crash.
  Status close();

  BlockShape block_shape() const { return view_.shape(); }
  KeyHash hash() const { return view_.hash(); }
  FunnelName funnel() const { return header_.funnel; }
  bool was_open() const { return was_open_; }  // by a program that did not close it
  Provenance provenance() const { return header_.provenance(); }
  Health health() const;

 private:
  MappedBlock(WritableMappedFile file, const NativeHeader& header, const KeyHash& hash);
  Status mark_open();
  std::size_t counted(std::size_t added) {
    assert(header_.is_open());
    if (header_.keys_inserted != kNativeCountUnknown) header_.keys_inserted += added;
    return added;
  }

  WritableMappedFile file_;
  NativeHeader header_;  // as it is now; the file's own is written at open() and close()
  BlockView<> view_;
  bool was_open_;
};

}  // namespace bloomery
