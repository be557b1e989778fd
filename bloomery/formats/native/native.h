// Our own file: a header of 128 bytes (header.h), then the filter exactly as it lies in
// memory. docs/formats/bloomery.md has the tables and vectors.
#pragma once
#include <concepts>
#include <utility>
#include <variant>
#include <vector>

#include "bloomery/base/file_name.h"
#include "bloomery/filter/block/block.h"
#include "bloomery/filter/classic/bloomery_classic.h"
#include "bloomery/filter/classic/counting.h"
#include "bloomery/filter/classic/scalable.h"
#include "bloomery/formats/description.h"
#include "bloomery/formats/native/header.h"

namespace bloomery {

class FileLock;

// A filter of this file, and what the file says besides.
template <class F>
struct Native {
  F filter;
  FunnelName funnel = FunnelName::kBytes;  // how its keys become bytes; u64 means whole numbers
  // The file was left open for writing: nothing vouched for its body, and its keys were estimated.
  bool was_open = false;

  Native clone() const { return {filter.clone(), funnel, was_open}; }
  // The filters' own operations, refused where the keys of the two became bytes in different ways.
  Status merge(const Native& other) requires requires(F& f) { f.merge(f); }
  {
    if (auto same = same_funnel(other); !same) return same;
    return filter.merge(other.filter);
  }
  Status intersect(const Native& other) requires requires(F& f) { f.intersect(f); }
  {
    if (auto same = same_funnel(other); !same) return same;
    return filter.intersect(other.filter);
  }
  Result<bool> is_subset_of(const Native& other) const requires requires(const F& f) {
    f.is_subset_of(f);
  }
  {
    if (auto same = same_funnel(other); !same) return same.error();
    return filter.is_subset_of(other.filter);
  }
  bool operator==(const Native& other) const requires requires(const F& f) { f == f; }
  { return funnel == other.funnel && filter == other.filter; }
  Result<Native> fold(std::uint64_t factor) const requires requires(const F& f) { f.fold(factor); }
  {
    auto folded = filter.fold(factor);
    if (!folded) return folded.error();
    return Native{std::move(*folded), funnel, was_open};
  }

 private:
  Status same_funnel(const Native& other) const {
    if (funnel == other.funnel) return ok();
    return Error{ErrorCode::kInvalidArgument,
                 message("the filters were made with different funnels: ", funnel_name(funnel),
                         " and ", funnel_name(other.funnel))};
  }
};

using NativeClassic = Native<ClassicFilter<BloomeryClassic>>;
using NativeBlock = Native<BlockFilter>;
template <unsigned kCounterBits>
using NativeCounting = Native<CountingFilter<BloomeryClassic, kCounterBits>>;
using NativeScalable = Native<ScalableFilter<BloomeryClassic>>;

using NativeFilter = std::variant<NativeClassic, NativeBlock, NativeCounting<2>, NativeCounting<4>,
                                  NativeCounting<8>, NativeScalable>;

bool looks_like_native(ByteView bytes);
// Both checksums, every field, every length. options.sip_key opens a keyed filter.
Result<NativeFilter> decode_native(ByteView bytes, const DecodeOptions& options);
// The same from a file; a regular one is read straight into the filter's memory.
Result<NativeFilter> load_native(FileName path, const DecodeOptions& options);

// What the next three take: one of the filters above, or the variant.
template <class N>
concept AnyNative = std::same_as<N, NativeFilter> ||
    std::constructible_from<NativeFilter, std::in_place_type_t<N>, N>;

template <AnyNative N>
std::vector<std::byte> encode_native(const N& native);

// The bytes of encode_native without a copy of the body: replaces the file in one step. Waits up to
// 10 s for another process that is writing the file, unless the caller holds the lock on the path
// already (base/file_lock.h), from before it loaded the filter.
template <AnyNative N>
Status save_native(const N& native, FileName path, const FileLock* held = nullptr);

// The same of a filter alone, without a copy into a Native.
template <class F>
requires AnyNative<Native<F>> Status save_native(const F& filter, FunnelName funnel, FileName path,
                                                 const FileLock* held = nullptr);

template <AnyNative N>
Description describe(const N& native);

// Layout classic and counting: sized by keys and rate, or by any part of a sizing that solve()
// completes, or by bits alone, which take seven probes by default. Block: likewise by what
// solve_block() completes, or by blocks or bits alone, which take six. Lines: by what solve_lines()
// completes, or by blocks or bits alone, which take sixteen, in two lines. Scalable: keys of the
// first layer and rate. kTooLarge when the plan is beyond options.limits.
Result<NativeFilter> create_native(const CreateOptions& options);

// The parts of such a plan, for a program that fills a filter without inserting keys.
struct BlockPlan {
  BlockShape shape;
  std::optional<Goal> goal;
};
Result<BlockPlan> block_plan_for(const CreateOptions& options);
struct ArrayPlan {  // of a classic filter, or of a counting one, whose bits are its counters
  Shape shape;
  std::optional<Goal> goal;
};
Result<ArrayPlan> array_plan_for(const SizingRequest& sizing);
Result<KeyHash> key_hash_for(const CreateOptions& options);
// What kAuto means: block where block_layout_suits() the rate and the probes are a block's, lines
// where lines_layout_suits() and no probes are given, or else classic.
// Any other layout is itself.
Layout layout_for(const CreateOptions& options);

}  // namespace bloomery
