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
      : opened_{call.opened != nullptr ? call.opened : &own_} {
    if (opened_ == &own_) open(call, mode);
    if (opened_->type != kType() || opened_->type == nullptr) return;
    auto* value = static_cast<Value*>(opened_->value);
    unreadable_ = value->unreadable();
    if (unreadable_ == nullptr) value_ = value;
  }
  ~FilterKey() {
    if (opened_ == &own_ && own_.key != nullptr) api.CloseKey(own_.key);
  }
  FilterKey(const FilterKey&) = delete;
  FilterKey& operator=(const FilterKey&) = delete;

  bool missing() const {
    if (opened_->type != nullptr) return false;
    return opened_->key == nullptr || api.KeyType(opened_->key) == kEmptyKey;
  }
  Value* value() const { return value_; }  // null: missing, of another type, or unreadable()
  const Unreadable* unreadable() const { return unreadable_; }
  Refusal refusal() const { return missing() ? Refusal::kNotFound : Refusal::kWrongType; }
  void set(Value* value) {  // the server owns it from here on
    put(kType(), value);
    value_ = value;
  }
  // Replaces the value by one of another type and frees it. The key keeps its time to live.
  void replace_with(DataType* type, void* value) {
    constexpr long long kNoExpire = -1;
    Key* key = opened_->key;
    const long long expire = api.GetAbsExpire != nullptr ? api.GetAbsExpire(key) : kNoExpire;
    put(type, value);
    value_ = nullptr;
    if (expire != kNoExpire && api.SetAbsExpire != nullptr) api.SetAbsExpire(key, expire);
  }
  void remove() {  // the server frees the value
    api.DeleteKey(opened_->key);
    opened_->type = nullptr;
    opened_->value = nullptr;
    value_ = nullptr;
  }
  // The call for a function that would open the key again: the server would count a second lookup.
  // Precondition: this key outlives it.
  CommandCall with_open_key(const CommandCall& call) const {
    return {call.context, call.words, opened_};
  }

 private:
  void open(const CommandCall& call, int mode) {
    own_.key = api.OpenKey(call.context, call.key_name(), mode);
    if (own_.key != nullptr) own_.type = api.ModuleTypeGetType(own_.key);
    if (own_.type != nullptr) own_.value = api.ModuleTypeGetValue(own_.key);
  }
  // All who share the open key see the new value.
  void put(DataType* type, void* value) {
    api.ModuleTypeSetValue(opened_->key, type, value);
    opened_->type = type;
    opened_->value = value;
  }

  OpenedKey own_;
  OpenedKey* opened_;  // own_, or the caller's
  Value* value_ = nullptr;
  const Unreadable* unreadable_ = nullptr;
};

// Notifies clients that watch the key, and listeners of the keyspace event.
void notify_change(const CommandCall& call, const char* event);

}  // namespace bloomery::redis_module
