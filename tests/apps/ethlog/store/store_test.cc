#include <gmock/gmock.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <map>

#include "apps/ethlog/store/schema.h"
#include "apps/ethlog/store/section_records.h"
#include "tests/apps/ethlog/store/chains.h"

namespace bloomery::ethlog {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// ---- keys and values

std::vector<std::string> keys_in(const KeyValueStore& store, std::string_view first,
                                 std::string_view past, std::size_t most = 100) {
  std::vector<std::string> keys;
  EXPECT_TRUE(store.scan(first, past, [&](std::string_view key, std::string_view) {
    keys.emplace_back(key);
    return keys.size() < most;
  }));
  return keys;
}

void behaves(KeyValueStore& store) {
  WriteBatch batch;
  batch.put("a1", "one");
  batch.put("b", std::string{"\0\xff", 2});
  batch.put("a2", "two");
  batch.put("a1", "uno");
  batch.put("gone", "");
  batch.remove("gone");
  ASSERT_TRUE(store.write(batch, Durability::kSynced));
  EXPECT_EQ(**store.get("a1"), "uno");
  EXPECT_EQ((**store.get("b")).size(), 2U);
  EXPECT_FALSE(store.get("gone")->has_value());
  EXPECT_FALSE(store.get("")->has_value());
  EXPECT_THAT(keys_in(store, "a", after_prefix("a")), ElementsAre("a1", "a2"));
  EXPECT_THAT(keys_in(store, "a2", "b"), ElementsAre("a2"));
  EXPECT_THAT(keys_in(store, "", "z", 2), ElementsAre("a1", "a2"));
  EXPECT_THAT(keys_in(store, "c", "a"), ElementsAre());
  // A visitor may read the store that it visits, and sees the scan's moment.
  std::size_t seen = 0;
  EXPECT_TRUE(store.scan("a", "b", [&](std::string_view key, std::string_view value) {
    WriteBatch more;
    more.put("a3", "new");
    EXPECT_TRUE(store.write(more, Durability::kBuffered));
    EXPECT_EQ(**store.get(key), value);
    ++seen;
    return true;
  }));
  EXPECT_EQ(seen, 2U);
}

TEST(KeyValueStores, KeepWhatIsWrittenInTheOrderOfTheKeys) {
  MemoryStore memory;
  behaves(memory);
  const ScratchFolder folder;
  {
    auto store = open_leveldb(folder / "db", Creation::kAllowed);
    ASSERT_TRUE(store) << store.error().message;
    behaves(**store);
  }
  const auto again = open_leveldb(folder / "db", Creation::kMustExist);
  ASSERT_TRUE(again);
  EXPECT_EQ(**(*again)->get("a1"), "uno");
  EXPECT_FALSE(open_leveldb(folder / "other", Creation::kMustExist));
  EXPECT_EQ(after_prefix(std::string{"a\xff"}), "b");
}

// ---- foreign databases

TEST(ForeignDatabase, IsReadWithoutChangingAByte) {
  const SampleChaindata chaindata;
  ASSERT_TRUE(chaindata.unpacked());
  const auto before = bytes_of_folder(chaindata.path());
  {
    const auto store = open_foreign_leveldb(chaindata.path());
    ASSERT_TRUE(store) << store.error().message;
    EXPECT_EQ((*store)->get(kHeadBlockKey)->value().size(), 32U);
    WriteBatch batch;
    batch.put("a", "b");
    EXPECT_FALSE((*store)->write(batch, Durability::kSynced));
    // A second reader is no danger.
    EXPECT_TRUE(open_foreign_leveldb(chaindata.path()));
    EXPECT_EQ(bytes_of_folder(chaindata.path()), before);
  }
  EXPECT_EQ(bytes_of_folder(chaindata.path()), before);
}

TEST(ForeignDatabase, MayBeAllInItsWriteAheadLog) {
  const ScratchFolder folder;
  constexpr int kKeys = 20'000;
  {
    auto store = open_leveldb(folder / "db", Creation::kAllowed);
    for (int i = 0; i < kKeys; ++i) {
      WriteBatch batch;
      batch.put("key" + std::to_string(i), std::string(300, static_cast<char>('a' + i % 26)));
      ASSERT_TRUE((*store)->write(batch, Durability::kBuffered));
    }
  }
  const auto before = bytes_of_folder(folder / "db");
  {
    // A small buffer: the log becomes many tables, outside of the folder.
    const auto store = open_foreign_leveldb(folder / "db", {.write_buffer_bytes = 64 << 10});
    ASSERT_TRUE(store) << store.error().message;
    for (int i = 0; i < kKeys; i += 7)
      ASSERT_EQ((*store)->get("key" + std::to_string(i))->value()[299], 'a' + i % 26) << i;
    EXPECT_EQ(keys_in(**store, "key", "kez", kKeys + 1).size(), std::size_t{kKeys});
  }
  EXPECT_EQ(bytes_of_folder(folder / "db"), before);
  EXPECT_FALSE(open_foreign_leveldb(folder / "missing"));
  EXPECT_FALSE(std::filesystem::exists(folder / "missing"));
}

TEST(ForeignDatabase, IsRefusedWhileAProgramLikeGethHasIt) {
  const SampleChaindata chaindata;
  const int lock = ::open((chaindata.path() / "LOCK").c_str(), O_RDWR);
  ASSERT_GE(lock, 0);
  ASSERT_EQ(::flock(lock, LOCK_EX | LOCK_NB), 0);
  const auto refused = open_foreign_leveldb(chaindata.path());
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("is open in another program"));
  ::close(lock);
  EXPECT_TRUE(open_foreign_leveldb(chaindata.path()));
}

TEST(ForeignDatabase, IsRefusedWhileAProgramLikeLevelDbHasItAndKeepsItOut) {
  const SampleChaindata chaindata;
  // In a child, since fcntl's locks are a process's.
  const auto locked_by_child = [&] {
    const pid_t child = ::fork();
    if (child == 0) {
      const int file = ::open((chaindata.path() / "LOCK").c_str(), O_RDWR);
      struct flock lock = {};
      lock.l_type = F_WRLCK;
      ::_exit(::fcntl(file, F_SETLK, &lock) == 0 ? 0 : 1);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return WEXITSTATUS(status) == 0;
  };
  EXPECT_TRUE(locked_by_child());
  {
    const auto store = open_foreign_leveldb(chaindata.path());
    ASSERT_TRUE(store);
    EXPECT_FALSE(locked_by_child());
  }
  EXPECT_TRUE(locked_by_child());
  int ready[2];
  int done[2];
  ASSERT_EQ(::pipe(ready) | ::pipe(done), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const int file = ::open((chaindata.path() / "LOCK").c_str(), O_RDWR);
    struct flock lock = {};
    lock.l_type = F_WRLCK;
    char sign = ::fcntl(file, F_SETLK, &lock) == 0 ? 'y' : 'n';
    if (::write(ready[1], &sign, 1) == 1 && ::read(done[0], &sign, 1) == 1) ::_exit(0);
    ::_exit(1);
  }
  char sign = 0;
  ASSERT_EQ(::read(ready[0], &sign, 1), 1);
  EXPECT_EQ(sign, 'y');
  EXPECT_FALSE(open_foreign_leveldb(chaindata.path()));
  ASSERT_EQ(::write(done[1], &sign, 1), 1);
  ::waitpid(child, nullptr, 0);
  for (const int file : {ready[0], ready[1], done[0], done[1]}) ::close(file);
}

}  // namespace
}  // namespace bloomery::ethlog
