#include "apps/cli/records/record_messages.h"

#include <algorithm>
#include <atomic>
#include <charconv>

#include "apps/cli/shell/exit_code.h"
#include "apps/input/input.h"
#include "bloomery/base/message.h"

namespace bloomery::cli {
namespace {

// A CR that does not end the record.
bool has_inner_return(ByteView record) {
  const auto found = std::ranges::find(record, std::byte{'\r'});
  return found != record.end() && found + 1 != record.end();
}

}  // namespace

std::string at_record_byte(std::string_view file, std::uint64_t record, std::uint64_t byte,
                           std::string_view sentence) {
  return message(file, ": record ", record, " (byte ", byte, " of the record): ", sentence);
}

Error at_record(const Error& error, std::string_view file, std::uint64_t record) {
  constexpr std::string_view kByte = " (byte ";
  const std::string_view text = error.message;
  const std::size_t place = text.rfind(kByte);
  const std::size_t digits = place == std::string_view::npos ? 0 : place + kByte.size();
  std::uint64_t byte = 0;
  const auto read = std::from_chars(text.data() + digits, text.data() + text.size(), byte);
  if (digits == 0 || read.ec != std::errc{} || read.ptr + 1 != text.data() + text.size())
    return input::at_place(error, file, "record", record);
  return {error.code, at_record_byte(file, record, byte, text.substr(0, place))};
}

void notice_text_marks(const std::string& name, std::span<const ByteView> records,
                       const RecordOptions& options) {
  // JSON and numbers do not mind; another delimiter says that records are no lines.
  if (options.json_key || options.delimiter != std::byte{'\n'}) return;
  if (!records.empty() && text_of(records.front()).starts_with("\xef\xbb\xbf"))
    warn(name,
         "it begins with a UTF-8 byte order mark, which is part of the first record; remove it "
         "with sed '1s/^\\xef\\xbb\\xbf//'");
  // Of lines that end in CR alone the first record is all of the file.
  if (records.size() == 1 && has_inner_return(records.front())) {
    warn(
        name,
        "its first record holds CR characters, and records end in LF; where lines end in CR alone, "
        "convert them: tr '\\r' '\\n'");
    return;
  }
  if (options.crlf) return;
  const bool all = std::ranges::all_of(
      records, [](ByteView record) { return !record.empty() && record.back() == std::byte{'\r'}; });
  static std::atomic_flag warned;
  if (all && !warned.test_and_set())
    warn(name, "its lines end in CR LF, and keys keep the CR; --crlf leaves it out");
}

}  // namespace bloomery::cli
