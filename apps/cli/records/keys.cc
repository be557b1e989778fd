#include "apps/cli/records/keys.h"

#include <utility>

#include "bloomery/base/message.h"

namespace bloomery::cli {
namespace {

constexpr const char* kRecordGroup = "Records";

template <class Parse, class Use>
Option::Store parsed_by(Parse parse, Use use) {
  return [parse, use](const std::string& text) -> Status {
    auto value = parse(text);
    if (!value) return value.error();
    use(std::move(*value));
    return ok();
  };
}

Result<FunnelName> parse_funnel(const std::string& name) {
  if (const auto funnel = find_funnel(name)) return *funnel;
  return Error{
      ErrorCode::kInvalidArgument,
      "'" + name + "' is not one of bytes, utf16, i8, i16, i32, i64, u64, f32, f64 or bool"};
}

Result<MissingKey> parse_missing(const std::string& name) {
  if (name == "error") return MissingKey::kError;
  if (name == "skip") return MissingKey::kSkip;
  if (name == "empty") return MissingKey::kEmpty;
  return Error{ErrorCode::kInvalidArgument, "'" + name + "' is not one of error, skip or empty"};
}

Result<bool> parse_quotes(const std::string& name) {
  if (name == "plain" || name == "refuse") return name == "plain";
  return Error{ErrorCode::kInvalidArgument, "'" + name + "' is not refuse or plain"};
}

Result<std::optional<input::Compression>> parse_decompress(const std::string& name) {
  if (name == "auto") return std::optional<input::Compression>{};
  if (const auto found = input::find_compression(name)) return found;
  return Error{ErrorCode::kInvalidArgument,
               "'" + name + "' is not one of auto, none, gzip, zstd, xz, bzip2 or lz4"};
}

void add_splitting(CommandLine& app, RecordOptions& options) {
  const auto set_delimiter = [&options](std::byte delimiter) {
    options.delimiter = delimiter;
    options.input.nul_ends_records = delimiter == std::byte{0};
  };
  auto* null =
      app.add_flag("-z,--null", Callback<void()>{[set_delimiter] { set_delimiter(std::byte{0}); }},
                   "Records end in NUL, not newline");
  app.add_option("-D,--delimiter", parsed_by(parse_byte, set_delimiter),
                 "Records end in this byte; \\t and \\x1f are understood")
      ->value_name("CH")
      ->excludes(null)
      ->group(kRecordGroup);
  null->group(kRecordGroup);
  app.add_flag("--crlf", options.crlf,
               "Records end in CR LF; the CR is printed, but not part of the key")
      ->group(kRecordGroup);
  app.add_option(
         "-Z,--decompress",
         parsed_by(parse_decompress,
                   [&](std::optional<input::Compression> how) { options.input.decompress = how; }),
         "Compression of the input: none, gzip, zstd, xz, bzip2, lz4, or auto (default: recognized "
         "by the first bytes; files that hold no records, such as Parquet or zip, are refused)")
      ->value_name("HOW")
      ->group(kRecordGroup);
}

void add_selecting(CommandLine& app, RecordOptions& options) {
  auto* field =
      app.add_option(
             "-f,--field",
             parsed_by(parse_fields,
                       [&](std::vector<FieldRange> fields) { options.fields = std::move(fields); }),
             "Use these fields of the record as the key, as in cut: 2 or 1,3-5")
          ->value_name("LIST")
          ->group(kRecordGroup);
  app.add_option("-t,--separator",
                 parsed_by(parse_byte, [&](std::byte b) { options.separator = b; }),
                 "Separator of the fields (default: tab)")
      ->value_name("CH")
      ->needs(field)
      ->group(kRecordGroup);
  app.add_option("--json-key",
                 parsed_by(JsonKey::parse, [&](JsonKey key) { options.json_key = std::move(key); }),
                 "Use the value at this JSON Pointer in each JSON record as the key: /user/id")
      ->value_name("PTR")
      ->excludes(field)
      ->group(kRecordGroup);
  app.add_option(
         "--missing",
         parsed_by(parse_missing, [&](MissingKey missing) { options.missing = missing; }),
         "What to do with a record that lacks a field of -f or a value at --json-key: error "
         "(default: exit with 2 after the records before it, and save no filter), skip (leave it "
         "out and count it; dedup prints it) or empty (use an empty key part)")
      ->value_name("HOW")
      ->group(kRecordGroup);
  app.add_option("--quotes",
                 parsed_by(parse_quotes, [&](bool plain) { options.plain_quotes = plain; }),
                 "What to do with a field of -f that begins with a double quote, where tab, comma "
                 "or semicolon separates: refuse (default, because a quoted separator would split "
                 "it) or plain")
      ->value_name("HOW")
      ->needs(field)
      ->group(kRecordGroup);
}

// "tab", "','" or "byte 0x1f".
std::string name_of_byte(std::byte byte) {
  const auto value = std::to_integer<unsigned char>(byte);
  if (value == '\t') return "tab";
  if (value > ' ' && value < 0x7f) return message("'", static_cast<char>(value), "'");
  if (value == ' ') return "space";
  constexpr std::string_view kDigits = "0123456789abcdef";
  return message("byte 0x", kDigits[value >> 4U], kDigits[value & 15U]);
}

// What writers of CSV and TSV separate by, and then quote fields that hold it.
bool is_separator_of_tables(std::byte separator) {
  return separator == std::byte{','} || separator == std::byte{';'} || separator == std::byte{'\t'};
}

}  // namespace

void add_record_options(CommandLine& app, RecordOptions& options) {
  options.input.consumer = "bloomery " + app.name();
  options.input.way_around = "-Z none reads its bytes as they are";
  add_splitting(app, options);
  add_selecting(app, options);
  if (app.find_option("-d") == nullptr)
    app.hint("-d", "did you mean -t, the separator of fields, or -D, the end of records?");
  auto* hex = app.add_flag("--hex", options.hex, "The key is hexadecimal, with or without 0x");
  hex->group(kRecordGroup);
  app.add_flag("--base64", options.base64, "The key is base64")->excludes(hex)->group(kRecordGroup);
  app.add_option("--funnel",
                 parsed_by(parse_funnel, [&](FunnelName name) { options.funnel = name; }),
                 "Type of the key: bytes, utf16, i8, i16, i32, i64, u64, f32, f64 or bool "
                 "(default: the filter's own, or bytes)")
      ->value_name("NAME")
      ->group(kRecordGroup);
  app.add_flag("--csharp-exact", options.csharp_exact,
               "Encode i16 as EventHorizon does, which keeps only the sign")
      ->group(kRecordGroup);
}

ByteOrder byte_order_of(std::string_view format) {
  return format.starts_with("eventhorizon") ? ByteOrder::kBig : ByteOrder::kLittle;
}

KeyReader::KeyReader(RecordOptions options, ByteOrder order)
    : options_{std::move(options)},
      is_identity_{options_.fields.empty() && !options_.json_key && !options_.hex &&
                   !options_.base64 && !options_.crlf &&
                   options_.funnel.value_or(FunnelName::kBytes) == FunnelName::kBytes},
      field_rules_{options_.separator,
                   !options_.plain_quotes && is_separator_of_tables(options_.separator)},
      last_field_{last_named(options_.fields)},
      sink_{order} {}

Result<std::span<const ByteView>> KeyReader::keys(std::span<const ByteView> records) {
  if (is_identity_) return records;
  arena_.clear();
  ends_.clear();
  has_key_.clear();
  Status done = ok();
  for (const ByteView record : records) {
    const auto has_key = append_key(record);
    if (!has_key) {
      done = has_key.error();
      break;
    }
    if (!*has_key) has_key_.resize(records.size(), 1);
    if (!*has_key) has_key_[ends_.size()] = 0;
    ends_.push_back(arena_.size());
  }
  view_keys();
  if (!done) return done.error();
  return std::span<const ByteView>{keys_};
}

// Views are taken once the arena has stopped growing.
void KeyReader::view_keys() {
  keys_.clear();
  std::size_t start = 0;
  for (const std::size_t end : ends_) {
    keys_.push_back(ByteView{arena_}.subspan(start, end - start));
    start = end;
  }
}

Result<bool> KeyReader::append_key(ByteView record) {
  part_.clear();
  decoded_.clear();
  if (options_.crlf && !record.empty() && record.back() == std::byte{'\r'})
    record = record.first(record.size() - 1);
  const auto there = append_part(record, part_);
  if (!there || !*there) return there;
  if (auto done = append_decoded(part_, decoded_); !done) return done.error();
  if (auto done = append_poured(decoded_); !done) return done.error();
  return true;
}

Result<bool> KeyReader::append_part(ByteView record, std::vector<std::byte>& to) {
  if (options_.json_key) {
    const auto there = options_.json_key->append(text_of(record), to);
    if (!there) return there;
    const std::string& pointer = options_.json_key->pointer();
    return found(*there, message("it has no value at ", pointer.empty() ? "\"\"" : pointer));
  }
  if (options_.fields.empty()) {
    to.assign(record.begin(), record.end());
    return true;
  }
  const auto fields = append_fields(record, field_rules_, options_.fields, to);
  if (!fields) return fields.error();
  if (*fields >= last_field_) return true;
  return found(false,
               message("it has no field ", last_field_, ", only ", *fields, " (the separator is ",
                       name_of_byte(options_.separator), "; -t sets another)"));
}

Result<bool> KeyReader::found(bool is_there, std::string_view record_lacks) const {
  if (is_there || options_.missing == MissingKey::kEmpty) return true;
  if (options_.missing == MissingKey::kSkip) return false;
  return Error{ErrorCode::kInvalidArgument,
               message(record_lacks, options_.prints_without_key
                                         ? "; --missing skip prints such records as they are"
                                         : "; --missing skip leaves such records out")};
}

Status KeyReader::append_decoded(ByteView part, std::vector<std::byte>& to) const {
  if (options_.hex) return append_hex(text_of(part), to);
  if (options_.base64) return append_base64(text_of(part), to);
  to.assign(part.begin(), part.end());
  return ok();
}

Status KeyReader::append_poured(ByteView typed) {
  const FunnelName funnel = options_.funnel.value_or(FunnelName::kBytes);
  sink_.reset();
  if (auto poured = put_text_key(funnel, text_of(typed), sink_); !poured) return poured;
  ByteView bytes = sink_.bytes();
  static constexpr std::byte kSignOnly[2][2] = {{}, {std::byte{0xff}, std::byte{0xff}}};
  if (options_.csharp_exact && funnel == FunnelName::kI16) {
    const std::byte high = bytes[sink_.order() == ByteOrder::kBig ? 0 : 1];
    bytes = kSignOnly[std::to_integer<unsigned>(high) >> 7];
  }
  arena_.insert(arena_.end(), bytes.begin(), bytes.end());
  return ok();
}

}  // namespace bloomery::cli
