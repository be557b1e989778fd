#include "apps/cli/keys.h"

#include <CLI/CLI.hpp>
#include <utility>

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

void add_splitting(CLI::App& app, RecordOptions& options) {
  auto* null = app.add_flag_callback(
      "-z,--null", [&] { options.delimiter = std::byte{0}; }, "Records end in NUL, not in newline");
  app.add_option_function<std::string>(
         "-D,--delimiter",
         checked_by("--delimiter", parse_byte, [&](std::byte b) { options.delimiter = b; }),
         "Records end in this byte (\\t and \\x1f are understood)")
      ->type_name("CH")
      ->excludes(null)
      ->group(kRecordGroup);
  null->group(kRecordGroup);
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
}

}  // namespace

void add_record_options(CLI::App& app, RecordOptions& options) {
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
                   !options_.base64 &&
                   options_.funnel.value_or(FunnelName::kBytes) == FunnelName::kBytes},
      sink_{order} {}

Result<std::span<const ByteView>> KeyReader::keys(std::span<const ByteView> records) {
  if (is_identity_) return records;
  arena_.clear();
  ends_.clear();
  keys_.clear();
  for (const ByteView record : records) {
    if (auto appended = append_key(record); !appended) return appended.error();
    ends_.push_back(arena_.size());
  }
  std::size_t start = 0;
  for (const std::size_t end : ends_) {
    keys_.push_back(ByteView{arena_}.subspan(start, end - start));
    start = end;
  }
  return std::span<const ByteView>{keys_};
}

Status KeyReader::append_key(ByteView record) {
  part_.clear();
  decoded_.clear();
  if (auto done = append_part(record, part_); !done) return done;
  if (auto done = append_decoded(part_, decoded_); !done) return done;
  return append_poured(decoded_);
}

Status KeyReader::append_part(ByteView record, std::vector<std::byte>& to) {
  if (options_.json_key) return options_.json_key->append(text_of(record), to);
  if (options_.fields.empty())
    to.assign(record.begin(), record.end());
  else
    append_fields(record, options_.separator, options_.fields, to);
  return ok();
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
  if (auto poured = pour_text(funnel, text_of(typed), sink_); !poured) return poured;
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
