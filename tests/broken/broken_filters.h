// Filters that are wrong on purpose, each in one way. The suites must catch every one of them.
#pragma once
#include "bloomery/filter/block/block.h"
#include "bloomery/filter/classic/bloomery_classic.h"
#include "bloomery/filter/classic/classic.h"
#include "bloomery/formats/go_bloom.h"

namespace bloomery::testing {

// A right filter, as the base of the wrong ones and for the suites to find nothing in.
template <Dialect D>
struct Right : ClassicFilter<D> {
  using Base = ClassicFilter<D>;
  explicit Right(Shape shape) : Base{shape} {}
  explicit Right(Base filter) : Base{std::move(filter)} {}
};

template <Dialect D>
struct AlwaysTrue : Right<D> {
  using Right<D>::Right;
  bool may_contain(ByteView /*key*/) const { return true; }
  void may_contain_batch(std::span<const ByteView> /*keys*/,
                         std::span<std::uint8_t> answers) const {
    std::ranges::fill(answers, std::uint8_t{1});
  }
};

// Seven probes of 9600 bits for 1000 keys err in 0.997 % of cases, six in 1.008 %: no statistic
// sees the difference.
template <Dialect D>
struct SkipsLastProbe : Right<D> {
  explicit SkipsLastProbe(Shape shape) : Right<D>{one_less(shape)} {}
  explicit SkipsLastProbe(ClassicFilter<D> filter) : SkipsLastProbe{filter.shape()} {
    std::ranges::copy(std::as_const(filter).bytes(), this->bytes().begin());
  }
  Shape shape() const { return {Right<D>::shape().bits, Right<D>::shape().probes + 1}; }

 private:
  static Shape one_less(Shape shape) { return {shape.bits, std::max(shape.probes, 1U) - 1}; }
};

template <Dialect D>
struct OffByOneDialect : D {
  std::uint64_t probe(const typename D::Digest& digest, std::uint32_t i,
                      const Modulus& bits) const noexcept {
    return D::probe(digest, i, Modulus{bits.value() - 1});
  }
};
// Not Right's subclass: the fault is in the dialect.
template <Dialect D>
struct OffByOneModulus : ClassicFilter<OffByOneDialect<D>> {
  using Base = ClassicFilter<OffByOneDialect<D>>;
  explicit OffByOneModulus(Shape shape) : Base{shape} {}
  explicit OffByOneModulus(const ClassicFilter<D>& filter) : Base{filter.shape()} {
    std::ranges::copy(filter.bytes(), this->bytes().begin());
  }
};

template <Dialect D>
struct MergeIsAnd : Right<D> {
  using Right<D>::Right;
  Status merge(const MergeIsAnd& other) { return this->intersect(other); }
};

template <Dialect D>
struct LosesEveryHundredth : Right<D> {
  using Right<D>::Right;
  bool insert(ByteView key) { return ++inserted_ % 100 == 0 || Right<D>::insert(key); }

 private:
  std::uint64_t inserted_ = 0;
};

template <Dialect D>
struct BatchAnswersThePreviousKey : Right<D> {
  using Right<D>::Right;
  void may_contain_batch(std::span<const ByteView> keys, std::span<std::uint8_t> answers) const {
    Right<D>::may_contain_batch(keys, answers);
    if (!answers.empty()) std::shift_right(answers.begin(), answers.end(), 1);
  }
};

// --- block filters
// --------------------------------------------------------------------------------

struct RightBlock : BlockFilter {
  explicit RightBlock(BlockShape shape) : BlockFilter{shape} {}
};

// Every key gets another hash than its own, in inserts and lookups alike: Change(hash, blocks).
template <class Change>
struct ChangedBlock : RightBlock {
  using RightBlock::RightBlock;
  bool insert(ByteView key) { return BlockFilter::insert(changed(key)); }
  bool may_contain(ByteView key) const { return BlockFilter::may_contain(changed(key)); }
  std::size_t insert_batch(std::span<const ByteView> keys, std::span<std::uint8_t> is_new) {
    const auto hashes = changed(keys);
    return BlockFilter::insert_batch(std::span<const Hash128>{hashes}, is_new);
  }
  std::size_t may_contain_batch(std::span<const ByteView> keys,
                                std::span<std::uint8_t> answers) const {
    const auto hashes = changed(keys);
    return BlockFilter::may_contain_batch(std::span<const Hash128>{hashes}, answers);
  }

