// Output for people: names and values in two columns on stdout, and tables.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bloomery/formats/description.h"

namespace bloomery::cli {

class Report {
 public:
  void row(std::string_view name, std::string_view value);
  void print() const;

 private:
  std::vector<std::pair<std::string, std::string>> rows_;
};

// A table on stdout, its head in the first row: words flush left, then numbers flush right.
void print_table(const std::vector<std::vector<std::string>>& rows, std::size_t columns_of_words);

// The filters that a filter consists of; nothing where it is one.
void print_layers(const std::vector<LayerDescription>& layers);

// Characters on a terminal, of text in UTF-8.
std::size_t width_of(std::string_view text);

// After the verdict ok of a filter that has no goal to be judged by.
inline constexpr std::string_view kNoGoal = " (no goal stored; give one with --fpr)";

std::string painted_verdict(Verdict verdict, std::string_view text);  // green, yellow or red

}  // namespace bloomery::cli
