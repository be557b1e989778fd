// The name of a file, as functions take it: any string, or a std::filesystem::path.
#pragma once
#include <concepts>
#include <string>
#include <string_view>

namespace bloomery {

// A view for parameters: it does not own the name. A std::filesystem::path converts without a copy,
// and <filesystem>, a third of a second to compile, is not included here.
class FileName {
 public:
  FileName(std::string_view name) : name_{name} {}
  FileName(const std::string& name) : name_{name} {}
  FileName(const char* name) : name_{name} {}
  template <class Path>
  requires requires(const Path& path) {
    { path.native() } -> std::same_as<const std::string&>;
  }
  FileName(const Path& path) : name_{path.native()} {}

  std::string_view view() const { return name_; }
  std::string string() const { return std::string{name_}; }

 private:
  std::string_view name_;
};

}  // namespace bloomery
