// A command with its arguments, as a client sent it.
#pragma once
#include <span>
#include <string_view>
#include <vector>

#include "apps/redis/server/redis_api.h"
#include "bloomery/base/bytes.h"

namespace bloomery::redis_module {

inline std::string_view text_of(const String* word) {
  std::size_t size = 0;
  const char* text = api.StringPtrLen(word, &size);
  return {text, size};
}

// A key that is open, with its type and value: read once, because each call of the server costs
// as much as a probe.
struct OpenedKey {
  Key* key = nullptr;        // null: missing, and opened to read
  DataType* type = nullptr;  // null: missing, or of a type of the server's own
  void* value = nullptr;     // null where type is
};

struct CommandCall {
  Context* context;
  std::span<String* const> words;  // the command's name, then the key, then the rest
  OpenedKey* opened = nullptr;     // of the caller, which closes the key; null: not open yet

  String* key_name() const { return words[1]; }
  std::string_view text(std::size_t i) const { return text_of(words[i]); }
  ByteView bytes(std::size_t i) const { return bytes_of(text(i)); }
  std::vector<std::string_view> texts_from(std::size_t first) const {
    std::vector<std::string_view> texts;
    texts.reserve(words.size() - first);
    for (const String* word : words.subspan(first)) texts.push_back(text_of(word));
    return texts;
  }
};

}  // namespace bloomery::redis_module
