// Where records are printed to: standard output, or a file that appears under its name when it is
// complete. Both may be compressed.
#pragma once
#include <memory>
#include <optional>
#include <string>

#include "apps/cli/dedup/replay.h"

namespace bloomery::cli {

enum class OutputCompression : std::uint8_t { kNone, kZstd, kGzip };

struct DestinationOptions {
  std::string path;                                   // empty: standard output
  std::optional<OutputCompression> compression = {};  // empty: by the end of the path, .zst or .gz
  bool force = false;                                 // a file that exists is replaced

  OutputCompression chosen() const;
};

// A stream of compressed data in frames (zstd) or members (gzip). Decompressors read several of
// them as one.
class Compressor {
 public:
  virtual ~Compressor() = default;
  // Appends what is ready. `last` ends the frame; the next bytes begin another one.
  virtual Status compress(ByteView bytes, bool last, std::vector<std::byte>& to) = 0;
  static Result<std::unique_ptr<Compressor>> make(OutputCompression how);  // null for kNone
};

class Destination {
 public:
  // A regular file, or one that is not there yet, is written as PATH.partial and renamed at the
  // end. Devices and pipes are written as they are.
  static Result<Destination> open(const DestinationOptions& options);
  // Goes on behind the first `size` bytes of PATH.partial; what lies behind them is removed. With
  // `finished`, PATH itself may be there already.
  static Result<Destination> resume(const DestinationOptions& options, std::uint64_t size,
                                    bool finished);
  Destination(Destination&& other) noexcept = default;
  Destination& operator=(Destination&& other) noexcept = default;
  ~Destination() = default;

  Status write(ByteView bytes);
  // Ends the frame and forces all of it to the disk: what was written so far is complete in itself.
  Status settle(bool sync);
  // Gives the file its name. Nothing to do for standard output. Precondition: settled.
  Status publish();
  // Removes PATH.partial.
  void abandon();

  std::uint64_t size() const { return size_; }  // as it lies on disk
  const std::string& name() const { return name_; }
  int descriptor() const;

 private:
  explicit Destination(std::string name) : name_{std::move(name)} {}
  static Result<Destination> prepare(const DestinationOptions& options);
  Status open_partial(bool create);
  Status write_plainly(ByteView bytes);

  std::string name_;     // for messages
  std::string path_;     // empty: not renamed
  std::string partial_;  // empty: none
  Descriptor file_{-1};  // -1: standard output, or published already
  bool is_stdout_ = false;
  bool published_ = false;
  bool in_frame_ = false;
  std::uint64_t size_ = 0;
  std::unique_ptr<Compressor> compressor_;
  std::vector<std::byte> compressed_;
};

// An error where the path, or the name it has before it is complete, is one of the files that the
// run reads.
Status refuse_destination(const std::string& path, const std::vector<InputFile>& read);

}  // namespace bloomery::cli
