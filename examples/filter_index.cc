// Which of many filters may hold a key: one lookup in an index of them.
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "bloomery/base/file_lock.h"
#include "bloomery/bloomery.h"
#include "bloomery/formats/index/change.h"
#include "bloomery/formats/index/index.h"

using Seen = bloomery::Filter<std::string>;

int main() {
  const auto folder = std::filesystem::temp_directory_path() / "filter_index_example";
  std::filesystem::create_directory(folder);
  const std::string file = folder / "days.bloomindex";
  std::filesystem::remove(file);

  std::vector<bloomery::FilterToIndex> days;
  for (const char* day : {"monday", "tuesday", "wednesday"}) {
    auto seen = Seen::for_goal({.keys = 1000, .false_positive_rate = 0.001});
    if (!seen) return 1;
    seen->insert("everyone");
    seen->insert(std::string{"only on "} + day);
    days.push_back({folder / day, day});  // its file, and its name in answers
    if (!seen->save(days.back().path)) return 1;
  }
  // An empty lock: there is no file yet.
  if (!bloomery::build_index(days, file, bloomery::FileLock{})) return 1;

  const auto index = bloomery::FilterIndex::open(file, {});
  if (!index) return 1;
  const bloomery::ByteView keys[] = {bloomery::bytes_of("everyone"),
                                     bloomery::bytes_of("only on tuesday")};
  bloomery::IndexAnswers answers;
  index->view().find(keys, answers);
  for (std::size_t i = 0; i < answers.size(); ++i)
    for (const std::uint64_t column : answers[i])
      std::printf("key %zu: %s\n", i, std::string{index->view().filter(column).name}.c_str());
  std::filesystem::remove_all(folder);
}
