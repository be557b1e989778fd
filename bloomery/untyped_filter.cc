#include "bloomery/untyped_filter.h"

#include "bloomery/base/message.h"

namespace bloomery {

Result<UntypedFilter> UntypedFilter::for_goal(Goal goal, FunnelName funnel, Hasher hasher) {
  if (funnel == FunnelName::kUser)
    return Error{ErrorCode::kInvalidArgument,
                 "an UntypedFilter cannot convert the keys of a user's funnel; use Filter<T>"};
  if (auto fits = check_hash(hasher, funnel); !fits) return fits.error();
  auto engine = Engine::for_goal(goal, KeyHash{hasher, funnel == FunnelName::kU64});
  if (!engine) return engine.error();
  return UntypedFilter{std::move(*engine), funnel};
}

Result<UntypedFilter> UntypedFilter::load(FileName file, const DecodeOptions& options) {
  auto loaded = load_engine(file, options);
  if (!loaded) return loaded.error();
  if (loaded->funnel == FunnelName::kUser)
    return Error{ErrorCode::kUnsupported,
                 message(file.view(),
                         ": the keys have a user's funnel, which only its program can convert; "
                         "load it with Filter<T, F>")};
  return UntypedFilter{std::move(loaded->engine), loaded->funnel};
}

Result<bool> UntypedFilter::insert(const AnyKey& key) {
  ByteSink sink;
  if (auto put = put_key(funnel_, key, sink); !put) return put.error();
  return engine_.insert(sink.bytes());
}

Result<bool> UntypedFilter::may_contain(const AnyKey& key) const {
  ByteSink sink;
  if (auto put = put_key(funnel_, key, sink); !put) return put.error();
  return engine_.may_contain(sink.bytes());
}

Result<bool> UntypedFilter::remove(const AnyKey& key) {
  ByteSink sink;
  if (auto put = put_key(funnel_, key, sink); !put) return put.error();
  return engine_.remove(sink.bytes());
}

Status UntypedFilter::merge(const UntypedFilter& other) {
  if (funnel_ != other.funnel_)
    return Error{ErrorCode::kInvalidArgument,
                 message("cannot merge a filter of ", funnel_name(funnel_), " keys with one of ",
                         funnel_name(other.funnel_), " keys")};
  return engine_.merge(other.engine_);
}

}  // namespace bloomery
