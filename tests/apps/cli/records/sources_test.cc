#include "apps/cli/records/sources.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "tests/apps/cli/temporary_file.h"

namespace bloomery::cli {
namespace {

using ::testing::HasSubstr;
using Names = std::vector<std::string>;
namespace fs = std::filesystem;

SourceOptions in_folders(Names globs = {}) { return {{}, true, std::move(globs)}; }
SourceOptions of_list(const std::string& list, bool recursive = false) {
  return {{list}, recursive, {}};
}

// A folder that is gone when the test is.
class Sources : public ::testing::Test {
 protected:
  Sources() {
    std::string name = (fs::temp_directory_path() / "bloomery_sources.XXXXXX").string();
    EXPECT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  ~Sources() override {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  void make(const std::string& name) const {
    fs::create_directories((folder_ / name).parent_path());
    std::ofstream{folder_ / name} << "x\n";
  }
  std::string at(const std::string& name) const { return (folder_ / name).string(); }
  // The names that are found, without the folder before them.
  Names found(const SourceOptions& options, const Names& paths = {}, char delimiter = '\n') const {
    const auto files =
        find_sources(paths.empty() ? Names{folder_.string()} : paths, options, delimiter);
    if (!files) return {files.error().message};
    Names names;
    for (const std::string& file : *files)
      names.push_back(file.starts_with(at("")) ? file.substr(at("").size()) : file);
    return names;
  }

  fs::path folder_;
};

TEST_F(Sources, OfAFolderAreItsFilesInOrder) {
  for (const char* name : {"b.txt", "a/z.gz", "a/b/c.txt", "B.txt", ".hidden", "c"}) make(name);
  EXPECT_EQ(found(in_folders()), (Names{".hidden", "B.txt", "a/b/c.txt", "a/z.gz", "b.txt", "c"}));
  EXPECT_EQ(found(in_folders({"*.txt"})), (Names{"B.txt", "a/b/c.txt", "b.txt"}));
  EXPECT_EQ(found(in_folders({"[a-c]", "z.*"})), (Names{"a/z.gz", "c"}));
  EXPECT_THAT(found(in_folders({"*.md"}))[0], HasSubstr("matches --glob"));
  EXPECT_THAT(found({})[0], HasSubstr("it is a folder; -r reads the files in it"));
}

TEST_F(Sources, OfAnEmptyFolderAreAnError) {
  EXPECT_THAT(found(in_folders())[0], HasSubstr("no file is in the folder"));
}

TEST_F(Sources, FollowLinksButNotInCircles) {
  make("a/x");
  make("b/y");
  fs::create_directory_symlink("../b", folder_ / "a/to_b");
  EXPECT_EQ(found(in_folders()), (Names{"a/to_b/y", "a/x", "b/y"}));
  fs::create_directory_symlink("..", folder_ / "b/up");
  EXPECT_THAT(found(in_folders())[0], HasSubstr("leads back into a folder above it"));
}

TEST_F(Sources, RefuseWhatIsNoFile) {
  make("a");
  ASSERT_EQ(::mkfifo(at("pipe").c_str(), 0600), 0);
  EXPECT_THAT(found(in_folders())[0], HasSubstr("pipe: it is no regular file"));
  EXPECT_EQ(found(in_folders({"a"})), (Names{"a"}));
  fs::create_symlink("nowhere", folder_ / "dangling");
  EXPECT_THAT(found(in_folders({"d*"}))[0], HasSubstr("dangling: cannot read: No such file"));
}

TEST_F(Sources, OfAListComeBehindThoseOfTheCommandLine) {
  make("d/2");
  make("d/1");
  const testing::TemporaryFile list{"x y\n" + at("d") + "\n-"};
  EXPECT_EQ(found(of_list(list.path(), true), {"first"}),
            (Names{"first", "x y", "d/1", "d/2", "-"}));
  const testing::TemporaryFile nul{std::string{"a\nb\0c\0", 6}};
  EXPECT_EQ(found(of_list(nul.path()), {"first"}, '\0'), (Names{"first", "a\nb", "c"}));
  EXPECT_THAT(found(of_list(nul.path()), {"first"})[0], HasSubstr("NUL"));
  const testing::TemporaryFile empty{""};
  EXPECT_THAT(found(of_list(empty.path()))[0], HasSubstr("the list names no file"));
  const testing::TemporaryFile gap{"a\n\nb\n"};
  EXPECT_THAT(found(of_list(gap.path()))[0], HasSubstr("name 2 of the list is empty"));
}

TEST(SourcesOfStdin, AreReadOnce) {
  const testing::TemporaryFile list{"-\n"};
  EXPECT_TRUE(find_sources({}, of_list(list.path()), '\n'));
  EXPECT_TRUE(find_sources({}, {}, '\n')->empty());
}

}  // namespace
}  // namespace bloomery::cli
