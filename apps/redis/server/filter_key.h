// The key a command names, opened while the command runs.
#pragma once
#include "apps/redis/server/command_call.h"
#include "apps/redis/server/errors.h"
#include "apps/redis/server/filter_value.h"

namespace bloomery::redis_module {

template <class Value, DataType* (*kType)()>
class FilterKey {
 public:
  FilterKey(const CommandCall& call, int mode)
      : key_{call.key_is_open ? call.open_key : api.OpenKey(call.context, call.key_name(), mode)},
        closes_{!call.key_is_open} {
    if (key_ == nullptr || api.ModuleTypeGetType(key_) != kType()) return;
    auto* value = static_cast<Value*>(api.ModuleTypeGetValue(key_));
    unreadable_ = value->unreadable();
    if (unreadable_ == nullptr) value_ = value;
  }
  ~FilterKey() {
    if (closes_ && key_ != nullptr) api.CloseKey(key_);
  }
  FilterKey(const FilterKey&) = delete;
  FilterKey& operator=(const FilterKey&) = delete;

  bool missing() const { return key_ == nullptr || api.KeyType(key_) == kEmptyKey; }
  Value* value() const { return value_; }  // null: missing, of another type, or unreadable()
  const Unreadable* unreadable() const { return unreadable_; }
  Refusal refusal() const { return missing() ? Refusal::kNotFound : Refusal::kWrongType; }
  void set(Value* value) {  // the server owns it from here on
    api.ModuleTypeSetValue(key_, kType(), value);
    value_ = value;
  }
  // Replaces the value by one of another type and frees it. The key keeps its time to live.
  void replace_with(DataType* type, void* value) {
    constexpr long long kNoExpire = -1;
    const long long expire = api.GetAbsExpire != nullptr ? api.GetAbsExpire(key_) : kNoExpire;
    api.ModuleTypeSetValue(key_, type, value);
    value_ = nullptr;
    if (expire != kNoExpire && api.SetAbsExpire != nullptr) api.SetAbsExpire(key_, expire);
  }
  void remove() {  // the server frees the value
    api.DeleteKey(key_);
    value_ = nullptr;
  }
  // The call for a function that would open the key again: the server would count a second lookup.
  CommandCall with_open_key(const CommandCall& call) const {
    return {call.context, call.words, true, key_};
  }

 private:
  Key* key_;  // null: missing, and opened to read
  bool closes_;
  Value* value_ = nullptr;
  const Unreadable* unreadable_ = nullptr;
};

// Notifies clients that watch the key, and listeners of the keyspace event.
void notify_change(const CommandCall& call, const char* event);

}  // namespace bloomery::redis_module
