// The key a command names, opened while the command runs.
#pragma once
#include "apps/redis/bloom_value.h"
#include "apps/redis/call.h"

namespace bloomery::redis_module {

class BloomKey {
 public:
  BloomKey(const Call& call, int mode);
  ~BloomKey();
  BloomKey(const BloomKey&) = delete;
  BloomKey& operator=(const BloomKey&) = delete;

  bool missing() const;
  BloomValue* value() const { return value_; }  // null: missing, or of another type
  void set(BloomValue* value);                  // the server owns it from here on

 private:
  Key* key_;  // null: missing, and opened to read
  BloomValue* value_ = nullptr;
};

// What the server is told of a change: clients that watch the key, and the event's listeners.
void announce(const Call& call, const char* event);

}  // namespace bloomery::redis_module
