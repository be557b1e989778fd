#include "apps/cli/documents/units.h"

#include <algorithm>

#include "bloomery/hash/xxh.h"

namespace bloomery::cli {
namespace {

constexpr std::size_t kFirstSlots = 64;

// Calls use(text range, next) for each part.
template <class Use>
void split_lines(std::string_view text, Use use) {
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::size_t next = std::min(end + 1, text.size());
    use(TextRange{begin, end}, next);
    begin = next;
  }
}

bool is_blank(std::string_view text, TextRange line) {
  const TextRange left = without_white_space(text, line);
  return left.begin == left.end;
}

// Lines up to a blank one; the blank ones behind it belong to its separator.
template <class Use>
void split_paragraphs(std::string_view text, Use use) {
  TextRange paragraph;
  std::size_t next = 0;
  bool open = false;
  bool after_blank = false;
  split_lines(text, [&](TextRange line, std::size_t line_next) {
    const bool blank = is_blank(text, line);
    if (open && after_blank && !blank) {
      use(paragraph, next);
      open = false;
    }
    if (!open) {
      paragraph = line;
      open = true;
      after_blank = blank;
    } else if (!blank) {
      paragraph.end = line.end;
    }
    after_blank = after_blank || blank;
    next = line_next;
  });
  if (open) use(paragraph, next);
}

}  // namespace

void Units::clear() {
  arena_.clear();
  keys_.clear();
  parts_.clear();
  uses_.clear();
}

std::size_t Units::add(std::string_view text) {
  const std::size_t first = parts_.size();
  first_key_ = keys_.size();
  hashes_.clear();
  if (table_.size() > (std::size_t{1} << 16)) table_ = {};
  table_.assign(std::max(kFirstSlots, table_.size()), 0);
  const auto take = [&](TextRange range, std::size_t next) { add_part(text, {range, next}); };
  switch (rules_.part()) {
    case Unit::kLine:
      split_lines(text, take);
      break;
    case Unit::kParagraph:
      split_paragraphs(text, take);
      break;
    case Unit::kDocument:
    case Unit::kNgram:
      if (!text.empty()) take({0, text.size()}, text.size());
      break;
  }
  return first;
}

void Units::add_part(std::string_view text, Part part) {
  part.first_use = uses_.size();
  const TextRange range = without_white_space(text, part.text);
  const std::string_view compared = text.substr(range.begin, range.end - range.begin);
  if (!compared.empty() && count_characters(compared) >= rules_.min_length) {
    if (rules_.unit != Unit::kNgram) {
      const std::size_t begin = arena_.size();
      append_normalized(compared, rules_.normalize, arena_);
      use_key({begin, arena_.size()});
    } else {
      normalized_.clear();
      words_.clear();
      append_normalized(compared, rules_.normalize, normalized_);
      append_words(normalized_, arena_, words_);
      const std::size_t size = std::min<std::size_t>(rules_.ngram, words_.size());
      for (std::size_t i = 0; size != 0 && i + size <= words_.size(); ++i)
        use_key({words_[i].begin, words_[i + size - 1].end});
    }
  }
  part.use_count = uses_.size() - part.first_use;
  parts_.push_back(part);
}

void Units::use_key(TextRange in_arena) {
  const std::string_view bytes =
      std::string_view{arena_}.substr(in_arena.begin, in_arena.end - in_arena.begin);
  const std::uint64_t hash = xxh3_64(bytes_of(bytes));
  const std::size_t mask = table_.size() - 1;
  std::size_t slot = hash & mask;
  for (; table_[slot] != 0; slot = (slot + 1) & mask) {
    const std::size_t index = table_[slot] - 1;
    if (hashes_[index] == hash && key(first_key_ + index) == bytes) {
      uses_.push_back(static_cast<std::uint32_t>(first_key_ + index));
      return;
    }
  }
  uses_.push_back(static_cast<std::uint32_t>(keys_.size()));
  keys_.push_back(in_arena);
  hashes_.push_back(hash);
  table_[slot] = static_cast<std::uint32_t>(hashes_.size());
  if (hashes_.size() * 2 > table_.size()) grow_table();
}

void Units::grow_table() {
  table_.assign(table_.size() * 2, 0);
  const std::size_t mask = table_.size() - 1;
  for (std::size_t i = 0; i < hashes_.size(); ++i) {
    std::size_t slot = hashes_[i] & mask;
    while (table_[slot] != 0) slot = (slot + 1) & mask;
    table_[slot] = static_cast<std::uint32_t>(i + 1);
  }
}

}  // namespace bloomery::cli
