#include "bloomery/base/file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <thread>

#include "tests/base/scratch_folder.h"

namespace bloomery {
namespace {

using ::testing::HasSubstr;

void write_plainly(const std::filesystem::path& path, std::string_view text) {
  std::ofstream{path, std::ios::binary} << text;
}

std::string content(const std::filesystem::path& path) {
  const auto bytes = read_file(path, DecodeLimits{});
  return bytes ? std::string{text_of(*bytes)} : "unreadable: " + bytes.error().message;
}

mode_t mode_of(const std::filesystem::path& path) {
  struct stat info {};
  EXPECT_EQ(::stat(path.c_str(), &info), 0);
  return info.st_mode & 07777;
}

TEST(ReadFile, ReadsFilesOfEverySizeUpToTheLimit) {
  const ScratchFolder folder;
  for (const std::size_t size : {0u, 1u, 4095u, 4096u, 65536u, 100'001u}) {
    const std::string text(size, 'x');
    write_plainly(folder / "file", text);
    const auto bytes = read_file(folder / "file", {.max_bytes = size});
    ASSERT_TRUE(bytes) << bytes.error().message;
    EXPECT_EQ(text_of(*bytes), text);
  }
}

TEST(ReadFile, RefusesAFileLongerThanTheLimit) {
  const ScratchFolder folder;
  write_plainly(folder / "file", "12345");
  const auto bytes = read_file(folder / "file", {.max_bytes = 4});
  ASSERT_FALSE(bytes);
  EXPECT_EQ(bytes.error().code, ErrorCode::kTooLarge);
  EXPECT_THAT(bytes.error().message, HasSubstr("limit of 4 bytes"));
}

TEST(ReadFile, DoesNotReadAnEndlessDevicePastTheLimit) {
  const auto bytes = read_file("/dev/zero", {.max_bytes = 1'000'000});
  ASSERT_FALSE(bytes);
  EXPECT_EQ(bytes.error().code, ErrorCode::kTooLarge);
}

TEST(ReadFile, ReadsAPipeToItsEnd) {
  const ScratchFolder folder;
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  const std::string text(300'000, 'p');
  std::thread writer{[&] { write_plainly(folder / "pipe", text); }};
  EXPECT_EQ(content(folder / "pipe"), text);
  writer.join();
}

TEST(ReadFile, NamesTheFileItCannotRead) {
  const ScratchFolder folder;
  const auto missing = read_file(folder / "missing", DecodeLimits{});
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, ErrorCode::kIo);
  EXPECT_THAT(missing.error().message, HasSubstr("missing: cannot open: No such file"));
  EXPECT_EQ(read_file(folder.path(), DecodeLimits{}).error().code, ErrorCode::kIo);
}

TEST(MappedFile, ShowsTheBytesOfAFile) {
  const ScratchFolder folder;
  write_plainly(folder / "file", "mapped");
  auto mapped = MappedFile::open(folder / "file");
  ASSERT_TRUE(mapped) << mapped.error().message;
  EXPECT_EQ(text_of(mapped->bytes()), "mapped");
  const MappedFile moved = *std::move(mapped);
  EXPECT_EQ(text_of(moved.bytes()), "mapped");
}

TEST(MappedFile, KeepsTheOldBytesWhenTheFileIsReplaced) {
  const ScratchFolder folder;
  ASSERT_TRUE(save_file(folder / "file", bytes_of("old")));
  const auto mapped = MappedFile::open(folder / "file");
  ASSERT_TRUE(save_file(folder / "file", bytes_of("new and longer")));
  EXPECT_EQ(text_of(mapped->bytes()), "old");
}

TEST(MappedFile, HasNoBytesWhereTheFileHasNone) {
  const ScratchFolder folder;
  write_plainly(folder / "empty", "");
  const auto mapped = MappedFile::open(folder / "empty");
  ASSERT_TRUE(mapped);
  EXPECT_TRUE(mapped->bytes().empty());
}

TEST(MappedFile, RefusesWhatIsNoRegularFile) {
  const ScratchFolder folder;
  for (const std::filesystem::path& path :
       {folder.path(), std::filesystem::path{"/dev/zero"}, folder / "missing"}) {
    const auto mapped = MappedFile::open(path);
    ASSERT_FALSE(mapped) << path;
    EXPECT_EQ(mapped.error().code, ErrorCode::kIo);
  }
}

TEST(WritableMappedFile, WritesWhereTheFileLies) {
  const ScratchFolder folder;
  write_plainly(folder / "file", "some bytes of a file");
  {
    auto file = WritableMappedFile::open(folder / "file");
    ASSERT_TRUE(file) << file.error().message;
    file->bytes()[0] = std::byte{'S'};
    ASSERT_TRUE(file->sync());
    auto moved = std::move(*file);
    moved.bytes()[5] = std::byte{'B'};
    EXPECT_EQ(text_of(std::as_const(moved).bytes()), "Some Bytes of a file");
  }
  EXPECT_EQ(content(folder / "file"), "Some Bytes of a file");
}

TEST(WritableMappedFile, ReplacesItsStartUnderTheMapping) {
  const ScratchFolder folder;
  write_plainly(folder / "file", "some bytes of a file");
  auto file = WritableMappedFile::open(folder / "file");
  ASSERT_TRUE(file);
  file->bytes()[19] = std::byte{'!'};
  ASSERT_TRUE(file->replace_start(bytes_of("SOME")));
  EXPECT_EQ(text_of(file->bytes()), "SOME bytes of a fil!");
  EXPECT_EQ(content(folder / "file"), "SOME bytes of a fil!");
}

TEST(WritableMappedFile, HasOneWriterAtATime) {
  const ScratchFolder folder;
  write_plainly(folder / "file", "some bytes");
  {
    const auto first = WritableMappedFile::open(folder / "file");
    ASSERT_TRUE(first);
    const auto second = WritableMappedFile::open(folder / "file");
    ASSERT_FALSE(second);
    EXPECT_THAT(second.error().message, HasSubstr("file: another program is writing"));
    EXPECT_TRUE(MappedFile::open(folder / "file"));  // readers are not kept out
  }
  EXPECT_TRUE(WritableMappedFile::open(folder / "file"));
}

TEST(WritableMappedFile, RefusesWhatCannotBeWrittenInPlace) {
  const ScratchFolder folder;
  EXPECT_FALSE(WritableMappedFile::open(folder / "missing"));
  EXPECT_FALSE(WritableMappedFile::open(folder.path()));
  EXPECT_FALSE(WritableMappedFile::open("/dev/null"));
  write_plainly(folder / "empty", "");
  auto empty = WritableMappedFile::open(folder / "empty");
  ASSERT_TRUE(empty);
  EXPECT_TRUE(empty->bytes().empty());
  EXPECT_TRUE(empty->sync());
}

TEST(SaveFile, WritesItsPartsOneAfterTheOther) {
  const ScratchFolder folder;
  const ByteView parts[] = {bytes_of("one"), {}, bytes_of("two")};
  ASSERT_TRUE(save_file(folder / "file", parts));
  EXPECT_EQ(content(folder / "file"), "onetwo");
  EXPECT_EQ(folder.entries(), 1u);
}

TEST(SaveFile, ReplacesALongerFile) {
  const ScratchFolder folder;
  ASSERT_TRUE(save_file(folder / "file", bytes_of("a long old version")));
  ASSERT_TRUE(save_file(folder / "file", bytes_of("new")));
  EXPECT_EQ(content(folder / "file"), "new");
  EXPECT_EQ(folder.entries(), 1u);
}

TEST(SaveFile, GivesANewFileTheModeOfTheUmask) {
  const ScratchFolder folder;
  const mode_t before = ::umask(027);
  EXPECT_TRUE(save_file(folder / "file", bytes_of("x")));
  const mode_t after = ::umask(before);
  EXPECT_EQ(mode_of(folder / "file"), 0640u);
  EXPECT_EQ(after, 027u);
}

TEST(SaveFile, KeepsTheModeOfAnOldFile) {
  const ScratchFolder folder;
  for (const mode_t mode : {0600u, 0644u, 0666u, 0751u}) {
    ASSERT_TRUE(save_file(folder / "file", bytes_of("old")));
    ASSERT_EQ(::chmod((folder / "file").c_str(), mode), 0);
    ASSERT_TRUE(save_file(folder / "file", bytes_of("new")));
    EXPECT_EQ(mode_of(folder / "file"), mode);
  }
}

TEST(SaveFile, FollowsLinksToTheFileBehindThem) {
  const ScratchFolder folder;
  std::filesystem::create_directory(folder / "deep");
  write_plainly(folder / "deep/file", "old");
  std::filesystem::create_symlink("deep/file", folder / "relative");
  std::filesystem::create_symlink(folder / "relative", folder / "absolute");
  ASSERT_TRUE(save_file(folder / "absolute", bytes_of("new")));
  EXPECT_EQ(content(folder / "deep/file"), "new");
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "absolute"));
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "relative"));
}

