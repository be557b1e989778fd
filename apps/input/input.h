// Bytes of records from a file or stdin, plain, gzip or zstd: which of them is told by the first
// bytes, not by the name.
#pragma once
#include <memory>
#include <optional>
#include <string>

#include "bloomery/base/bytes.h"
#include "bloomery/base/result.h"

namespace bloomery::input {

enum class Compression : std::uint8_t { kNone, kGzip, kZstd };
Compression recognise(ByteView first_bytes);

class Input {
 public:
  // "-" is stdin. Reads the first bytes, so on a pipe it waits for them.
  static Result<Input> open(const std::string& path);
  Input(Input&&) noexcept;
  Input& operator=(Input&&) noexcept;
  ~Input();

  // Up to into.size() bytes, as soon as there are any; 0 at the end. Concatenated members follow
  // one another; compressed data that end early are an error. Errors name the file.
  Result<std::size_t> read(ByteSpan into);

  const std::string& name() const;  // for messages: the path, or "standard input"
  Compression compression() const;
  std::optional<std::uint64_t> file_bytes() const;  // of a regular file, as it lies on disk
  std::uint64_t consumed_bytes() const;             // of the file, as it lies on disk
  // Lets whoever opens stdin next find all that this input found; it is not read any more.
  // Precondition: file_bytes() is known.
  Status put_back();
  // Plain regular files only: continues at this byte of the file, counted from where it was opened.
  Status skip_to(std::uint64_t byte);

 private:
  struct State;
  explicit Input(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace bloomery::input
