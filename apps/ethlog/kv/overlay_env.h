// A file system for LevelDB in which one folder can be written without being changed: what LevelDB
// writes, renames or removes there goes into a temporary folder or a list. LevelDB has no read-only
// open: it replays its log, makes a new manifest and removes old files even without a write.
#pragma once
#include <leveldb/env.h>

#include <filesystem>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "apps/ethlog/kv/temporary_folder.h"
#include "bloomery/base/result.h"

namespace bloomery::ethlog {

class OverlayEnv final : public leveldb::EnvWrapper {
 public:
  // Refused while another process has the database open: its files would change under us. From then
  // on no other process can open it for writing. Not for a database that this process itself has
  // open: locks of one process do not keep it from itself.
  static Result<std::unique_ptr<OverlayEnv>> over(const std::filesystem::path& folder);
  ~OverlayEnv() override;  // the temporary folder goes

  // Compactions are held back, for they would copy a database of any size into the temporary
  // folder. A database waits for them when it closes: close it while one of these lives. From then
  // on no file can be written, so that each compaction ends at once, on the thread that closes: a
  // thread of LevelDB's own is never started, and so its start cannot fail.
  class Release {
   public:
    explicit Release(OverlayEnv& env);
    Release(const Release&) = delete;
    Release& operator=(const Release&) = delete;
    ~Release() = default;
  };

  leveldb::Status NewSequentialFile(const std::string& name,
                                    leveldb::SequentialFile** result) override;
  leveldb::Status NewRandomAccessFile(const std::string& name,
                                      leveldb::RandomAccessFile** result) override;
  leveldb::Status NewWritableFile(const std::string& name, leveldb::WritableFile** result) override;
  leveldb::Status NewAppendableFile(const std::string& name,
                                    leveldb::WritableFile** result) override;
  bool FileExists(const std::string& name) override;
  leveldb::Status GetChildren(const std::string& folder, std::vector<std::string>* result) override;
  leveldb::Status RemoveFile(const std::string& name) override;
  leveldb::Status CreateDir(const std::string& folder) override;
  leveldb::Status RemoveDir(const std::string& folder) override;
  leveldb::Status GetFileSize(const std::string& name, uint64_t* size) override;
  leveldb::Status RenameFile(const std::string& from, const std::string& to) override;
  leveldb::Status LockFile(const std::string& name, leveldb::FileLock** lock) override;
  leveldb::Status UnlockFile(leveldb::FileLock* lock) override;
  leveldb::Status NewLogger(const std::string& name, leveldb::Logger** result) override;
  void Schedule(void (*function)(void*), void* argument) override;

 private:
  OverlayEnv(TemporaryFolder temporary, int lock_file);
  std::string written(const std::string& name) const;  // its place in the temporary folder
  // Where to read it: what was written comes before what was there. Empty: it is removed.
  std::string current(const std::string& name) const;

  TemporaryFolder owned_;
  std::filesystem::path temporary_;
  int lock_file_;  // -1: the folder has none
  mutable std::mutex mutex_;
  std::set<std::string> removed_;  // names, in either folder
  bool released_ = false;          // nothing can be written any more
  std::vector<std::pair<void (*)(void*), void*>> held_;
};

}  // namespace bloomery::ethlog