TEST(SaveFile, CreatesTheFileThatALinkPromises) {
  const ScratchFolder folder;
  std::filesystem::create_symlink("absent", folder / "link");
  ASSERT_TRUE(save_file(folder / "link", bytes_of("new")));
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
  EXPECT_EQ(content(folder / "absent"), "new");
}

TEST(SaveFile, RefusesALinkToItself) {
  const ScratchFolder folder;
  std::filesystem::create_symlink("loop", folder / "loop");
  const Status saved = save_file(folder / "loop", bytes_of("x"));
  ASSERT_FALSE(saved);
  EXPECT_EQ(saved.error().code, ErrorCode::kIo);
  EXPECT_EQ(folder.entries(), 1u);
}

TEST(SaveFile, FollowsAsManyLinksAsTheSystemDoes) {
  const ScratchFolder folder;
  std::string last = "file";
  for (int links = 1; links <= 42; ++links) {
    const std::string name = "link" + std::to_string(links);
    std::filesystem::create_symlink(last, folder / name);
    last = name;
    write_plainly(folder / "file", "old");
    struct stat info {};
    const bool followed = ::stat((folder / name).c_str(), &info) == 0;
    EXPECT_EQ(bool{save_file(folder / name, bytes_of("new"))}, followed) << links << " links";
    EXPECT_EQ(content(folder / "file"), followed ? "new" : "old");
  }
}

