// A LevelDB database with our filters: two lines, one to include and one to choose.
#include <bloomery/leveldb/filter_policy.h>
#include <leveldb/db.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>

int main() {
  const auto folder = std::filesystem::temp_directory_path() / "bloomery-leveldb-example";
  std::filesystem::remove_all(folder);

  const std::unique_ptr<const leveldb::FilterPolicy> policy{bloomery::NewBloomeryBlockPolicy(10)};
  leveldb::Options options;
  options.create_if_missing = true;
  options.filter_policy = policy.get();

  leveldb::DB* opened = nullptr;
  if (!leveldb::DB::Open(options, folder.string(), &opened).ok()) return 1;
  std::unique_ptr<leveldb::DB> database{opened};
  for (int i = 0; i < 10000; ++i) database->Put({}, "key " + std::to_string(i), "value");
  database->CompactRange(nullptr, nullptr);  // to tables, where the filters are

  std::string value;
  const bool present = database->Get({}, "key 77", &value).ok();
  const bool absent = database->Get({}, "key 77 or so", &value).IsNotFound();
  std::printf("present: %s\nabsent: %s\npolicy: %s\n", present ? "found" : "lost",
              absent ? "not found" : "found", policy->Name());
  database.reset();  // before the policy
  std::filesystem::remove_all(folder);
}
