#include "apps/cli/shell/near_miss.h"

#include <algorithm>
#include <vector>

namespace bloomery::cli {
namespace {

// Insertions, deletions, replacements and swaps of neighbours that make one word of the other.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before;
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] =
          std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before = last;
    last = row;
  }
  return last[b.size()];
}

// One mistake in three letters, dashes aside.
std::size_t allowed_distance(std::string_view word) {
  const std::size_t letters = word.size() - std::min(word.find_first_not_of('-'), word.size());
  return letters / 3;
}

}  // namespace

std::string suggestion(std::string_view word, std::span<const std::string> known) {
  const std::string* nearest = nullptr;
  std::size_t least = allowed_distance(word) + 1;
  for (const std::string& candidate : known) {
    const std::size_t distance = edit_distance(word, candidate);
    if (distance < least) {
      least = distance;
      nearest = &candidate;
    }
  }
  // An abbreviation is meant as the one word that begins with it.
  constexpr std::size_t kShortest = 3;
  const auto begins = [&](const std::string& candidate) { return candidate.starts_with(word); };
  if (nearest == nullptr && word.size() >= kShortest && std::ranges::count_if(known, begins) == 1)
    nearest = &*std::ranges::find_if(known, begins);
  return nearest == nullptr ? "" : "; did you mean `" + *nearest + "`?";
}

}  // namespace bloomery::cli
