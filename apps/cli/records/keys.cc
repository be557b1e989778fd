#include "apps/cli/records/keys.h"

#include <utility>

#include "apps/cli/records/case_fold.h"
#include "apps/cli/records/csv_options.h"
#include "apps/cli/shell/near_miss.h"
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
      "'" + name + "' is not one of bytes, utf16, i8, i16, i32, i64, u64, f32, f64, bool or json"};
}

Result<MissingKey> parse_missing(const std::string& name) {
  if (name == "error") return MissingKey::kError;
  if (name == "skip") return MissingKey::kSkip;
  if (name == "empty") return MissingKey::kEmpty;
  return Error{ErrorCode::kInvalidArgument, "'" + name + "' is not one of error, skip or empty"};
}

Result<std::string> parse_column(const std::string& name) {
  if (!name.empty()) return name;
  return Error{ErrorCode::kInvalidArgument, "the name of a column is not empty"};
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
               "Records end in CR LF or LF alike; a CR is printed, but not part of the key")
      ->group(kRecordGroup);
  app.add_option(
         "-Z,--decompress",
         parsed_by(parse_decompress,
                   [&](std::optional<input::Compression> how) { options.input.decompress = how; }),
         "Compression of the input: none, gzip, zstd, xz, bzip2, lz4, or auto (default: recognised "
         "by the first bytes; files that hold no records, such as zip archives, are refused)")
      ->value_name("HOW")
      ->group(kRecordGroup);
}

void add_column(CommandLine& app, RecordOptions& options) {
  options.input.reads_columns = true;
  options.input.suggest = [](std::string_view word, std::span<const std::string> known) {
    return suggestion(word, known);
  };
  app.add_option("--column",
                 parsed_by(parse_column,
                           [&](std::string column) { options.input.column = std::move(column); }),
                 "The files are Parquet files, and the records are the values of this column: "
                 "strings and byte arrays as they are, numbers as decimal text, so that they "
                 "equal lines of text. Nulls are left out; of a list, each element is a record. "
                 "Columns inside others are named by a path: address.city")
      ->value_name("NAME")
      ->instead("columns of CSV are named by -f")
      ->group(kRecordGroup);
}

// Names of columns are looked up in the header of each file.
Status store_fields(const CommandLine& app, const std::string& list, RecordOptions& options) {
  if (reads_csv(app)) return store_columns(list, options);
  auto fields = parse_fields(list);
  if (!fields) return fields.error();
  options.fields = std::move(*fields);
  return ok();
}

void add_selecting(CommandLine& app, RecordOptions& options) {
  auto* field =
      app.add_option(
             "-f,--field", Option::Store{[&](const std::string& list) {
               return store_fields(app, list, options);
             }},
             "Use these fields of the record as the key, as in cut: 2 or 1,3-5; with --csv or "
             "--tsv, names of columns too: email,3 (a name wins over a number; #3 is always the "
             "third column; a name with a comma is written in double quotes)")
          ->value_name("LIST")
          ->instead_of_twice("name all of its fields at once: -f a,b")
          ->group(kRecordGroup);
  app.add_option("-t,--separator",
                 parsed_by(parse_byte, [&](std::byte b) { options.separator = b; }),
                 "Separator of the fields (default: tab; with --csv: comma)")
      ->value_name("CH")
      ->group(kRecordGroup);
  app.add_option(
         "--json-key",
         parsed_by(JsonKeys::parse, [&](JsonKeys keys) { options.json_key = std::move(keys); }),
         "Use the value at this JSON Pointer in each JSON record as the key: /user/id. A string is "
         "the same key as a plain line; other values are their text, and numbers with a fraction "
         "or an "
         "exponent that of their double. With several, as in "
         "/user,/time (a comma in a name is ~2), the key is the byte length of each, a colon and "
         "the value")
      ->value_name("PTR")
      ->excludes(field)
      ->group(kRecordGroup);
  app.add_flag("--json-typed", Callback<void()>{[&options] { options.funnel = FunnelName::kJson; }},
               "Keys are JSON values with their types: 1, \"1\", true and null differ, 1 and 1.0 "
               "are equal, and so are objects whatever the order of their members. Without "
               "--json-key the whole record is the value. The filter's file records it, as "
               "--funnel json does")
      ->group(kRecordGroup);
  app.add_option(
         "--missing",
         parsed_by(parse_missing, [&](MissingKey missing) { options.missing = missing; }),
         "What to do with a record that lacks a field of -f or a value at --json-key: error "
         "(default: exit with 2 after the records before it, and save no filter), skip (leave it "
         "out and count it; dedup prints it) or empty (use an empty key part). null counts as "
         "missing, but with --json-typed it is a value, and empty means a value of its own")
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

void add_normalizing(CommandLine& app, RecordOptions& options) {
  app.add_flag("-i,--ignore-case", options.ignore_case,
               message("Keys that differ in case only are equal, by the full case folding of ",
                       case_folding_version(),
                       ". No file records it: give it to build and to query alike"))
      ->group(kRecordGroup);
  app.add_flag("--trim", options.trim,
               "ASCII white space at both ends is no part of the key. No file records it")
      ->group(kRecordGroup);
}

constexpr std::string_view kAsciiSpace = " \t\n\v\f\r";

// What writers of CSV and TSV separate by, and then quote fields that hold it.
bool is_separator_of_tables(std::byte separator) {
  return separator == std::byte{','} || separator == std::byte{';'} || separator == std::byte{'\t'};
}

}  // namespace

