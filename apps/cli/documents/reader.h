// Documents of a chunk: their text, parts and keys.
#pragma once
#include "apps/cli/documents/options.h"

namespace bloomery::cli {

struct Doc {
  std::string_view record;
  JsonDocument json;
  bool compared = false;  // false: without a text to compare
  std::size_t first_part = 0;
  std::size_t part_count = 0;
  std::size_t text_begin = 0;  // in the reader's texts
  std::size_t text_size = 0;
};

class DocumentReader {
 public:
  DocumentReader(const DocumentOptions& options, MissingKey missing, JsonTextFinder finder)
      : options_{&options}, missing_{missing}, finder_{std::move(finder)}, units_{options.rules} {}

  // A fault of the record, or nothing; `doc.compared` says whether it has a text.
  std::optional<JsonFault> read(std::string_view record, Doc& doc);
  void clear();

  const Units& units() const { return units_; }
  std::string_view text(const Doc& doc) const {
    return std::string_view{texts_}.substr(doc.text_begin, doc.text_size);
  }

 private:
  const DocumentOptions* options_;
  MissingKey missing_;
  JsonTextFinder finder_;
  Units units_;
  std::string texts_;
};

// Keys of the first bytes of each file, in proportion to the bytes on disk. Nothing where one of
// the inputs is a pipe.
struct KeyEstimate {
  std::uint64_t keys = 0;
  bool exact = false;  // all was read
};
Result<std::optional<KeyEstimate>> estimate_keys(const std::vector<InputFile>& inputs,
                                                 DocumentReader& reader);

}  // namespace bloomery::cli
