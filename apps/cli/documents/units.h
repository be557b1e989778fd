// What of a document is compared: its parts, and the keys of each part.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "apps/cli/documents/normalize.h"

namespace bloomery::cli {

enum class Unit : std::uint8_t { kDocument, kParagraph, kLine, kNgram };

struct UnitRules {
  Unit unit = Unit::kDocument;
  Unit within = Unit::kParagraph;  // of n-grams: the part that is removed as a whole
  std::uint32_t ngram = 13;        // words
  double threshold = 0.8;          // a part goes where this share of its n-grams is repeated
  std::uint32_t min_length = 1;    // characters; shorter parts are neither compared nor remembered
  Normalization normalize = {};

  Unit part() const { return unit == Unit::kNgram ? within : unit; }
};

// A piece of the text that stays or goes as a whole.
struct Part {
  TextRange text;             // in the document's text, without the separator behind it
  std::size_t next = 0;       // where the separator behind it ends
  std::size_t first_use = 0;  // of its keys in Units::uses
  std::size_t use_count = 0;  // 0: too short, or without words
};

// The parts of several documents, and their keys: a document has each key once, so it is never
// compared with itself.
class Units {
 public:
  explicit Units(UnitRules rules) : rules_{rules} {}
  void clear();
  // Appends the parts of a text, which is UTF-8, and returns the index of the first.
  std::size_t add(std::string_view text);

  const std::vector<Part>& parts() const { return parts_; }
  const std::vector<std::uint32_t>& uses() const { return uses_; }  // indexes of keys
  std::size_t key_count() const { return keys_.size(); }
  std::string_view key(std::size_t i) const {
    return std::string_view{arena_}.substr(keys_[i].begin, keys_[i].end - keys_[i].begin);
  }

 private:
  void add_part(std::string_view text, Part part);
  void use_key(TextRange in_arena);
  void grow_table();

  UnitRules rules_;
  std::string arena_;
  std::vector<TextRange> keys_;
  std::vector<Part> parts_;
  std::vector<std::uint32_t> uses_;
  // Of one document: open addressing, 0 is empty, otherwise the index of a key and 1.
  std::vector<std::uint32_t> table_;
  std::vector<std::uint64_t> hashes_;  // of the document's keys
  std::size_t first_key_ = 0;
  std::string normalized_;
  std::vector<TextRange> words_;
};

}  // namespace bloomery::cli
