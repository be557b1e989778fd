// What the files of one place share: the client, the cache on disk, and the pages in memory. Not
// for users.
#pragma once
#include <list>
#include <map>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "bloomery/remote/client.h"
#include "bloomery/remote/page_cache.h"

namespace bloomery::internal {

// The pages that were used last, up to a number of bytes. One thread at a time.
class PageMemory {
 public:
  explicit PageMemory(std::uint64_t most_bytes) : most_bytes_{most_bytes} {}

  std::uint64_t most_bytes() const { return most_bytes_; }
  // The bytes are valid until the next call of put(). Empty: it is not here.
  ByteView find(const PageName& name);
  void put(const PageName& name, ByteView page);

 private:
  using Key = std::pair<std::pair<std::uint64_t, std::uint64_t>, std::uint64_t>;
  struct Entry {
    Key key;
    std::vector<std::byte> bytes;
  };
  static Key key_of(const PageName& name) {
    return {{name.object.low, name.object.high}, name.number};
  }

  std::uint64_t most_bytes_;
  std::uint64_t bytes_ = 0;
  std::list<Entry> entries_;  // the one that was used last is the first
  std::map<Key, std::list<Entry>::iterator> places_;
};

// The same error, its message beginning with the address.
inline Error with_address(const std::string& shown, const Error& error) {
  return {error.code, shown + ": " + error.message};
}

struct Connection {
  Connection(HttpClient its_client, const RemoteOptions& options);

  std::mutex mutex;  // of all that follows
  HttpClient client;
  PageMemory memory;
  std::optional<PageCache> cache;
  std::string cache_trouble;  // why there is no cache, where one was wanted
  std::uint64_t cached_bytes = 0;
  // Of servers without ranges: what one file may have, and what all further ones may.
  std::uint64_t whole_limit;
  std::uint64_t whole_left;
};

}  // namespace bloomery::internal
