// The block filter over memory that its owner keeps: a buffer, a mapped file, a block of a
// database. What a key sets is in layout/block.h; how it is computed fast, in simd/.
#pragma once
#include <cassert>
#include <type_traits>

#include "bloomery/filter/key_hash.h"
#include "bloomery/layout/block_sizing.h"
#include "bloomery/simd/one_key.h"

namespace bloomery {

// Many readers or one writer.
template <class Byte = std::byte>  // std::byte or const std::byte
class BlockView {
 public:
  BlockView() = default;
  // Precondition: checked(shape), `memory` holds shape.bytes(): the blocks, then one seed byte per
  // block if seeded, each below block::kWindowSets.
  BlockView(BlockShape shape, std::span<Byte> memory, const KeyHash& hash)
      : whole_numbers_{hash.whole_numbers}, kernels_{&simd::active_block_kernels()} {
    assert(memory.size() >= shape.bytes());
    // A view of const bytes has no function that writes through this.
    auto* blocks = const_cast<std::byte*>(memory.data());
    target_ = {blocks, shape.blocks, nullptr, shape.probes, hash.hasher};
    if (shape.seeded)
      target_.seeds =
          reinterpret_cast<const std::uint8_t*>(blocks) + shape.blocks * block::kBlockBytes;
    one_key_ = {*kernels_, target_, whole_numbers_};
  }

  // True if a bit changed, that is, if the key was certainly absent before.
  bool insert(ByteView key) const requires(!std::is_const_v<Byte>) {
    if (!is_inlined<ByteView>() && whole_numbers_)
      return one_key_.insert(target_, hash().digest(key));
    return one_key_.insert(target_, key);
  }
  bool may_contain(ByteView key) const {
    if (!is_inlined<ByteView>() && whole_numbers_) return may_contain_digest(key);
    return one_key_.may_contain(target_, key);
  }
  // Precondition of the next two: hash().whole_numbers.
  bool insert(std::uint64_t key) const requires(!std::is_const_v<Byte>) {
    assert(whole_numbers_);
    return one_key_.insert(target_, key);
  }
  bool may_contain(std::uint64_t key) const {
    assert(whole_numbers_);
    return one_key_.may_contain(target_, key);
  }
  bool insert(Hash128 key) const requires(!std::is_const_v<Byte>) {
    return one_key_.insert(target_, key);
  }
  bool may_contain(Hash128 key) const { return one_key_.may_contain(target_, key); }

  // Whether calls are inlined in the code that was compiled with these flags.
  template <class Key>
  bool is_inlined() const {
    return one_key_.template is_inlined<Key>();
  }
  // Whether its owner has noted that keys are inserted without being counted.
  template <class Key>
  bool is_adding() const {
    if constexpr (std::is_same_v<Key, ByteView>)
      return one_key_.is_adding_bytes();
    else
      return one_key_.is_adding_numbers();
  }
  // Precondition: is_adding<Key>().
  void add(std::uint64_t key) const requires(!std::is_const_v<Byte>) {
    assert(whole_numbers_);
    one_key_.add(target_, key);
  }
  void add(ByteView key) const requires(!std::is_const_v<Byte>) {
    assert(!whole_numbers_);
    one_key_.add(target_, key);
  }
  // The same without that precondition, into several lines: false where that is another's work.
  template <class Key>
  bool add_lines(Key key) const requires(!std::is_const_v<Byte>) {
    return one_key_.add_lines(target_, key);
  }
  void start_adding() { one_key_.start_adding(whole_numbers_); }
  void stop_adding() { one_key_.stop_adding(); }

