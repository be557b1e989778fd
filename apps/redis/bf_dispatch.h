// Whose filter is it? Every command on a filter that exists passes here, and no other place asks:
// a key of our own type goes to one function, and all else to the function for the peer's. What is
// being loaded, and what could not be read from a file, is refused here.
#pragma once
#include "apps/redis/native/key.h"

namespace bloomery::redis_module {

using PlainFunction = int (*)(const Call&);
using NativeFunction = int (*)(const Call&, NativeKey&);

struct ByType {
  PlainFunction plain;
  NativeFunction own;
  int mode;                    // of OpenKey
  bool while_loading = false;  // `own` takes filters too that are being loaded
  bool new_by_source = false;  // the type of a key that is missing is that of word 3's
};
int answer_by_type(const Call& call, const ByType& functions);
// For CF commands, which know our own type as filters being loaded only: `own` takes those.
int answer_for_cuckoo(const Call& call, const ByType& functions);

template <PlainFunction kPlain, NativeFunction kNative>
int reads(const Call& call) {
  return answer_by_type(call, {kPlain, kNative, kRead});
}
template <PlainFunction kPlain, NativeFunction kNative>
int writes(const Call& call) {
  return answer_by_type(call, {kPlain, kNative, kRead | kWrite});
}
template <PlainFunction kPlain, NativeFunction kNative>
int loads(const Call& call) {
  return answer_by_type(call, {kPlain, kNative, kRead | kWrite, true});
}
template <PlainFunction kPlain, NativeFunction kNative>
int merges(const Call& call) {
  return answer_by_type(call, {kPlain, kNative, kRead | kWrite, false, true});
}

template <PlainFunction kPlain>
int reads_cuckoo(const Call& call) {
  return answer_for_cuckoo(call, {kPlain, nullptr, kRead});
}
template <PlainFunction kPlain>
int writes_cuckoo(const Call& call) {
  return answer_for_cuckoo(call, {kPlain, nullptr, kRead | kWrite});
}
template <PlainFunction kPlain, NativeFunction kNative>
int loads_cuckoo(const Call& call) {
  return answer_for_cuckoo(call, {kPlain, kNative, kRead | kWrite, true});
}

}  // namespace bloomery::redis_module
