// What a person says about the size of a filter before it is made: any of these, or none. Each
// format takes what it understands and refuses, with a sentence, what is missing or contradicts
// itself.
#pragma once
#include <cstdint>
#include <optional>

namespace bloomery {

struct SizingRequest {
  std::optional<std::uint64_t> keys = {};
  std::optional<double> rate = {};
  std::optional<std::uint64_t> bits = {};
  std::optional<std::uint32_t> probes = {};
  std::optional<double> bits_per_key = {};
  std::optional<std::uint64_t> blocks = {};
};

}  // namespace bloomery
