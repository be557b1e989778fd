// Strings and lists of them in the watcher's protocol: u32 count, u32 bytes each.
#pragma once
#include <string>
#include <vector>

#include "bloomery/base/byte_reader.h"
#include "bloomery/base/byte_writer.h"

namespace bloomery::tracker {

inline void put_text(ByteWriter& writer, std::string_view text) {
  writer.le(static_cast<std::uint32_t>(text.size()));
  writer.put(bytes_of(text));
}
inline std::string read_text(ByteReader& reader) {
  return std::string{text_of(reader.take(reader.le<std::uint32_t>()))};
}

inline void put_texts(ByteWriter& writer, const std::vector<std::string>& texts) {
  writer.le(static_cast<std::uint32_t>(texts.size()));
  for (const std::string& text : texts) put_text(writer, text);
}
// Ends with the bytes: a count that promises more leaves the reader failed.
inline std::vector<std::string> read_texts(ByteReader& reader) {
  std::vector<std::string> texts;
  for (auto count = reader.le<std::uint32_t>(); count > 0 && !reader.failed(); --count)
    texts.push_back(read_text(reader));
  return texts;
}

// What every decode ends with.
template <class T>
Result<T> whole(const ByteReader& reader, T value, std::string_view what) {
  if (reader.failed()) return reader.truncated(what);
  if (reader.remaining() > 0)
    return Error{ErrorCode::kMalformed,
                 message(what, ": ", reader.remaining(), " bytes follow its end")};
  return value;
}

}  // namespace bloomery::tracker
