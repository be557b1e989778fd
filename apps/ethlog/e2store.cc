#include "apps/ethlog/e2store.h"

#include "bloomery/base/byte_reader.h"

namespace bloomery::ethlog {

Result<E2Entry> read_entry(ByteView file, std::size_t position) {
  constexpr std::uint32_t kMostBytes = 50 << 20;
  if (position > file.size())
    return Error{ErrorCode::kTruncated,
                 message("Era file: an entry should begin at byte ", position,
                         ", but the file ends at ", file.size(), ".")};
  ByteReader reader{file.subspan(position)};
  E2Entry entry;
  entry.type = static_cast<EntryType>(reader.le<std::uint16_t>());
  const auto length = reader.le<std::uint32_t>();
  const auto reserved = reader.le<std::uint16_t>();
  entry.value = reader.take(length);
  entry.position = position;
  if (!reader.failed() && length <= kMostBytes && reserved == 0) return entry;
  if (length > kMostBytes)
    return Error{ErrorCode::kTooLarge,
                 message("Era file: the entry at byte ", position, " says it has ", length,
                         " bytes; at most ", kMostBytes, " are read.")};
  if (reserved != 0)
    return Error{
        ErrorCode::kMalformed,
        message("Era file: the reserved bytes of the entry at byte ", position, " are not zero.")};
  return Error{ErrorCode::kTruncated, message("Era file: the entry at byte ", position,
                                              " goes beyond the end of the file.")};
}

Result<E2Entry> read_entry(ByteView file, std::size_t position, EntryType type,
                           std::string_view what) {
  Result<E2Entry> entry = read_entry(file, position);
  if (!entry)
    return Error{entry.error().code,
                 message(entry.error().message, " A ", what, " was expected there.")};
  if (entry->type != type)
    return Error{ErrorCode::kMalformed,
                 message("Era file: a ", what, " (type ", static_cast<unsigned>(type),
                         ") was expected at byte ", position, ", not type ",
                         static_cast<unsigned>(entry->type), ".")};
  return entry;
}

}  // namespace bloomery::ethlog
