#include "apps/cli/records/keys.h"

#include <CLI/CLI.hpp>
#include <utility>

#include "bloomery/base/message.h"

namespace bloomery::cli {
namespace {

constexpr const char* kRecordGroup = "Records";

template <class Parse, class Use>
auto checked_by(std::string name, Parse parse, Use use) {
  return [name = std::move(name), parse, use](const std::string& text) {
    auto value = parse(text);
    if (!value) throw CLI::ValidationError(name, value.error().message);
    use(std::move(*value));
  };
}

Result<FunnelName> parse_funnel(const std::string& name) {
  if (const auto funnel = find_funnel(name)) return *funnel;
  return Error{ErrorCode::kInvalidArgument,
               "'" + name + "' is none of bytes utf16 i8 i16 i32 i64 u64 f32 f64 bool"};
}

Result<MissingKey> parse_missing(const std::string& name) {
  if (name == "error") return MissingKey::kError;
  if (name == "skip") return MissingKey::kSkip;
  if (name == "empty") return MissingKey::kEmpty;
  return Error{ErrorCode::kInvalidArgument, "'" + name + "' is none of error skip empty"};
}

Result<bool> parse_quotes(const std::string& name) {
  if (name == "plain" || name == "refuse") return name == "plain";
  return Error{ErrorCode::kInvalidArgument, "'" + name + "' is none of refuse plain"};
}

Result<std::optional<input::Compression>> parse_decompress(const std::string& name) {
  if (name == "auto") return std::optional<input::Compression>{};
  if (const auto found = input::find_compression(name)) return found;
  return Error{ErrorCode::kInvalidArgument,
               "'" + name + "' is none of auto none gzip zstd xz bzip2 lz4"};
}

void add_splitting(CLI::App& app, RecordOptions& options) {
  const auto set_delimiter = [&options](std::byte delimiter) {
    options.delimiter = delimiter;
    options.input.nul_ends_records = delimiter == std::byte{0};
  };
  auto* null = app.add_flag_callback(
      "-z,--null", [set_delimiter] { set_delimiter(std::byte{0}); },
      "Records end in NUL, not in newline");
  app.add_option_function<std::string>("-D,--delimiter",
                                       checked_by("--delimiter", parse_byte, set_delimiter),
                                       "Records end in this byte (\\t and \\x1f are understood)")
      ->type_name("CH")
      ->excludes(null)
      ->group(kRecordGroup);
  null->group(kRecordGroup);
  app.add_flag("--crlf", options.crlf,
               "Records end in CR LF: the CR is no part of the key, and is printed as it is")
      ->group(kRecordGroup);
  app.add_option_function<std::string>(
         "-Z,--decompress",
         checked_by("--decompress", parse_decompress,
                    [&](std::optional<input::Compression> how) { options.input.decompress = how; }),
         "How the input is compressed: auto (seen from its first bytes; files that are no\n"
         "records, such as Parquet or zip, are refused), none, gzip, zstd, xz, bzip2 or lz4\n"
         "(the bytes are taken for that, and what is inside is not looked at)")
      ->type_name("HOW")
      ->group(kRecordGroup);
}

void add_selecting(CLI::App& app, RecordOptions& options) {
  auto* field = app.add_option_function<std::string>(
                       "-f,--field",
                       checked_by("--field", parse_fields,
                                  [&](std::vector<FieldRange> fields) {
                                    options.fields = std::move(fields);
                                  }),
                       "The key is these fields of the record, as in cut: 2 or 1,3-5")
                    ->type_name("LIST")
                    ->group(kRecordGroup);
  app.add_option_function<std::string>(
         "-t,--separator",
         checked_by("--separator", parse_byte, [&](std::byte b) { options.separator = b; }),
         "Fields are separated by this byte (default: tab)")
      ->type_name("CH")
      ->needs(field)
      ->group(kRecordGroup);
  app.add_option_function<std::string>(
         "--json-key",
         checked_by("--json-key", JsonKey::parse,
                    [&](JsonKey key) { options.json_key = std::move(key); }),
         "The key is the value at this JSON Pointer in each JSON record: /user/id")
      ->type_name("PTR")
      ->excludes(field)
      ->group(kRecordGroup);
  app.add_option_function<std::string>(
         "--missing",
         checked_by("--missing", parse_missing,
                    [&](MissingKey missing) { options.missing = missing; }),
         "A record with fewer fields than -f names, or without a value (or with null) at\n"
         "--json-key: error (default) ends the command with exit code 2 once the records\n"
         "before it are done, and saves no filter; skip leaves it out and counts it (dedup\n"
         "prints it: without a key it repeats nothing); empty takes what lacks as empty")
      ->type_name("HOW")
      ->group(kRecordGroup);
  app.add_option_function<std::string>(
         "--quotes",
         checked_by("--quotes", parse_quotes, [&](bool plain) { options.plain_quotes = plain; }),
         "Fields of -f that begin with a double quote, where tab, comma or semicolon\n"
         "separates: refuse (default, for a quoted separator would split them) or plain")
      ->type_name("HOW")
      ->needs(field)
      ->group(kRecordGroup);
}

// What writers of CSV and TSV separate by, and then quote fields that hold it.
bool is_separator_of_tables(std::byte separator) {
  return separator == std::byte{','} || separator == std::byte{';'} || separator == std::byte{'\t'};
}

}  // namespace

void add_record_options(CLI::App& app, RecordOptions& options) {
  options.input.consumer = "bloomery " + app.get_name();
  options.input.way_around = "-Z none reads its bytes as they are";
  add_splitting(app, options);
  add_selecting(app, options);
  auto* hex = app.add_flag("--hex", options.hex, "The key is hexadecimal (0x may come first)");
  hex->group(kRecordGroup);
  app.add_flag("--base64", options.base64, "The key is base64")->excludes(hex)->group(kRecordGroup);
  app.add_option_function<std::string>(
         "--funnel",
         checked_by("--funnel", parse_funnel, [&](FunnelName name) { options.funnel = name; }),
         "The key is text to be read as: bytes utf16 i8 i16 i32 i64 u64 f32 f64 bool\n"
         "(default: what the filter was made with, or bytes)")
      ->type_name("NAME")
      ->group(kRecordGroup);
  app.add_flag("--csharp-exact", options.csharp_exact,
               "Pour i16 as EventHorizon's own code does, which keeps only the sign")
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
  return found(false, message("it has no field ", last_field_, ", only ", *fields));
}

Result<bool> KeyReader::found(bool is_there, std::string_view record_lacks) const {
  if (is_there || options_.missing == MissingKey::kEmpty) return true;
  if (options_.missing == MissingKey::kSkip) return false;
  return Error{ErrorCode::kInvalidArgument,
               message(record_lacks, "; --missing skip leaves such records out")};
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
