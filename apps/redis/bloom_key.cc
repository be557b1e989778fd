#include "apps/redis/bloom_key.h"

#include "apps/redis/bloom_type.h"

namespace bloomery::redis_module {

BloomKey::BloomKey(const Call& call, int mode)
    : key_{api.OpenKey(call.context, call.key_name(), mode)} {
  if (!missing() && api.ModuleTypeGetType(key_) == bloom_type())
    value_ = static_cast<BloomValue*>(api.ModuleTypeGetValue(key_));
}

BloomKey::~BloomKey() {
  if (key_ != nullptr) api.CloseKey(key_);
}

bool BloomKey::missing() const { return key_ == nullptr || api.KeyType(key_) == kEmptyKey; }

void BloomKey::set(BloomValue* value) {
  api.ModuleTypeSetValue(key_, bloom_type(), value);
  value_ = value;
}

void announce(const Call& call, const char* event) {
  api.SignalModifiedKey(call.context, call.key_name());
  api.NotifyKeyspaceEvent(call.context, kNotifyModule, event, call.key_name());
}

}  // namespace bloomery::redis_module