TEST(SaveFile, SavesUnderABareName) {
  const ScratchFolder folder;
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(folder.path());
  const Status saved = save_file("bare", bytes_of("here"));
  std::filesystem::current_path(before);
  ASSERT_TRUE(saved) << saved.error().message;
  EXPECT_EQ(content(folder / "bare"), "here");
}

TEST(SaveFile, SavesUnderTheLongestName) {
  const ScratchFolder folder;
  const std::string name(255, 'n');
  const Status saved = save_file(folder / name, bytes_of("x"));
  ASSERT_TRUE(saved) << saved.error().message;
  EXPECT_EQ(content(folder / name), "x");
}

TEST(SaveFile, ReplacesNeitherDevicesNorPipesNorFolders) {
  const ScratchFolder folder;
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  std::filesystem::create_directory(folder / "folder");
  for (const char* name : {"pipe", "folder"}) {
    const Status saved = save_file(folder / name, bytes_of("x"));
    ASSERT_FALSE(saved) << name;
    EXPECT_EQ(saved.error().code, ErrorCode::kIo);
  }
  EXPECT_TRUE(std::filesystem::is_fifo(folder / "pipe"));
  EXPECT_EQ(folder.entries(), 2u);
}

TEST(SaveFile, SaysThatTheFolderIsMissing) {
  const ScratchFolder folder;
  const Status saved = save_file(folder / "missing/file", bytes_of("x"));
  ASSERT_FALSE(saved);
  EXPECT_EQ(saved.error().code, ErrorCode::kIo);
  EXPECT_THAT(saved.error().message, HasSubstr("No such file or directory"));
  EXPECT_EQ(folder.entries(), 0u);
}

// Root may write anywhere, so root becomes nobody for the length of one save.
TEST(SaveFile, LeavesTheOldFileInAReadOnlyFolder) {
  const ScratchFolder folder;
  write_plainly(folder / "file", "old");
  ASSERT_EQ(::chmod((folder / "file").c_str(), 0666), 0);
  ASSERT_EQ(::chmod(folder.path().c_str(), 0555), 0);
  const bool was_root = ::geteuid() == 0;
  if (was_root) {
    ASSERT_EQ(::seteuid(65534), 0);
  }
  const Status saved = save_file(folder / "file", bytes_of("new"));
  if (was_root) {
    ASSERT_EQ(::seteuid(0), 0);
  }
  ASSERT_EQ(::chmod(folder.path().c_str(), 0755), 0);
  ASSERT_FALSE(saved);
  EXPECT_EQ(saved.error().code, ErrorCode::kIo);
  EXPECT_THAT(saved.error().message, HasSubstr("Permission denied"));
  EXPECT_EQ(content(folder / "file"), "old");
  EXPECT_EQ(folder.entries(), 1u);
}

// A limit on the size of files stands in for a full disk: the write stops halfway.
class SmallDisk {
 public:
  explicit SmallDisk(rlim_t bytes) {
    handler_ = std::signal(SIGXFSZ, SIG_IGN);
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit small{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &small);
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;
  ~SmallDisk() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  rlimit before_{};
  void (*handler_)(int);
};

Status save_on_small_disk(const std::filesystem::path& path, ByteView bytes) {
  const SmallDisk disk{4096};
  return save_file(path, bytes);
}

TEST(SaveFile, LeavesTheOldFileAndNoOtherWhenTheDiskIsFull) {
  const ScratchFolder folder;
  write_plainly(folder / "file", "old");
  const Status saved = save_on_small_disk(folder / "file", bytes_of(std::string(10'000, 'n')));
  ASSERT_FALSE(saved);
  EXPECT_EQ(saved.error().code, ErrorCode::kIo);
  EXPECT_THAT(saved.error().message, HasSubstr("file: cannot write: File too large"));
  EXPECT_EQ(content(folder / "file"), "old");
  EXPECT_EQ(folder.entries(), 1u);
}

}  // namespace
}  // namespace bloomery
