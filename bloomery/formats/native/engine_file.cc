#include "bloomery/formats/native/engine_file.h"

#include "bloomery/filter/engine_layouts.h"
#include "bloomery/formats/native/native.h"
#include "bloomery/formats/native/parts.h"

namespace bloomery {

Result<LoadedEngine> load_engine(FileName path, const DecodeOptions& options) {
  auto loaded = load_native(path, options);
  if (!loaded) return with_file(path, loaded.error());
  return std::visit(
      [](auto& native) {
        return LoadedEngine{Engine{std::move(native.filter)}, native.funnel};
      },
      *loaded);
}

Status save_engine(const Engine& engine, FunnelName funnel, FileName path, const FileLock* held) {
  if (engine.size_bytes() == 0)
    return Error{ErrorCode::kInvalidArgument,
                 message(path.view(), ": the filter was moved from, so there is nothing to save")};
  const auto parts =
      engine.visit([funnel](const auto& filter) { return internal::native_parts(filter, funnel); });
  return internal::save_parts(parts, path, held);
}

Status check_funnel(FileName path, FunnelName of_file, FunnelName of_keys) {
  if (of_file == of_keys) return ok();
  return Error{ErrorCode::kInvalidArgument,
               message(path.view(), ": the file holds keys of the funnel ", funnel_name(of_file),
                       ", and this filter's keys are ", funnel_name(of_keys),
                       of_file == FunnelName::kUser
                           ? "; load it with the key type and funnel of the program that saved it"
                           : "; load it as a filter of that key type, or as an UntypedFilter")};
}

Status check_hash(const Hasher& hasher, FunnelName of_keys) {
  if (hasher.accepts_bytes() || of_keys == FunnelName::kU64) return ok();
  return Error{ErrorCode::kInvalidArgument,
               message("the profile ", profile_name(hasher.profile()),
                       " accepts only std::uint64_t keys; use aes or xxh3")};
}

Error with_file(FileName path, Error error) {
  if (!error.message.starts_with(path.view()))
    error.message = message(path.view(), ": ", error.message);
  return error;
}

}  // namespace bloomery
