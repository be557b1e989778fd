// What an object store tells of changes: S3's event notifications, as AWS and MinIO send them.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/base/result.h"

namespace bloomery::tracker {

struct ObjectChange {
  std::string bucket;
  std::string key;  // of the object; empty: the bucket as a whole
  friend bool operator==(const ObjectChange&, const ObjectChange&) = default;
};

// The changes in one notification: none for a test event, and for objects that were only read.
// kMalformed if any part of it cannot be understood: it may have told of a change.
Result<std::vector<ObjectChange>> decode_object_events(std::string_view json);

}  // namespace bloomery::tracker
