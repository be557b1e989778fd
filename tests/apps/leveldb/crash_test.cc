// A database with our policies, whose process is killed while it writes a table: nothing that was
// acknowledged may be lost. Only children open the database: LevelDB starts its thread once, and a
// process that is forked later has it not.
#include <gtest/gtest.h>
#include <leveldb/db.h>
#include <leveldb/write_batch.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <random>

#include "bloomery/leveldb/filter_policy.h"
#include "tests/apps/leveldb/counting_env.h"
#include "tests/base/scratch_folder.h"
#include "tests/full_run.h"

namespace bloomery {
namespace {

using testing::Policy;

// Kills this process, as with kill -9, in the middle of the n-th piece that is written to a table.
class DeadlyEnv final : public leveldb::EnvWrapper {
 public:
  explicit DeadlyEnv(int pieces) : EnvWrapper{leveldb::Env::Default()}, left_{pieces} {}
  leveldb::Status NewWritableFile(const std::string& name, leveldb::WritableFile** file) override {
    const auto status = target()->NewWritableFile(name, file);
    if (status.ok() && name.ends_with(".ldb")) *file = new DeadlyFile{*file, left_};
    return status;
  }

 private:
  class DeadlyFile final : public leveldb::WritableFile {
   public:
    DeadlyFile(leveldb::WritableFile* file, std::atomic<int>& left) : file_{file}, left_{left} {}
    leveldb::Status Append(const leveldb::Slice& data) override {
      if (--left_ > 0) return file_->Append(data);
      (void)file_->Append({data.data(), data.size() / 2});
      (void)file_->Flush();
      ::kill(::getpid(), SIGKILL);
      return leveldb::Status::IOError("unreachable");
    }
    leveldb::Status Close() override { return file_->Close(); }
    leveldb::Status Flush() override { return file_->Flush(); }
    leveldb::Status Sync() override { return file_->Sync(); }

   private:
    std::unique_ptr<leveldb::WritableFile> file_;
    std::atomic<int>& left_;
  };
  std::atomic<int> left_;
};

std::string key_of(std::uint64_t i) { return std::to_string(i * 0x9e3779b97f4a7c15); }

// What both processes see: how many keys were acknowledged.
class Acknowledged {
 public:
  Acknowledged()
      : memory_{::mmap(nullptr, sizeof(std::atomic<std::uint64_t>), PROT_READ | PROT_WRITE,
                       MAP_SHARED | MAP_ANONYMOUS, -1, 0)},
        count_{new (memory_) std::atomic<std::uint64_t>{0}} {}
  ~Acknowledged() { ::munmap(memory_, sizeof *count_); }
  Acknowledged(const Acknowledged&) = delete;
  Acknowledged& operator=(const Acknowledged&) = delete;
  std::atomic<std::uint64_t>& count() { return *count_; }

 private:
  void* memory_;
  std::atomic<std::uint64_t>* count_;
};

leveldb::Options small_tables() {
  leveldb::Options options;
  options.write_buffer_size = 64 << 10;
  options.max_file_size = 1 << 20;
  options.block_size = 1024;
  return options;
}

[[noreturn]] void write_until_killed(const std::string& path, const leveldb::FilterPolicy* policy,
                                     int pieces, std::atomic<std::uint64_t>& acknowledged) {
  constexpr int kBatch = 50;
  DeadlyEnv env{pieces};
  leveldb::Options options = small_tables();
  options.env = &env;
  const auto database = testing::open_database(path, policy, options);
  leveldb::WriteOptions synced;
  synced.sync = true;
  for (;;) {
    leveldb::WriteBatch batch;
    for (int i = 0; i < kBatch; ++i) {
      const std::string key = key_of(acknowledged + static_cast<std::uint64_t>(i));
      batch.Put(key, "value of " + key);
    }
    if (!database->Write(synced, &batch).ok()) ::_exit(3);
    acknowledged += kBatch;
  }
}

// The first key that is lost, or `end`.
std::uint64_t first_lost(leveldb::DB& database, std::uint64_t first, std::uint64_t end,
                         std::uint64_t step) {
  std::string value;
  for (std::uint64_t i = first; i < end; i += step) {
    const std::string key = key_of(i);
    if (!database.Get({}, key, &value).ok() || value != "value of " + key) return i;
  }
  return end;
}

// Reads the newest keys, each, and of the others some; or all.
[[noreturn]] void read_back(const std::string& path, const leveldb::FilterPolicy* policy,
                            std::uint64_t newest, std::uint64_t end) {
  const auto database = testing::open_database(path, policy, small_tables());
  if (database == nullptr) ::_exit(2);
  const std::uint64_t step = newest == 0 ? 1 : 1 + newest / 3000;
  const bool whole = first_lost(*database, newest, end, 1) == end &&
                     first_lost(*database, 0, newest, step) == newest;
  ::_exit(whole ? 0 : 1);
}

template <class Work>
int status_of_child(Work work) {
  const pid_t child = ::fork();
  EXPECT_GE(child, 0);
  if (child == 0) work();
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  return status;
}

void kill_and_recover(const Policy& policy, int kills) {
  const ScratchFolder folder;
  const std::string path = folder / "db";
  Acknowledged acknowledged;
  std::mt19937 random{42};
  for (int i = 0; i < kills; ++i) {
    const std::uint64_t before = acknowledged.count();
    const int pieces = 1 + static_cast<int>(random() % 1500);
    const int killed = status_of_child(
        [&] { write_until_killed(path, policy.get(), pieces, acknowledged.count()); });
    ASSERT_TRUE(WIFSIGNALED(killed) && WTERMSIG(killed) == SIGKILL) << killed;
    ASSERT_EQ(status_of_child([&] { read_back(path, policy.get(), before, acknowledged.count()); }),
              0)
        << "after kill " << i;
  }
  EXPECT_EQ(status_of_child([&] { read_back(path, policy.get(), 0, acknowledged.count()); }), 0);
  EXPECT_GT(acknowledged.count(), 100U * static_cast<unsigned>(kills));
  std::printf("%d kills, %llu keys\n", kills,
              static_cast<unsigned long long>(acknowledged.count()));
}

int kills() { return testing::full_run() ? 100 : 10; }

TEST(LevelDbCrash, NothingIsLostWithTheCompatiblePolicy) {
  kill_and_recover(Policy{NewBloomeryPolicy(10)}, kills());
}

TEST(LevelDbCrash, NothingIsLostWithTheBlockPolicy) {
  kill_and_recover(Policy{NewBloomeryBlockPolicy(10)}, kills());
}

}  // namespace
}  // namespace bloomery