void add_record_options(CommandLine& app, RecordOptions& options) {
  options.input.consumer = "bloomery " + app.name();
  options.input.way_around = "-Z none reads its bytes as they are";
  add_splitting(app, options);
  add_column(app, options);
  add_selecting(app, options);
  add_csv_options(app, options);
  add_normalizing(app, options);
  add_source_options(app, options.sources, kRecordGroup);
  if (app.find_option("-d") == nullptr)
    app.hint("-d", "did you mean -t, the separator of fields, or -D, the end of records?");
  auto* hex = app.add_flag("--hex", options.hex, "The key is hexadecimal, with or without 0x");
  hex->group(kRecordGroup);
  app.add_flag("--base64", options.base64, "The key is base64")->excludes(hex)->group(kRecordGroup);
  auto* typed = app.find_option("--json-typed");
  app.add_option("--funnel",
                 parsed_by(parse_funnel, [&](FunnelName name) { options.funnel = name; }),
                 "Type of the key: bytes, utf16, i8, i16, i32, i64, u64, f32, f64, bool or json "
                 "(default: the filter's own, or bytes)")
      ->value_name("NAME")
      ->excludes(typed)
      ->group(kRecordGroup);
  app.add_flag("--csharp-exact", options.csharp_exact,
               "Encode i16 as EventHorizon does, which keeps only the sign")
      ->group(kRecordGroup);
}

Status check_key_options(const RecordOptions& options) {
  const auto refuse = [](std::string sentence) {
    return Error{ErrorCode::kInvalidArgument, std::move(sentence)};
  };
  const std::string_view encoding = options.hex ? "--hex" : options.base64 ? "--base64" : "";
  const bool typed = options.funnel == FunnelName::kJson;
  if (typed && !options.fields.empty())
    return refuse("-f takes fields of text, and keys of the funnel json are JSON; use --json-key");
  if (typed && options.csv)
    return refuse("columns of CSV are text, and keys of the funnel json are JSON; use --json-key");
  if (typed && !encoding.empty())
    return refuse(message(encoding, " decodes text, and keys of the funnel json keep their types"));
  if (typed && (options.ignore_case || options.trim))
    return refuse(message(options.trim ? "--trim" : "--ignore-case",
                          " changes text, and keys of the funnel json keep their types"));
  if (!encoding.empty() && options.json_key && options.json_key->size() > 1)
    return refuse(
        message(encoding, " decodes one value, and --json-key names ", options.json_key->size()));
  return ok();
}

ByteOrder byte_order_of(std::string_view format) {
  return format.starts_with("eventhorizon") ? ByteOrder::kBig : ByteOrder::kLittle;
}

KeyReader::KeyReader(RecordOptions options, ByteOrder order)
    : options_{std::move(options)},
      is_identity_{options_.fields.empty() && !options_.json_key && !options_.hex &&
                   !options_.base64 && !options_.crlf && !options_.ignore_case && !options_.trim &&
                   options_.funnel.value_or(FunnelName::kBytes) == FunnelName::kBytes},
      field_rules_{options_.separator,
                   !options_.plain_quotes && is_separator_of_tables(options_.separator)},
      last_field_{last_named(options_.fields)},
      sink_{order},
      row_{options_.csv ? options_.csv->dialect : CsvDialect{}} {}

