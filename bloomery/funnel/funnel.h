// Funnels: typed key in, bytes out. Two programs that share a filter must share the funnel, so a
// funnel is chosen by name, never by overload: text alone has three.
#pragma once
#include <concepts>
#include <iterator>
#include <string>
#include <string_view>
#include <type_traits>

#include "bloomery/funnel/byte_sink.h"

namespace bloomery {

template <class F>
concept Funnel = std::is_empty_v<F> && std::default_initializable<F> &&
    requires(const F funnel, const typename F::Key& key, ByteSink& sink) {
  { funnel(key, sink) } -> std::same_as<void>;
};

// A funnel whose bytes are the key's own: the key need not be copied.
template <class F>
concept ViewFunnel = Funnel<F> && requires(const typename F::Key& key) {
  { F::view(key) } -> std::same_as<ByteView>;
};

// Keys in a row: a container, an array, a view. The concepts of <ranges> say the same, and take as
// long to compile as the rest of this header.
template <class Keys>
concept KeyRange = requires(Keys& keys) {
  { std::begin(keys) } -> std::input_iterator;
  { std::begin(keys) != std::end(keys) } -> std::convertible_to<bool>;
};

struct BytesFunnel {
  using Key = ByteView;
  static ByteView view(Key bytes) { return bytes; }
  void operator()(Key bytes, ByteSink& sink) const { sink.put_bytes(bytes); }
};

// The bytes of the text as they are, valid UTF-8 or not.
struct Utf8Funnel {
  using Key = std::string_view;
  static ByteView view(Key text) { return bytes_of(text); }
  void operator()(Key text, ByteSink& sink) const { sink.put_bytes(bytes_of(text)); }
};

// The code units, surrogates untouched (Guava 31.1: unencodedCharsFunnel).
struct Utf16Funnel {
  using Key = std::u16string_view;
  void operator()(Key text, ByteSink& sink) const;
};

// UTF-16 text as UTF-8; each unpaired surrogate becomes '?' (Guava 31.1: stringFunnel(UTF_8), after
// Java's encoder).
struct Utf16ToUtf8Funnel {
  using Key = std::u16string_view;
  void operator()(Key text, ByteSink& sink) const;
};

struct BoolFunnel {
  using Key = bool;
  void operator()(Key value, ByteSink& sink) const { sink.put_bool(value); }
};

template <std::integral T>
requires(sizeof(T) <= 8) struct IntegerFunnel {
  using Key = T;
  void operator()(Key value, ByteSink& sink) const {
    if constexpr (sizeof(T) == 1) sink.put_u8(static_cast<std::uint8_t>(value));
    if constexpr (sizeof(T) == 2) sink.put_u16(static_cast<std::uint16_t>(value));
    if constexpr (sizeof(T) == 4) sink.put_u32(static_cast<std::uint32_t>(value));
    if constexpr (sizeof(T) == 8) sink.put_u64(static_cast<std::uint64_t>(value));
  }
};
using I8Funnel = IntegerFunnel<std::int8_t>;
using I16Funnel = IntegerFunnel<std::int16_t>;
using I32Funnel = IntegerFunnel<std::int32_t>;
using I64Funnel = IntegerFunnel<std::int64_t>;
using U8Funnel = IntegerFunnel<std::uint8_t>;
using U16Funnel = IntegerFunnel<std::uint16_t>;
using U32Funnel = IntegerFunnel<std::uint32_t>;
using U64Funnel = IntegerFunnel<std::uint64_t>;

struct F32Funnel {
  using Key = float;
  void operator()(Key value, ByteSink& sink) const { sink.put_f32(value); }
};
struct F64Funnel {
  using Key = double;
  void operator()(Key value, ByteSink& sink) const { sink.put_f64(value); }
};

// One after the other, without separators or lengths (Guava 31.1: sequentialFunnel), so {"ab", "c"}
// and {"a", "bc"} are one key. A funnel of your own that must tell them apart writes the length
// first.
template <Funnel F>
struct SequenceFunnel {
  using Key = std::span<const typename F::Key>;
  template <KeyRange Keys>
  void operator()(Keys&& keys, ByteSink& sink) const {
    for (const auto& key : keys) F{}(key, sink);
  }
};

// The funnel of a type. A type of yours names it inside (`using Funnel = PointFunnel;`) or, where
// the type cannot be touched, specialises this with a member Type.
template <class T>
struct FunnelOf {
  static_assert(!std::same_as<T, T>,
                "this key type has no funnel, which says how a key becomes bytes. Write one: "
                "struct PointFunnel { using Key = Point; void operator()(const Point& point, "
                "bloomery::ByteSink& sink) const { sink.put_u32(point.x); sink.put_u32(point.y); } "
                "}; then name it: Filter<Point, PointFunnel>, or `using Funnel = PointFunnel;` "
                "inside Point");
  using Type = BytesFunnel;  // so that this is the only error
};
template <class T>
requires requires { typename T::Funnel; }
struct FunnelOf<T> {
  using Type = typename T::Funnel;
};
template <>
struct FunnelOf<std::string> {
  using Type = Utf8Funnel;
};
template <>
struct FunnelOf<std::string_view> {
  using Type = Utf8Funnel;
};
template <>
struct FunnelOf<ByteView> {
  using Type = BytesFunnel;
};
template <>
struct FunnelOf<bool> {
  using Type = BoolFunnel;
};
template <>
struct FunnelOf<float> {
  using Type = F32Funnel;
};
template <>
struct FunnelOf<double> {
  using Type = F64Funnel;
};
template <std::integral T>
requires(!std::same_as<T, bool> && sizeof(T) <= 8) struct FunnelOf<T> {
  using Type = IntegerFunnel<T>;
};

template <class T>
using DefaultFunnel = typename FunnelOf<T>::Type;

}  // namespace bloomery
