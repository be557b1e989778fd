// Suggestions for misspelled words.
#pragma once
#include <span>
#include <string>
#include <string_view>

namespace bloomery::cli {

// "; did you mean `query`?" for the known word nearest to this one; empty where none is near.
std::string suggestion(std::string_view word, std::span<const std::string> known);

}  // namespace bloomery::cli
