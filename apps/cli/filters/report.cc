#include "apps/cli/filters/report.h"

#include <algorithm>
#include <iostream>

#include "apps/cli/shell/color.h"
#include "apps/cli/shell/numbers.h"
#include "bloomery/base/message.h"

namespace bloomery::cli {
namespace {

std::string spaces(std::size_t wanted, std::string_view text) {
  const std::size_t width = width_of(text);
  return std::string(width < wanted ? wanted - width : 0, ' ');
}

// Layers count from 1, also those of systems that count from 0.
std::string name_of(const LayerDescription& layer, std::size_t number) {
  constexpr std::string_view kLayer = "layer ";
  return layer.name.starts_with(kLayer) ? message(kLayer, number) : layer.name;
}

}  // namespace

std::size_t width_of(std::string_view text) {
  // Bytes that continue a character have no width of their own.
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (c & 0xc0) != 0x80; }));
}

void Report::row(std::string_view name, std::string_view value) { rows_.emplace_back(name, value); }

void Report::print() const {
  std::size_t longest = 0;
  for (const auto& [name, value] : rows_) longest = std::max(longest, width_of(name));
  for (const auto& [name, value] : rows_)
    std::cout << "  " << name << spaces(longest + 2, name) << value << '\n';
}

void print_table(const std::vector<std::vector<std::string>>& rows, std::size_t columns_of_words) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width_of(row[i]));
  }
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string padding = spaces(widths[i], row[i]);
      std::cout << (i == 0 ? "" : "  ")
                << (i < columns_of_words ? row[i] + padding : padding + row[i]);
    }
    std::cout << '\n';
  }
}

void print_layers(const std::vector<LayerDescription>& layers) {
  if (layers.empty()) return;
  std::vector<std::vector<std::string>> rows;
  rows.push_back({"  layer", "bits", "probes", "keys", "fill", "false positives"});
  for (const LayerDescription& layer : layers)
    rows.push_back(
        {"  " + name_of(layer, rows.size()), format_count(layer.bits), std::to_string(layer.probes),
         layer.keys_inserted ? format_count(*layer.keys_inserted)
                             : "~" + format_count(layer.health.estimated_keys),
         format_probability(layer.health.fill), format_probability(layer.health.error_rate)});
  std::cout << '\n';
  print_table(rows, 1);
}

std::string painted_verdict(Verdict verdict, std::string_view text) {
  switch (verdict) {
    case Verdict::kOk:
      return green_on_stdout(text);
    case Verdict::kOverDesign:
      return yellow_on_stdout(text);
    case Verdict::kSaturated:
      return red_on_stdout(text);
  }
  return std::string{text};
}

}  // namespace bloomery::cli
