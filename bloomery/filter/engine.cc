#include "bloomery/filter/engine.h"

#include <algorithm>
#include <array>
#include <type_traits>
#include <vector>

#include "bloomery/base/message.h"
#include "bloomery/base/out_of_memory.h"
#include "bloomery/filter/engine_layouts.h"

namespace bloomery {
namespace {

template <class F>
inline constexpr bool kIsCounting = requires(F& filter, ByteView key) {
  filter.remove(key);
};
template <class F>
inline constexpr bool kIsScalable = requires(const F& filter) {
  filter.layers();
};

template <class F>
std::string_view layout_of([[maybe_unused]] const F& filter) {
  if constexpr (std::is_same_v<F, BlockFilter>)
    return filter.block_shape().lines() > 1 ? "lines" : "block";
  if constexpr (kIsCounting<F>) return "counting";
  if constexpr (kIsScalable<F>) return "scalable";
  return "classic";
}

// A batch of numbers for a filter that takes bytes: views of the numbers where they lie.
template <class Use>
std::size_t in_views(std::span<const std::uint64_t> keys, Use use) {
  constexpr std::size_t kPiece = 256;
  std::array<ByteView, kPiece> views;
  std::size_t sum = 0;
  for (std::size_t at = 0; at < keys.size(); at += kPiece) {
    const std::size_t count = std::min(kPiece, keys.size() - at);
    for (std::size_t i = 0; i < count; ++i) views[i] = std::as_bytes(keys.subspan(at + i, 1));
    sum += use(std::span<const ByteView>{views}.first(count), at);
  }
  return sum;
}

std::size_t count_yes(std::span<const std::uint8_t> answers) {
  return static_cast<std::size_t>(std::ranges::count(answers, 1));
}

template <class F>
bool insert_key(F& filter, ByteView key) {
  if constexpr (kIsScalable<F>)
    return filter.insert_or_overfill(key);
  else
    return filter.insert(key);
}

template <class F>
std::size_t insert_keys(F& filter, std::span<const ByteView> keys) {
  if constexpr (kIsScalable<F>) {
    std::vector<std::uint8_t> is_new(keys.size());
    if (const auto added = filter.insert_batch(keys, is_new)) return *added;
    std::size_t sum = count_yes(is_new);  // it cannot grow: the keys before the error are in
    for (const ByteView key : keys) sum += filter.insert_or_overfill(key) ? 1 : 0;
    return sum;
  } else {
    return filter.insert_batch(keys);
  }
}

}  // namespace

Engine::Engine(Classic filter) : Engine{new Other{std::move(filter)}} {}
Engine::Engine(Counting<2> filter) : Engine{new Other{std::move(filter)}} {}
Engine::Engine(Counting<4> filter) : Engine{new Other{std::move(filter)}} {}
Engine::Engine(Counting<8> filter) : Engine{new Other{std::move(filter)}} {}
Engine::Engine(Scalable filter) : Engine{new Other{std::move(filter)}} {}
Engine::~Engine() { delete other_; }

Result<Engine> Engine::for_goal(Goal goal, const KeyHash& hash) {
  if (auto valid = checked(goal); !valid) return valid.error();
  if (auto suits = hash.check_goal(goal); !suits) return suits.error();
  const double rate = goal.false_positive_rate;
  const bool is_block = block_layout_suits(rate);
  if (is_block || lines_layout_suits(rate)) {
    auto block =
        is_block ? BlockFilter::for_goal(goal, hash) : BlockFilter::lines_for_goal(goal, hash);
    if (!block) return block.error();
    return Engine{std::move(*block)};
  }
  auto classic = Classic::for_goal(goal, BloomeryClassic{hash});
  if (!classic) return classic.error();
  return Engine{std::move(*classic)};
}

Engine Engine::for_any_goal(Goal goal, const KeyHash& hash) {
  auto engine = for_goal(clamped(goal), hash);
  if (!engine) out_of_memory();  // the only reason left: more bits than there can be
  return std::move(*engine);
}

bool Engine::insert_other(ByteView key) {
  return std::visit([&](auto& filter) { return insert_key(filter, key); }, other_->filter);
}

void Engine::add_apart(ByteView key) {
  if (other_ == nullptr)
    block_.add_apart(key);
  else
    (void)insert_other(key);
}

void Engine::add_apart(std::uint64_t key) {
  if (other_ == nullptr)
    block_.add_apart(key);
  else
    (void)insert_other(key);
}

// On a little-endian machine a number is its own little-endian bytes.
bool Engine::insert_other(std::uint64_t key) {
  return insert_other(std::as_bytes(std::span{&key, 1}));
}

bool Engine::other_may_contain(std::uint64_t key) const {
  return other_may_contain(std::as_bytes(std::span{&key, 1}));
}

bool Engine::other_may_contain(ByteView key) const {
  return std::visit([&](const auto& filter) { return filter.may_contain(key); }, other_->filter);
}

Result<bool> Engine::remove(ByteView key) {
  return visit([&]<class F>(F& filter) -> Result<bool> {
    if constexpr (kIsCounting<F>) return filter.remove(key);
    return Error{ErrorCode::kUnsupported,
                 message("a ", layout_of(filter),
                         " filter cannot remove keys; build a counting one (--layout counting)")};
  });
}

std::size_t Engine::insert_batch(std::span<const ByteView> keys) {
  return visit([&](auto& filter) { return insert_keys(filter, keys); });
}

std::size_t Engine::insert_batch(std::span<const std::uint64_t> keys) {
  if (BlockFilter* block = as_block()) return block->insert_batch(keys);
  return in_views(keys, [&](std::span<const ByteView> views, std::size_t /*at*/) {
    return insert_batch(views);
  });
}

void Engine::add_batch(std::span<const ByteView> keys) {
  if (BlockFilter* block = as_block())
    block->add_batch(keys);
  else
    (void)insert_batch(keys);
}

void Engine::add_batch(std::span<const std::uint64_t> keys) {
  if (BlockFilter* block = as_block())
    block->add_batch(keys);
  else
    (void)insert_batch(keys);
}

std::size_t Engine::may_contain_batch(std::span<const ByteView> keys,
                                      std::span<std::uint8_t> answers) const {
  if (const BlockFilter* block = as_block()) return block->may_contain_batch(keys, answers);
  const auto used = answers.first(keys.size());
  std::visit([&](const auto& filter) { filter.may_contain_batch(keys, used); }, other_->filter);
  return count_yes(used);
}

std::size_t Engine::may_contain_batch(std::span<const std::uint64_t> keys,
                                      std::span<std::uint8_t> answers) const {
  if (const BlockFilter* block = as_block()) return block->may_contain_batch(keys, answers);
  return in_views(keys, [&](std::span<const ByteView> views, std::size_t at) {
    return may_contain_batch(views, answers.subspan(at, views.size()));
  });
}

void Engine::reset() {
  visit([](auto& filter) { filter.reset(); });
}

Status Engine::merge(const Engine& other) {
  return visit([&]<class F>(F& mine) {
    return other.visit([&]<class G>(const G& theirs) -> Status {
      if constexpr (std::is_same_v<F, G>) return mine.merge(theirs);
      return Error{ErrorCode::kInvalidArgument,
                   message("cannot merge a ", layout_of(mine), " filter with a ", layout_of(theirs),
                           " one: make both for the same goal")};
    });
  });
}

Status Engine::intersect(const Engine& other) {
  return visit([&]<class F>(F& mine) {
    return other.visit([&]<class G>(const G& theirs) -> Status {
      if constexpr (!std::is_same_v<F, G>)
        return Error{ErrorCode::kInvalidArgument,
                     message("cannot intersect a ", layout_of(mine), " filter with a ",
                             layout_of(theirs), " one: make both for the same goal")};
      else if constexpr (requires { mine.intersect(theirs); })
        return mine.intersect(theirs);
      else
        return Error{ErrorCode::kUnsupported,
                     message(layout_of(mine), " filters cannot be intersected")};
    });
  });
}

Engine Engine::clone() const {
  return visit([](const auto& filter) { return Engine{filter.clone()}; });
}

bool operator==(const Engine& a, const Engine& b) {
  return a.visit([&]<class F>(const F& mine) {
    return b.visit([&]<class G>(const G& theirs) {
      if constexpr (std::is_same_v<F, G>)
        return mine == theirs;
      else
        return false;
    });
  });
}

Health Engine::health() const {
  return visit([](const auto& filter) { return filter.health(); });
}

Provenance Engine::provenance() const {
  return visit([](const auto& filter) -> Provenance { return filter.provenance(); });
}

Shape Engine::shape() const {
  return visit([](const auto& filter) { return filter.shape(); });
}

KeyHash Engine::hash() const {
  return visit([](const auto& filter) -> KeyHash {
    if constexpr (requires { filter.hash(); })
      return filter.hash();
    else
      return filter.dialect();
  });
}

std::string_view Engine::layout_name() const {
  return visit([](const auto& filter) { return layout_of(filter); });
}

std::size_t Engine::size_bytes() const {
  return visit([](const auto& filter) { return filter.size_bytes(); });
}

Engine::Classic* Engine::as_classic() {
  return other_ != nullptr ? std::get_if<Classic>(&other_->filter) : nullptr;
}
const Engine::Classic* Engine::as_classic() const {
  return other_ != nullptr ? std::get_if<Classic>(&other_->filter) : nullptr;
}

}  // namespace bloomery
