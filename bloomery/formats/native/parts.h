// A file of ours about to be written: its header and views of its body. Not for users.
#pragma once
#include <vector>

#include "bloomery/base/file_name.h"
#include "bloomery/formats/native/header.h"

namespace bloomery {

class FileLock;

namespace internal {

struct NativeParts {
  NativeHeader header;
  std::vector<std::byte> table;  // of a scalable filter; body views it
  std::vector<ByteView> body;    // of the filter's own memory: valid while it lives unchanged
};

// F: any filter that a Native<F> of native.h holds.
template <class F>
NativeParts native_parts(const F& filter, FunnelName funnel);
// Replaces the file in one step, under `held` or under a lock of its own.
Status save_parts(const NativeParts& parts, FileName path, const FileLock* held);

}  // namespace internal
}  // namespace bloomery
