// From a record to its key: which part of it counts, how that part is written, and which funnel
// pours it.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "apps/cli/cli11.h"
#include "apps/cli/fields.h"
#include "apps/cli/key_text.h"
#include "bloomery/funnel/text_key.h"

namespace bloomery::cli {

struct RecordOptions {
  std::byte delimiter{'\n'};
  std::byte separator{'\t'};
  std::vector<FieldRange> fields;  // empty: the whole record
  std::optional<JsonKey> json_key;
  bool hex = false;
  bool base64 = false;
  std::optional<FunnelName> funnel;  // empty: the filter's own, or bytes
  // EventHorizon's PutShort loses the value and keeps only the sign: 0000 or ffff.
  bool csharp_exact = false;
};

void add_record_options(CLI::App& app, RecordOptions& options);

// Byte order is the format's: the C# design pours numbers big-endian.
ByteOrder byte_order_of(std::string_view format);

class KeyReader {
 public:
  KeyReader(RecordOptions options, ByteOrder order);

  // One key for each record, valid until the next call and as long as the records are. Fails at the
  // first record that is no key; `failed` is then its index.
  Result<std::span<const ByteView>> keys(std::span<const ByteView> records);
  std::size_t failed() const { return ends_.size(); }

 private:
  Status append_key(ByteView record);
  Status append_part(ByteView record, std::vector<std::byte>& to);
  Status append_decoded(ByteView part, std::vector<std::byte>& to) const;
  Status append_poured(ByteView typed);

  RecordOptions options_;
  bool is_identity_;
  ByteSink sink_;
  std::vector<std::byte> part_;
  std::vector<std::byte> decoded_;
  std::vector<std::byte> arena_;  // of a whole batch; views are taken once it has stopped growing
  std::vector<std::size_t> ends_;
  std::vector<ByteView> keys_;
};

}  // namespace bloomery::cli