Result<std::span<const ByteView>> KeyReader::keys(std::span<const ByteView> records) {
  if (options_.csv) return csv_keys(records);
  if (is_identity_) return records;
  arena_.clear();
  ends_.clear();
  has_key_.clear();
  parts_arena_.clear();
  part_ends_.clear();
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
    keep_part(part_);
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
  view_parts();
}

void KeyReader::view_parts() {
  parts_.clear();
  std::size_t start = 0;
  for (const std::size_t end : part_ends_) {
    parts_.push_back(ByteView{parts_arena_}.subspan(start, end - start));
    start = end;
  }
}

void KeyReader::keep_part(ByteView part) {
  if (!keeps_parts_) return;
  parts_arena_.insert(parts_arena_.end(), part.begin(), part.end());
  part_ends_.push_back(parts_arena_.size());
}

Result<bool> KeyReader::append_key(ByteView record) {
  part_.clear();
  decoded_.clear();
  if (options_.crlf && !record.empty() && record.back() == std::byte{'\r'})
    record = record.first(record.size() - 1);
  if (options_.funnel == FunnelName::kJson) return append_typed(text_of(record));
  const auto there = append_part(record, part_);
  if (!there || !*there) return there;
  ByteView part = part_;
  if (!options_.json_key && (options_.ignore_case || options_.trim)) {
    text_ = text_of(part_);
    if (auto done = normalize(text_); !done) return done.error();
    part = bytes_of(text_);
  }
  std::size_t fault = 0;
  auto done = append_decoded(part, decoded_, fault);
  if (done) done = append_typed(decoded_);
  if (!done) return with_place(done.error(), record, fault);
  return true;
}

// The first wrong character: before it there are only digits, which case folding leaves in place.
Error KeyReader::with_place(const Error& error, ByteView record, std::size_t fault) const {
  std::size_t place = 0;
  if (options_.json_key) {
    const auto& value = values_.front();
    if (value) place = static_cast<std::size_t>(value->data() - text_of(record).data());
  } else {
    const std::size_t blank =
        options_.trim ? text_of(part_).find_first_not_of(kAsciiSpace) : std::string_view::npos;
    place = fault + (blank == std::string_view::npos ? 0 : blank);
    if (!options_.fields.empty())
      place = place_in_record(record, options_.separator, options_.fields, place);
  }
  return {error.code, message(error.message, " (byte ", place + 1, ")")};
}

Result<bool> KeyReader::append_part(ByteView record, std::vector<std::byte>& to) {
  if (options_.json_key) return append_json(text_of(record), to);
  if (options_.fields.empty()) {
    to.assign(record.begin(), record.end());
    return true;
  }
  const auto fields = append_fields(record, field_rules_, options_.fields, to);
  if (!fields) return fields.error();
  if (*fields >= last_field_) return true;
  const auto there = found(
      false, message("it has no field ", last_field_, ", only ", *fields, " (the separator is ",
                     name_of_byte(options_.separator), "; -t sets another)"));
  if (there) return there;
  // Behind the last byte a separator is missing.
  return Error{there.error().code,
               message(there.error().message, " (byte ", record.size() + 1, ")")};
}

Status KeyReader::normalize(std::string& text) const {
  if (options_.trim) {
    text.erase(text.find_last_not_of(kAsciiSpace) + 1);
    text.erase(0, text.find_first_not_of(kAsciiSpace));
  }
  return options_.ignore_case ? fold_case(text) : ok();
}

Result<bool> KeyReader::found(bool is_there, std::string_view record_lacks) const {
  if (is_there || options_.missing == MissingKey::kEmpty) return true;
  if (options_.missing == MissingKey::kSkip) return false;
  return Error{ErrorCode::kInvalidArgument,
               message(record_lacks, options_.prints_without_key
                                         ? "; --missing skip prints such records as they are"
                                         : "; --missing skip leaves such records out")};
}

Status KeyReader::append_decoded(ByteView part, std::vector<std::byte>& to,
                                 std::size_t& fault) const {
  if (options_.hex) return append_hex(text_of(part), to, fault);
  if (options_.base64) return append_base64(text_of(part), to, fault);
  to.assign(part.begin(), part.end());
  return ok();
}

Status KeyReader::append_typed(ByteView typed) {
  const FunnelName funnel = options_.funnel.value_or(FunnelName::kBytes);
  sink_.reset();
  if (auto encoded = put_text_key(funnel, text_of(typed), sink_); !encoded) return encoded;
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
