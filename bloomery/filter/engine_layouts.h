// The layouts of an Engine in their own types, for code that handles each: encoders, descriptions.
#pragma once
#include <variant>

#include "bloomery/filter/classic/classic.h"
#include "bloomery/filter/classic/counting.h"
#include "bloomery/filter/classic/scalable.h"
#include "bloomery/filter/engine.h"

namespace bloomery {

struct Engine::Other {
  std::variant<Classic, Counting<2>, Counting<4>, Counting<8>, Scalable> filter;
};

// Precondition of both: the engine was not moved from.
template <class Use>
decltype(auto) Engine::visit(Use use) const {
  if (const BlockFilter* block = as_block()) return use(*block);
  return std::visit(use, std::as_const(other_->filter));
}
template <class Use>
decltype(auto) Engine::visit(Use use) {
  if (BlockFilter* block = as_block()) return use(*block);
  return std::visit(use, other_->filter);
}

}  // namespace bloomery
