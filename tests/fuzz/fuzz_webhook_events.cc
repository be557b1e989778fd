// Event notifications of object stores.
#include <cstdlib>

#include "apps/tracker/state/paths.h"
#include "apps/tracker/watch/webhook_events.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace bloomery::tracker;
  const auto read = decode_object_events({reinterpret_cast<const char*>(data), size});
  if (!read) return 0;
  for (const char c : read->notice)
    if (c < ' ' || c > '~') std::abort();
  for (const ObjectChange& change : read->changes) {
    if (change.bucket.empty()) std::abort();
    if (!is_clean(clean_path(change.bucket, change.key))) std::abort();
  }
  return 0;
}
