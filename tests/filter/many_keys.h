// Distinct keys for tests: "<prefix> <number>", owned here and viewed as bytes.
#pragma once
#include <string>
#include <vector>

#include "bloomery/base/bytes.h"

namespace bloomery::testing {

class ManyKeys {
 public:
  explicit ManyKeys(std::size_t count, const std::string& prefix = "key") {
    for (std::size_t i = 0; i < count; ++i) texts_.push_back(prefix + " " + std::to_string(i));
    for (const std::string& text : texts_) views_.push_back(bytes_of(text));
  }
  ManyKeys(const ManyKeys&) = delete;  // the views point into the texts
  ManyKeys& operator=(const ManyKeys&) = delete;

  std::span<const ByteView> views() const { return views_; }
  auto begin() const { return views_.begin(); }
  auto end() const { return views_.end(); }
  std::size_t size() const { return views_.size(); }

 private:
  std::vector<std::string> texts_;
  std::vector<ByteView> views_;
};

}  // namespace bloomery::testing
