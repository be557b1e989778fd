// Parses event notifications of object stores: S3's, as AWS, MinIO and Ceph send them, also in the
// envelopes of SNS and EventBridge.
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

struct ObjectNotification {
  // None for a test event, and for objects that were only read. AWS and MinIO encode keys as in a
  // URL, Ceph does not: where the two readings differ, both are here.
  std::vector<ObjectChange> changes = {};
  // SNS began or ended a subscription: a sentence for the operator, without control characters.
  std::string notice = {};
};

// kMalformed if any part of it cannot be understood: it may have reported a change.
Result<ObjectNotification> decode_object_events(std::string_view json);

}  // namespace bloomery::tracker
