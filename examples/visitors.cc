// Numbers by the million: a batch call, a merge of two machines' filters, and the file asked in
// place.
#include <cstdio>
#include <filesystem>
#include <numeric>
#include <vector>

#include "bloomery/bloomery.h"

int main() {
  std::vector<std::uint64_t> monday(500'000);
  std::vector<std::uint64_t> tuesday(500'000);
  std::iota(monday.begin(), monday.end(), 0);
  std::iota(tuesday.begin(), tuesday.end(), 250'000);

  bloomery::Filter<std::uint64_t> week({.keys = 1'000'000, .false_positive_rate = 0.001});
  bloomery::Filter<std::uint64_t> other = week.clone();
  week.insert_range(monday);
  other.insert(tuesday.begin(), tuesday.end());
  if (auto merged = week.merge(other); !merged) return 1;
  std::printf("visitors: about %.0f thousand\n", week.health().estimated_keys / 1000);

  const auto file = std::filesystem::temp_directory_path() / "visitors.bloom";
  if (auto saved = week.save(file); !saved) return 1;
  const auto mapped = bloomery::Filter<std::uint64_t>::map(file);
  if (!mapped) return 1;
  std::vector<std::uint8_t> answers(3);
  mapped->may_contain(std::vector<std::uint64_t>{7, 700'000, 7'000'000}, answers);
  std::printf("7: %d, 700000: %d, 7000000: %d\n", answers[0], answers[1], answers[2]);
  std::filesystem::remove(file);
}
