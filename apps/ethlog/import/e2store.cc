#include "apps/ethlog/import/e2store.h"

#include "bloomery/base/byte_reader.h"

namespace bloomery::ethlog {

Result<E2Entry> read_entry(const ReadAt& file, std::uint64_t position) {
  constexpr std::uint32_t kMostBytes = 50 << 20;
  if (position > file.size())
    return Error{ErrorCode::kTruncated, message("era file: an entry should begin at byte ",
                                                position, ", but the file ends at ", file.size())};
  const std::uint64_t left = file.size() - position;
  const auto head = file.read(
      position, static_cast<std::size_t>(std::min<std::uint64_t>(left, E2Entry::kHeadBytes)));
  if (!head) return head.error();
  ByteReader reader{*head};
  E2Entry entry;
  entry.type = static_cast<EntryType>(reader.le<std::uint16_t>());
  entry.size = reader.le<std::uint32_t>();
  const auto reserved = reader.le<std::uint16_t>();
  entry.position = position;
  const bool fits = !reader.failed() && entry.size <= left - E2Entry::kHeadBytes;
  if (fits && entry.size <= kMostBytes && reserved == 0) return entry;
  if (entry.size > kMostBytes)
    return Error{ErrorCode::kTooLarge,
                 message("era file: the entry at byte ", position, " says it has ", entry.size,
                         " bytes; at most ", kMostBytes, " are read")};
  if (reserved != 0)
    return Error{
        ErrorCode::kMalformed,
        message("era file: the reserved bytes of the entry at byte ", position, " are not zero")};
  return Error{ErrorCode::kTruncated, message("era file: the entry at byte ", position,
                                              " goes beyond the end of the file")};
}

Result<E2Entry> read_entry(const ReadAt& file, std::uint64_t position, EntryType type,
                           std::string_view what) {
  Result<E2Entry> entry = read_entry(file, position);
  if (!entry)
    return Error{entry.error().code,
                 message(entry.error().message, "; a ", what, " was expected there")};
  if (entry->type != type)
    return Error{ErrorCode::kMalformed,
                 message("era file: a ", what, " (type ", static_cast<unsigned>(type),
                         ") was expected at byte ", position, ", not type ",
                         static_cast<unsigned>(entry->type))};
  return entry;
}

Result<std::vector<std::byte>> value_of(const ReadAt& file, const E2Entry& entry) {
  return file.read(entry.position + E2Entry::kHeadBytes, entry.size);
}

}  // namespace bloomery::ethlog
