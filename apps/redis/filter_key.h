// The key a command names, opened while the command runs.
#pragma once
#include "apps/redis/call.h"
#include "apps/redis/errors.h"

namespace bloomery::redis_module {

template <class Value, DataType* (*kType)()>
class FilterKey {
 public:
  FilterKey(const Call& call, int mode) : key_{api.OpenKey(call.context, call.key_name(), mode)} {
    if (key_ != nullptr && api.ModuleTypeGetType(key_) == kType())  // null where nothing is there
      value_ = static_cast<Value*>(api.ModuleTypeGetValue(key_));
  }
  ~FilterKey() {
    if (key_ != nullptr) api.CloseKey(key_);
  }
  FilterKey(const FilterKey&) = delete;
  FilterKey& operator=(const FilterKey&) = delete;

  bool missing() const { return key_ == nullptr || api.KeyType(key_) == kEmptyKey; }
  Value* value() const { return value_; }  // null: missing, or of another type
  Refusal why_none() const { return missing() ? Refusal::kNotFound : Refusal::kWrongType; }
  void set(Value* value) {  // the server owns it from here on
    api.ModuleTypeSetValue(key_, kType(), value);
    value_ = value;
  }

 private:
  Key* key_;  // null: missing, and opened to read
  Value* value_ = nullptr;
};

// What the server is told of a change: clients that watch the key, and the event's listeners.
void announce(const Call& call, const char* event);

}  // namespace bloomery::redis_module
