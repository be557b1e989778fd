// The ASCII part of case folding, with and without utf8proc.
#pragma once
#include <string>

namespace bloomery::cli {

// Folds every ASCII letter, and returns whether other bytes are there.
inline bool fold_ascii(std::string& text) {
  unsigned char all = 0;
  for (char& c : text) {
    all |= static_cast<unsigned char>(c);
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + ('a' - 'A'));
  }
  return all >= 0x80;
}

}  // namespace bloomery::cli
