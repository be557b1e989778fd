#include "bloomery/remote/connection.h"

#include <algorithm>

namespace bloomery::internal {

ByteView PageMemory::find(const PageName& name) {
  const auto found = places_.find(key_of(name));
  if (found == places_.end()) return {};
  entries_.splice(entries_.begin(), entries_, found->second);
  return entries_.front().bytes;
}

void PageMemory::put(const PageName& name, ByteView page) {
  if (page.size() > most_bytes_ || places_.contains(key_of(name))) return;
  while (bytes_ + page.size() > most_bytes_) {
    bytes_ -= entries_.back().bytes.size();
    places_.erase(entries_.back().key);
    entries_.pop_back();
  }
  entries_.push_front({key_of(name), {page.begin(), page.end()}});
  places_[key_of(name)] = entries_.begin();
  bytes_ += page.size();
}

Connection::Connection(HttpClient its_client, const RemoteOptions& options)
    : client{std::move(its_client)},
      memory{options.memory_bytes},
      whole_limit{options.whole_limit},
      whole_left{std::max(options.whole_limit, options.memory_bytes)} {
  if (options.cache_folder.empty()) return;
  auto opened = PageCache::open(options.cache_folder, options.cache_bytes);
  if (opened)
    cache = std::move(*opened);
  else
    cache_trouble = opened.error().message;
}

}  // namespace bloomery::internal
