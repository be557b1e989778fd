// Where a chain is kept: keys and values in the order of their bytes. LevelDB on a disk, a map in
// tests. The only class hierarchy of this folder.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/base/result.h"

namespace bloomery::ethlog {

// Changes that come into effect together or not at all, in their order.
class WriteBatch {
 public:
  struct Change {
    std::string key;
    std::optional<std::string> value;  // nothing: the key goes
  };
  void put(std::string_view key, std::string_view value);
  void remove(std::string_view key);
  void clear();
  bool empty() const { return changes_.empty(); }
  std::size_t bytes() const { return bytes_; }  // of keys and values
  const std::vector<Change>& changes() const { return changes_; }

 private:
  std::vector<Change> changes_;
  std::size_t bytes_ = 0;
};

// kSynced: when write returns, the batch would survive a loss of power. kBuffered: it survives the
// end of this process, and a later synced write makes it safe too.
enum class Durability : std::uint8_t { kBuffered, kSynced };

// Many threads may read while one writes; a reader sees all of a batch or nothing of it per call.
class KeyValueStore {
 public:
  // False ends the scan.
  using Visit = std::function<bool(std::string_view key, std::string_view value)>;

  KeyValueStore() = default;
  KeyValueStore(const KeyValueStore&) = delete;
  KeyValueStore& operator=(const KeyValueStore&) = delete;
  virtual ~KeyValueStore() = default;

  // Nothing where there is no such key.
  virtual Result<std::optional<std::string>> get(std::string_view key) const = 0;
  // Keys from `first` on and before `past`, ascending, as they were when the scan began.
  virtual Status scan(std::string_view first, std::string_view past, const Visit& visit) const = 0;
  virtual Status write(const WriteBatch& batch, Durability durability) = 0;
};

// The first key after all that begin with the prefix. Precondition: the prefix has a byte other
// than ff.
std::string after_prefix(std::string_view prefix);

}  // namespace bloomery::ethlog