  // Batches act as if key by key, in order, with memory fetched ahead; they return how many keys
  // were new, or may be contained. Answers are one byte or one bit per key, or none at all.
  std::size_t insert_batch(std::span<const ByteView> keys, simd::Answers is_new = {}) const
      requires(!std::is_const_v<Byte>) {
    if (whole_numbers_) return each_digest(keys, kernels_->hashes.insert_batch, is_new);
    return kernels_->bytes.insert_batch(target_, keys.data(), keys.size(), is_new);
  }
  std::size_t may_contain_batch(std::span<const ByteView> keys, simd::Answers answers) const {
    if (whole_numbers_) return each_digest(keys, kernels_->hashes.may_contain_batch, answers);
    return kernels_->bytes.may_contain_batch(target_, keys.data(), keys.size(), answers);
  }
  // Precondition of the next two: hash().takes_numbers().
  std::size_t insert_batch(std::span<const std::uint64_t> keys, simd::Answers is_new = {}) const
      requires(!std::is_const_v<Byte>) {
    assert(hash().takes_numbers());
    return kernels_->numbers.insert_batch(target_, keys.data(), keys.size(), is_new);
  }
  std::size_t may_contain_batch(std::span<const std::uint64_t> keys, simd::Answers answers) const {
    assert(hash().takes_numbers());
    return kernels_->numbers.may_contain_batch(target_, keys.data(), keys.size(), answers);
  }
  std::size_t insert_batch(std::span<const Hash128> keys, simd::Answers is_new = {}) const
      requires(!std::is_const_v<Byte>) {
    return kernels_->hashes.insert_batch(target_, keys.data(), keys.size(), is_new);
  }
  std::size_t may_contain_batch(std::span<const Hash128> keys, simd::Answers answers) const {
    return kernels_->hashes.may_contain_batch(target_, keys.data(), keys.size(), answers);
  }

  // The same inserts without an answer or a count.
  void add_batch(std::span<const ByteView> keys) const requires(!std::is_const_v<Byte>) {
    if (whole_numbers_)
      each_digest(keys, kernels_->hashes.add_batch, {});
    else
      kernels_->bytes.add_batch(target_, keys.data(), keys.size(), {});
  }
  void add_batch(std::span<const std::uint64_t> keys) const requires(!std::is_const_v<Byte>) {
    assert(whole_numbers_);
    kernels_->numbers.add_batch(target_, keys.data(), keys.size(), {});
  }

  BlockShape shape() const { return {target_.count, target_.probes, target_.seeds != nullptr}; }
  KeyHash hash() const { return {target_.hasher, whole_numbers_}; }
  std::span<Byte> bytes() const {
    return {target_.blocks, static_cast<std::size_t>(shape().bytes())};
  }
  ByteView blocks() const {
    return {target_.blocks, static_cast<std::size_t>(target_.count) * block::kBlockBytes};
  }
  std::span<const std::uint8_t> seeds() const {
    return {target_.seeds, target_.seeds == nullptr ? 0 : static_cast<std::size_t>(target_.count)};
  }

 private:
  using HashBatch = std::size_t (*)(const simd::BlockTarget&, const Hash128*, std::size_t,
                                    simd::Answers) noexcept;
  // Byte keys of a filter of numbers are rare: they are hashed apart.
  [[gnu::noinline, gnu::cold, gnu::pure]] bool may_contain_digest(ByteView key) const {
    return one_key_.may_contain(target_, hash().digest(key));
  }
  // The same, a few at a time.
  std::size_t each_digest(std::span<const ByteView> keys, HashBatch batch,
                          simd::Answers answers) const {
    constexpr std::size_t kPiece = 256;  // a multiple of eight: bits are answered in whole bytes
    Hash128 digests[kPiece];
    std::size_t sum = 0;
    for (std::size_t at = 0; at < keys.size(); at += kPiece) {
      const std::size_t rest = keys.size() - at;
      const std::size_t count = rest < kPiece ? rest : kPiece;
      for (std::size_t i = 0; i < count; ++i) digests[i] = hash().digest(keys[at + i]);
      sum += batch(target_, digests, count, answers.from(at));
    }
    return sum;
  }

  simd::BlockTarget target_;
  bool whole_numbers_ = false;
  const simd::BlockKernels* kernels_ = nullptr;
  simd::OneKeyKernels one_key_;
};

}  // namespace bloomery
