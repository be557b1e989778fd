// Bytes of records from a file, a pipe or stdin, plain or compressed: recognised by the first
// bytes, not by the name. Inputs that hold no records are refused.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "apps/input/kinds.h"
#include "bloomery/base/bytes.h"
#include "bloomery/base/limits.h"
#include "bloomery/base/result.h"

namespace bloomery::input {

struct InputOptions {
  // Empty: seen from the first bytes, and what is no text is refused (kInvalidArgument). Else the
  // bytes are taken for this, and what is inside is not looked at.
  std::optional<Compression> decompress = {};
  // For the sentence of a refusal: the command that reads, and what makes it take the bytes.
  std::string consumer = "bloomery";
  std::string way_around = {};
  bool nul_ends_records = false;  // and so does not tell that the text is UTF-16
  // Not empty: the records are the values of this column of a Parquet file (column_records.h),
  // which is then not refused.
  std::string column = {};
  bool reads_columns = false;  // the command can read one: the refusal of a Parquet file says so
  DecodeLimits limits = {};    // of a page of such a file, decompressed, and of its list of columns
  // "; did you mean ...?" for a column that is not there, or nothing.
  std::function<std::string(std::string_view, std::span<const std::string>)> suggest = {};
  // For xz data in several blocks (xz -T writes them), which are then decompressed at once.
  std::uint32_t threads = 1;
};

class Input {
 public:
  // "-" is stdin. Reads the first bytes, so on a pipe it waits for them; they are not lost. Never
  // seeks unless asked to.
  static Result<Input> open(const std::string& path, InputOptions options = {});
  Input(Input&&) noexcept;
  Input& operator=(Input&&) noexcept;
  ~Input();

  // Up to into.size() bytes, as soon as there are any; 0 at the end. Concatenated members follow
  // one another; compressed data that end early are an error, and so is a regular file that became
  // shorter meanwhile. Errors name the file.
  Result<std::size_t> read(ByteSpan into);
  // The first bytes that read() will give, at least this many unless the input ends before;
  // they stay to be read. For the beginning of an input.
  Result<ByteView> peek(std::size_t bytes);

  // From now on a thread reads and decompresses up to this many bytes ahead of read(), and
  // consumed_bytes() counts what lies behind the bytes that read() gave, block by block. Without a
  // thread nothing changes. Precondition: peek, put_back and skip_to are not called any more.
  void read_ahead(std::size_t most_bytes);

  const std::string& name() const;  // for messages: the path, or "standard input"
  Compression compression() const;
  std::optional<std::uint64_t> file_bytes() const;  // of a regular file, as it lies on disk
  std::uint64_t consumed_bytes() const;             // of the file, as it lies on disk
  // The next reader of stdin finds all that this input found; this input is not read any more.
  // Precondition: file_bytes() is known.
  Status put_back();
  // Plain regular files only: continues at this byte of the file, counted from where it was opened.
  Status skip_to(std::uint64_t byte);

 private:
  struct State;
  explicit Input(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// "urls.gz: record 12: the gzip data end early", of an error that names the input or does not.
Error at_place(const Error& error, std::string_view input_name, std::string_view unit,
               std::uint64_t number);
// The message without the input's name and colon before it.
Error without_name(const Error& error, std::string_view input_name);

}  // namespace bloomery::input
