// Where the files of a set of parts lie: a folder, an object store, memory. The set asks for a part
// only once a key needs it, and then for a few blocks of it, or for all of its bytes in place.
#pragma once
#include <memory>
#include <span>
#include <string_view>

#include "bloomery/base/bytes.h"
#include "bloomery/base/result.h"

namespace bloomery {

// Some bytes of a file and where they go.
struct PartBytes {
  std::uint64_t offset;
  ByteSpan into;
};

// One file that was opened. Any number of threads may call it at once.
class PartReader {
 public:
  PartReader() = default;
  PartReader(const PartReader&) = delete;
  PartReader& operator=(const PartReader&) = delete;
  virtual ~PartReader() = default;

  virtual std::uint64_t size_bytes() const = 0;
  // All of the file, where it lies in memory: then read() is not called. Empty elsewhere.
  virtual ByteView bytes() const { return {}; }
  // Fills all ranges; their offsets ascend, so that near ones can be read together. Precondition:
  // they lie within the file. kIo where they cannot be read; the message need not name the file.
  virtual Status read(std::span<const PartBytes> ranges) const = 0;
  // kIo where the file became shorter since it was opened.
  virtual Status check_size() const { return ok(); }
};

class PartSource {
 public:
  PartSource() = default;
  PartSource(const PartSource&) = delete;
  PartSource& operator=(const PartSource&) = delete;
  virtual ~PartSource() = default;

  // The file of a part, by its name in the manifest: relative, with / between folders, without
  // "..". kIo where it is not there or cannot be opened; the message names the file or address.
  virtual Result<std::unique_ptr<PartReader>> open(std::string_view file) = 0;
};

// Files beside a manifest, mapped. An empty folder is the current one.
std::unique_ptr<PartSource> part_folder(std::string_view folder);

}  // namespace bloomery
