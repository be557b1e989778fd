// From a record to its key: the part of the record, its encoding, and its funnel.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "apps/cli/records/csv_header.h"
#include "apps/cli/records/fields.h"
#include "apps/cli/records/json_keys.h"
#include "apps/cli/records/key_text.h"
#include "apps/cli/records/sources.h"
#include "apps/cli/shell/options.h"
#include "apps/input/input.h"
#include "bloomery/funnel/text_key.h"

namespace bloomery::cli {

// What becomes of a record that lacks the field or the JSON value that its key is.
enum class MissingKey : std::uint8_t { kError, kSkip, kEmpty };

struct RecordOptions {
  std::byte delimiter{'\n'};
  std::byte separator{'\t'};
  std::vector<FieldRange> fields;  // empty: the whole record
  std::optional<JsonKeys> json_key;
  std::optional<CsvOptions> csv;  // records are rows; `fields` and `separator` are not used then
  MissingKey missing = MissingKey::kError;
  bool plain_quotes = false;        // a field may begin with a double quote
  bool prints_rows = false;         // the command prints records: dedup and query
  bool prints_without_key = false;  // dedup prints the records that kSkip leaves out elsewhere
  bool crlf = false;                // the CR at the end of a record is no part of its key
  bool ignore_case = false;
  bool trim = false;  // of ASCII white space
  SourceOptions sources = {};
  input::InputOptions input = {};
  bool hex = false;
  bool base64 = false;
  std::optional<FunnelName> funnel;  // empty: the filter's own, or bytes
  // EventHorizon's PutShort loses the value and keeps only the sign: 0000 or ffff.
  bool csharp_exact = false;

  input::RecordEnds ends() const { return csv ? row_ends(*csv) : input::RecordEnds{delimiter}; }
};

void add_record_options(CommandLine& app, RecordOptions& options);

// An error for options that do not go together, once the funnel is known.
Status check_key_options(const RecordOptions& options);

// The byte order of numbers in keys: big-endian for eventhorizon, little-endian elsewhere.
ByteOrder byte_order_of(std::string_view format);

class KeyReader {
 public:
  KeyReader(RecordOptions options, ByteOrder order);

  // One key for each record, valid until the next call and as long as the records are. Fails at the
  // first record that is no key; `failed` is then its index, and `keys_before` are the keys of the
  // records before it.
  Result<std::span<const ByteView>> keys(std::span<const ByteView> records);
  std::size_t failed() const { return options_.csv ? keys_.size() : ends_.size(); }
  std::span<const ByteView> keys_before() const { return keys_; }
  // Of the last call, with MissingKey::kSkip: 1 for each record with a key, 0 for each without,
  // whose key is empty. No flags at all where every record has its key.
  std::span<const std::uint8_t> has_key() const { return has_key_; }
  const RecordOptions& options() const { return options_; }
  ByteOrder order() const { return sink_.order(); }
  bool is_identity() const { return is_identity_; }  // the record is its key

  // Of CSV: the columns of the file that the records are of.
  void use_columns(std::shared_ptr<const CsvColumns> columns) { columns_ = std::move(columns); }
  // Of the last call: the malformed rows, which have no key; the one that it failed at, or all.
  struct Malformed {
    std::size_t record;
    CsvFault fault;
  };
  std::span<const Malformed> malformed() const { return malformed_; }

  // From now on, parts() are the fields or the JSON value that each key of a call was made of.
  void keep_parts() { keeps_parts_ = true; }
  bool keeps_parts() const { return keeps_parts_; }
  std::span<const ByteView> parts() const { return parts_; }

 private:
  // False: there is no such part, and such records are skipped.
  Result<bool> append_key(ByteView record);
  Result<bool> append_part(ByteView record, std::vector<std::byte>& to);
  // An error of a key that begins with or has its fault at this byte of the text that was decoded:
  // it ends in the byte of the record, " (byte 7)", counted from 1.
  Error with_place(const Error& error, ByteView record, std::size_t fault) const;
  // The keys of --json-key with types (funnel json), whole, and without them.
  Result<bool> append_typed(std::string_view record);
  Result<bool> append_json(std::string_view record, std::vector<std::byte>& to);
  Status normalize(std::string& text) const;
  Result<bool> found(bool is_there, std::string_view record_lacks) const;
  void view_keys();
  void view_parts();
  void keep_part(ByteView part);
  // Rows of CSV: see csv_keys.cc.
  Result<std::span<const ByteView>> csv_keys(std::span<const ByteView> rows);
  bool split_row(ByteView row, const std::byte* readable);
  Status append_csv_key();
  void keep_csv_part();
  void view_csv_keys();
  // After an error `fault` is its byte of the part, counted from 0.
  Status append_decoded(ByteView part, std::vector<std::byte>& to, std::size_t& fault) const;
  Status append_typed(ByteView typed);

  RecordOptions options_;
  bool is_identity_;
  FieldRules field_rules_;
  std::uint64_t last_field_;
  ByteSink sink_;
  JsonKeys::Values values_;
  std::string text_;
  std::vector<std::byte> part_;
  std::vector<std::byte> decoded_;
  std::vector<std::byte> arena_;  // of a whole batch; views are taken once it has stopped growing
  std::vector<std::size_t> ends_;
  std::vector<ByteView> keys_;
  std::vector<std::uint8_t> has_key_;
  bool keeps_parts_ = false;
  std::vector<std::byte> parts_arena_;
  std::vector<std::size_t> part_ends_;
  std::vector<ByteView> parts_;
  std::shared_ptr<const CsvColumns> columns_;
  CsvRow row_;
  CsvFault fault_;
  std::vector<std::size_t> in_arena_;  // the rows whose keys are, and not in the row itself
  std::vector<Malformed> malformed_;
};

}  // namespace bloomery::cli