 private:
  Hash128 changed(ByteView key) const { return Change{}(hash().digest(key), block_shape().blocks); }
  std::vector<Hash128> changed(std::span<const ByteView> keys) const {
    std::vector<Hash128> hashes;
    for (const ByteView key : keys) hashes.push_back(changed(key));
    return hashes;
  }
};

struct OneBlockOn {
  Hash128 operator()(Hash128 hash, std::uint64_t blocks) const {
    return {hash.low + ~std::uint64_t{0} / blocks, hash.high};
  }
};
using BlockIsOffByOne = ChangedBlock<OneBlockOn>;

struct FirstPattern {
  Hash128 operator()(Hash128 hash, std::uint64_t /*blocks*/) const {
    return {hash.low & ~(std::uint64_t{block::kPatterns - 1} << block::kPatternShift), hash.high};
  }
};
using BlockIgnoresPatterns = ChangedBlock<FirstPattern>;

// Place and bits must be independent.
struct PlaceAlone {
  Hash128 operator()(Hash128 hash, std::uint64_t /*blocks*/) const { return {hash.low, hash.low}; }
};
using BlockUsesThePlaceTwice = ChangedBlock<PlaceAlone>;

// Several lines per key, of which a wrong filter uses the first alone.
struct RightLines : RightBlock {
  using RightBlock::RightBlock;

 protected:
  BlockView<> first_line() const {
    auto* blocks = const_cast<std::byte*>(view().blocks().data());
    return {{block_shape().blocks, block::kMostProbes}, {blocks, view().blocks().size()}, hash()};
  }
};
struct LinesUseTheFirst : RightLines {
  using RightLines::RightLines;
  bool insert(ByteView key) { return first_line().insert(key); }
  bool may_contain(ByteView key) const { return first_line().may_contain(key); }
  std::size_t insert_batch(std::span<const ByteView> keys, std::span<std::uint8_t> is_new) {
    return first_line().insert_batch(keys, {is_new.data(), nullptr});
  }
  std::size_t may_contain_batch(std::span<const ByteView> keys,
                                std::span<std::uint8_t> answers) const {
    return first_line().may_contain_batch(keys, {answers.data(), nullptr});
  }
};
struct LinesBatchAsksTheFirst : RightLines {
  using RightLines::RightLines;
  std::size_t may_contain_batch(std::span<const ByteView> keys,
                                std::span<std::uint8_t> answers) const {
    return first_line().may_contain_batch(keys, {answers.data(), nullptr});
  }
};
struct LinesMergeIsAnd : RightLines {
  using RightLines::RightLines;
  Status merge(const LinesMergeIsAnd& other) { return intersect(other); }
};

struct BlockMergeIsAnd : RightBlock {
  using RightBlock::RightBlock;
  Status merge(const BlockMergeIsAnd& other) { return intersect(other); }
};

struct BlockSkipsTheLastInsert : RightBlock {
  using RightBlock::RightBlock;
  std::size_t insert_batch(std::span<const ByteView> keys, std::span<std::uint8_t> is_new) {
    return keys.empty() ? 0 : RightBlock::insert_batch(keys.first(keys.size() - 1), is_new);
  }
};

struct BlockSkipsTheLastLookup : RightBlock {
  using RightBlock::RightBlock;
  std::size_t may_contain_batch(std::span<const ByteView> keys,
                                std::span<std::uint8_t> answers) const {
    return keys.empty() ? 0 : RightBlock::may_contain_batch(keys.first(keys.size() - 1), answers);
  }
};

}  // namespace bloomery::testing
