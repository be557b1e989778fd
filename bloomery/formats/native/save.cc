#include "bloomery/base/file.h"
#include "bloomery/formats/native/native.h"
#include "bloomery/formats/native/parts.h"

namespace bloomery {
namespace {

template <class F>
Status save_one(const Native<F>& native, FileName path, const FileLock* held) {
  return save_native(native.filter, native.funnel, path, held);
}
Status save_one(const NativeFilter& native, FileName path, const FileLock* held) {
  return std::visit([&](const auto& one) { return save_one(one, path, held); }, native);
}

}  // namespace

Status internal::save_parts(const NativeParts& parts, FileName path, const FileLock* held) {
  const NativeHeaderBytes header = encode_native_header(parts.header);
  std::vector<ByteView> all{ByteView{header}};
  all.insert(all.end(), parts.body.begin(), parts.body.end());
  constexpr LockWait kWait{.timeout = std::chrono::seconds{10}};
  return held != nullptr ? save_file(path, all, *held) : replace_file(path, all, kWait);
}

template <AnyNative N>
Status save_native(const N& native, FileName path, const FileLock* held) {
  return save_one(native, path, held);
}

template <class F>
requires AnyNative<Native<F>> Status save_native(const F& filter, FunnelName funnel, FileName path,
                                                 const FileLock* held) {
  return internal::save_parts(internal::native_parts(filter, funnel), path, held);
}

template Status save_native(const NativeClassic&, FileName, const FileLock*);
template Status save_native(const NativeBlock&, FileName, const FileLock*);
template Status save_native(const NativeCounting<2>&, FileName, const FileLock*);
template Status save_native(const NativeCounting<4>&, FileName, const FileLock*);
template Status save_native(const NativeCounting<8>&, FileName, const FileLock*);
template Status save_native(const NativeScalable&, FileName, const FileLock*);
template Status save_native(const NativeFilter&, FileName, const FileLock*);

template Status save_native(const ClassicFilter<BloomeryClassic>&, FunnelName, FileName,
                            const FileLock*);
template Status save_native(const BlockFilter&, FunnelName, FileName, const FileLock*);
template Status save_native(const CountingFilter<BloomeryClassic, 2>&, FunnelName, FileName,
                            const FileLock*);
template Status save_native(const CountingFilter<BloomeryClassic, 4>&, FunnelName, FileName,
                            const FileLock*);
template Status save_native(const CountingFilter<BloomeryClassic, 8>&, FunnelName, FileName,
                            const FileLock*);
template Status save_native(const ScalableFilter<BloomeryClassic>&, FunnelName, FileName,
                            const FileLock*);

}  // namespace bloomery
