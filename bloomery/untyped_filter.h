// A filter for keys whose type is known only at run time: of a file that a user names, of a column
// of a database, of a script.
#pragma once
#include "bloomery/filter/engine.h"
#include "bloomery/formats/native/engine_file.h"
#include "bloomery/funnel/any_key.h"

namespace bloomery {

// As Filter<T>, with the type of its keys as a value, a FunnelName: that of the file, or the one it
// was made with. It reads and writes the same files, and gives the same answers.
//
//   auto seen = bloomery::UntypedFilter::load(name_from_user);
//   auto answer = seen->may_contain(42);        // a Result<bool>: the key may have the wrong type
//   answer = seen->may_contain("42");           // text is read as the filter's key type
//
// Threads, costs and errors as Filter<T>, and kInvalidArgument for a key that is not of the
// filter's type. To query many keys of one type fast, use Filter<T>.
class UntypedFilter {
 public:
  // kInvalidArgument for a goal that no filter can meet, for a hash that does not accept the keys,
  // and for FunnelName::kUser, whose keys only their own program can convert.
  static Result<UntypedFilter> for_goal(Goal goal, FunnelName funnel = FunnelName::kBytes,
                                        Hasher hasher = Hasher{Profile::kAes});
  // Any native file. kUnsupported where its keys are FunnelName::kUser.
  static Result<UntypedFilter> load(FileName file, const DecodeOptions& options = {});
  // Replaces the file in one step. Cost, errors, `held` and the wait for another writer as
  // Filter<T>::save; may run while other threads query the filter.
  Status save(FileName file, const FileLock* held = nullptr) const {
    return save_engine(engine_, funnel_, file, held);
  }

  FunnelName funnel() const { return funnel_; }  // the type of the keys

  Result<bool> insert(const AnyKey& key);  // true if certainly new
  Result<bool> may_contain(const AnyKey& key) const;
  Result<bool> remove(const AnyKey& key);  // kUnsupported unless the filter is a counting one

  Health health() const { return engine_.health(); }
  Status merge(const UntypedFilter& other);  // kInvalidArgument also where the key types differ
  // Takes all keys out. Cost: writes the filter's memory, which stays allocated, but that a
  // scalable filter goes back to its first layer. Never fails. One thread at a time.
  void clear() { engine_.reset(); }
  // A copy. Cost: reads and writes the filter's memory. Throws std::bad_alloc. May run while other
  // threads query the filter.
  UntypedFilter clone() const { return {engine_.clone(), funnel_}; }
  const Engine& raw() const { return engine_; }  // as Filter<T>::raw

 private:
  UntypedFilter(Engine engine, FunnelName funnel) : engine_{std::move(engine)}, funnel_{funnel} {}

  Engine engine_;
  FunnelName funnel_;
};

}  // namespace bloomery
