#include "apps/cli/dedup/output.h"

#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <nlohmann/json.hpp>

#include "apps/cli/shell/json.h"
#include "bloomery/base/message.h"

namespace bloomery::cli {
namespace {

Error cannot_write(std::string_view name = "standard output") {
  return {ErrorCode::kIo, message(name, ": cannot write: ", std::strerror(errno))};
}

// With the delimiter, which lies behind every record of a chunk.
ByteView with_delimiter(ByteView record) { return {record.data(), record.size() + 1}; }

constexpr std::string_view kJsonSpace = " \t\r\n";

// Parsed only where the name occurs at all. Precondition: `record` is what a JSON key was read
// from.
bool has_member(std::string_view record, std::string_view quoted, const std::string& name) {
  // An escape may spell any name.
  if (record.find(quoted) == std::string_view::npos && record.find("\\u") == std::string_view::npos)
    return false;
  const auto parsed = nlohmann::json::parse(record, nullptr, false);
  return parsed.is_object() && parsed.contains(name);
}

}  // namespace

ByteView gather_records(Chunk& chunk, bool wanted) {
  std::byte* const start = chunk.buffer.data();
  std::byte* to = start;
  const std::size_t count = chunk.records.size();
  for (std::size_t i = 0; i < count;) {
    while (i < count && (chunk.is_new[i] != 0) != wanted) ++i;
    if (i == count) break;
    const std::size_t first = i;
    // Neighbours lie side by side, delimiters included, unless a row between them was left out.
    for (++i; i < count && (chunk.is_new[i] != 0) == wanted; ++i)
      if (chunk.records[i].data() !=
          with_delimiter(chunk.records[i - 1]).data() + with_delimiter(chunk.records[i - 1]).size())
        break;
    const std::byte* from = chunk.records[first].data();
    const std::byte* end = chunk.records[i - 1].data() + chunk.records[i - 1].size() + 1;
    const auto size = static_cast<std::size_t>(end - from);
    if (to != from) std::memmove(to, from, size);
    to += size;
  }
  return {start, static_cast<std::size_t>(to - start)};
}

void copy_records(const Chunk& chunk, bool wanted, std::vector<std::byte>& to) {
  for (std::size_t i = 0; i < chunk.records.size(); ++i) {
    if ((chunk.is_new[i] != 0) != wanted) continue;
    const ByteView record = with_delimiter(chunk.records[i]);
    to.insert(to.end(), record.begin(), record.end());
  }
}

void mark_records(const Chunk& chunk, std::vector<std::byte>& to, std::byte separator) {
  for (std::size_t i = 0; i < chunk.records.size(); ++i) {
    const ByteView mark = bytes_of(chunk.is_new[i] != 0 ? "new" : "repeat");
    const ByteView record = with_delimiter(chunk.records[i]);
    to.insert(to.end(), mark.begin(), mark.end());
    to.push_back(separator);
    to.insert(to.end(), record.begin(), record.end());
  }
}

Status mark_objects(const Chunk& chunk, const std::string& name, std::vector<std::byte>& to) {
  const std::string quoted = Json(name).dump();
  for (std::size_t i = 0; i < chunk.records.size(); ++i) {
    const std::string_view record = text_of(chunk.records[i]);
    const auto refuse = [&](std::string_view why) {
      return Error{ErrorCode::kInvalidArgument,
                   message(chunk.file, ": record ", chunk.number_in_file + i + 1, ": ", why)};
    };
    const std::size_t begin = record.find_first_not_of(kJsonSpace);
    const std::size_t end = record.find_last_not_of(kJsonSpace);
    if (begin == std::string_view::npos || record[begin] != '{' || record[end] != '}')
      return refuse("it is no JSON object, so it cannot get a member; use --mark");
    if (has_member(record, quoted, name))
      return refuse(message("it has a member ", name, " already; --mark-name gives another name"));
    const std::size_t last = record.find_last_not_of(kJsonSpace, end - 1);
    const std::string member = message(last == begin ? "" : ",", quoted, ":",
                                       chunk.is_new[i] != 0 ? "\"new\"" : "\"repeat\"");
    const ByteView whole = with_delimiter(chunk.records[i]);
    const ByteView added = bytes_of(member);
    to.insert(to.end(), whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(end));
    to.insert(to.end(), added.begin(), added.end());
    to.insert(to.end(), whole.begin() + static_cast<std::ptrdiff_t>(end), whole.end());
  }
  return ok();
}

void number_records(const Chunk& chunk, std::vector<std::byte>& to, std::byte separator) {
  std::array<char, 24> text{};
  for (std::size_t i = 0; i < chunk.records.size(); ++i) {
    if (chunk.is_new[i] == 0) continue;
    char* end = std::to_chars(text.data(), text.data() + text.size(), chunk.fingerprints[i]).ptr;
    *end++ = static_cast<char>(separator);
    const ByteView number = bytes_of({text.data(), static_cast<std::size_t>(end - text.data())});
    const ByteView record = with_delimiter(chunk.records[i]);
    to.insert(to.end(), number.begin(), number.end());
    to.insert(to.end(), record.begin(), record.end());
  }
}

Status write_all(int descriptor, ByteView bytes, std::string_view name) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return cannot_write(name);
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return ok();
}

Status sync_output(int descriptor, std::string_view name) {
  struct stat info {};
  if (::fstat(descriptor, &info) != 0 || !S_ISREG(info.st_mode)) return ok();
  // EROFS and EINVAL: a file that cannot be synced, which is no failed write.
  if (::fsync(descriptor) != 0 && errno != EINVAL && errno != EROFS) return cannot_write(name);
  return ok();
}

}  // namespace bloomery::cli
