// A block filter in a file that is far away: a lookup fetches the pages of the blocks that its keys
// fall into, and no others.
#pragma once
#include <memory>
#include <span>

#include "bloomery/filter/provenance.h"
#include "bloomery/formats/description.h"
#include "bloomery/formats/options.h"
#include "bloomery/remote/file.h"

namespace bloomery {

// One thread at a time.
class RemoteBlock {
 public:
  // True where the file is one of ours with layout block or lines, or with a header that open()
  // will refuse. Other filters are read whole.
  static bool suits(const RemoteFile& file);
  // Verifies the header and the length. Pages are trusted as they come, but for the numbers of
  // window sets; once all of them were fetched, the checksum of the body is verified. kTooLarge
  // where the body is larger than options.limits: what is fetched stays in memory.
  static Result<RemoteBlock> open(RemoteFile file, const DecodeOptions& options);
  RemoteBlock(RemoteBlock&& other) noexcept;
  RemoteBlock& operator=(RemoteBlock&& other) noexcept;
  ~RemoteBlock();

  // Fetches what is missing for these keys, or all that is missing where that is less than twice as
  // much. Precondition: one answer for each key.
  Status may_contain_batch(std::span<const ByteView> keys, std::span<std::uint8_t> answers);
  // Everything that is missing, and the checksum.
  Status fetch_all();

  FunnelName funnel() const;
  bool was_open() const;  // left open for writing: the body has no valid checksum
  Provenance provenance() const;
  Description describe() const;  // its health is empty unless all was fetched
  const RemoteFile& file() const;

 private:
  struct State;
  explicit RemoteBlock(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace bloomery
