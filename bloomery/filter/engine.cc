#include "bloomery/filter/engine.h"

#include <array>
#include <new>

namespace bloomery {
namespace {

Error layouts_differ() {
  return {ErrorCode::kInvalidArgument,
          "one filter is block and the other classic: make both for the same goal"};
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

}  // namespace

Result<Engine> Engine::for_goal(Goal goal, const KeyHash& hash) {
  if (auto valid = checked(goal); !valid) return valid.error();
  if (block_layout_suits(goal.false_positive_rate)) {
    auto block = BlockFilter::for_goal(goal, hash);
    if (!block) return block.error();
    return Engine{std::move(*block)};
  }
  auto classic = Classic::for_goal(goal, BloomeryClassic{hash});
  if (!classic) return classic.error();
  return Engine{std::move(*classic)};
}

Engine Engine::for_any_goal(Goal goal, const KeyHash& hash) {
  auto engine = for_goal(clamped(goal), hash);
  if (!engine) throw std::bad_alloc{};  // the only reason left: more bits than there can be
  return std::move(*engine);
}

std::size_t Engine::insert_batch(std::span<const ByteView> keys) {
  return std::visit([&](auto& filter) { return filter.insert_batch(keys); }, filter_);
}

std::size_t Engine::insert_batch(std::span<const std::uint64_t> keys) {
  if (BlockFilter* block = as_block()) return block->insert_batch(keys);
  return in_views(keys, [&](std::span<const ByteView> views, std::size_t /*at*/) {
    return as_classic()->insert_batch(views);
  });
}

std::size_t Engine::may_contain_batch(std::span<const ByteView> keys,
                                      std::span<std::uint8_t> answers) const {
  if (const BlockFilter* block = as_block()) return block->may_contain_batch(keys, answers);
  as_classic()->may_contain_batch(keys, answers);
  return count_yes(answers);
}

std::size_t Engine::may_contain_batch(std::span<const std::uint64_t> keys,
                                      std::span<std::uint8_t> answers) const {
  if (const BlockFilter* block = as_block()) return block->may_contain_batch(keys, answers);
  return in_views(keys, [&](std::span<const ByteView> views, std::size_t at) {
    const auto of_piece = answers.subspan(at, views.size());
    as_classic()->may_contain_batch(views, of_piece);
    return count_yes(of_piece);
  });
}

void Engine::reset() {
  std::visit([](auto& filter) { filter.reset(); }, filter_);
}

Status Engine::merge(const Engine& other) {
  if (as_block() != nullptr && other.as_block() != nullptr)
    return as_block()->merge(*other.as_block());
  if (as_classic() != nullptr && other.as_classic() != nullptr)
    return as_classic()->merge(*other.as_classic());
  return layouts_differ();
}

Status Engine::intersect(const Engine& other) {
  if (as_block() != nullptr && other.as_block() != nullptr)
    return as_block()->intersect(*other.as_block());
  if (as_classic() != nullptr && other.as_classic() != nullptr)
    return as_classic()->intersect(*other.as_classic());
  return layouts_differ();
}

Engine Engine::clone() const {
  return std::visit([](const auto& filter) { return Engine{filter.clone()}; }, filter_);
}

Health Engine::health() const {
  return std::visit([](const auto& filter) { return filter.health(); }, filter_);
}

Provenance Engine::provenance() const {
  return std::visit([](const auto& filter) -> Provenance { return filter.provenance(); }, filter_);
}

Shape Engine::shape() const {
  return std::visit([](const auto& filter) { return filter.shape(); }, filter_);
}

std::size_t Engine::size_bytes() const {
  return std::visit([](const auto& filter) { return filter.size_bytes(); }, filter_);
}

}  // namespace bloomery
