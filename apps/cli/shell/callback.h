// A callable that its owner keeps: std::function for the options of a command, without the weight
// of <functional>. Not copyable.
#pragma once
#include <memory>
#include <type_traits>
#include <utility>

namespace bloomery::cli {

template <class Signature>
class Callback;

template <class Return, class... Arguments>
class Callback<Return(Arguments...)> {
 public:
  Callback() = default;
  template <class Function>
  requires(!std::is_same_v<std::remove_cvref_t<Function>, Callback> &&
           std::is_invocable_r_v<Return, Function&, Arguments...>) Callback(Function function)
      : held_{std::make_unique<Held<Function>>(std::move(function))} {}

  explicit operator bool() const { return held_ != nullptr; }
  // Precondition: not empty.
  Return operator()(Arguments... arguments) const {
    return held_->call(std::forward<Arguments>(arguments)...);
  }

 private:
  struct Base {
    virtual ~Base() = default;
    virtual Return call(Arguments... arguments) = 0;
  };
  template <class Function>
  struct Held final : Base {
    explicit Held(Function function) : kept{std::move(function)} {}
    Return call(Arguments... arguments) override {
      return kept(std::forward<Arguments>(arguments)...);
    }
    Function kept;
  };

  std::unique_ptr<Base> held_;
};

}  // namespace bloomery::cli
