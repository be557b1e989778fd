// A format is a row in a table, not a class: a name, a guess and three functions.
#pragma once
#include <filesystem>

#include "bloomery/formats/any_filter.h"

namespace bloomery {

struct Format {
  std::string_view name;
  // Cheap and fallible, for guessing only. Null where the bytes carry no magic: such a file is
  // never guessed.
  bool (*looks_like)(ByteView bytes);
  Result<AnyFilter> (*decode)(ByteView bytes,
                              const DecodeOptions& options);          // validates everything
  Result<std::vector<std::byte>> (*encode)(const AnyFilter& filter);  // kUnsupported if it cannot
  Result<AnyFilter> (*create)(
      const CreateOptions& options);  // an empty filter; null if none can be
};

std::span<const Format> formats();
const Format* find_format(std::string_view name);  // null if there is none
const Format* guess_format(ByteView first_bytes);  // null if the bytes do not tell

}  // namespace bloomery
