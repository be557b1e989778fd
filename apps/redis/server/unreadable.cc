#include "apps/redis/server/unreadable.h"

#include <new>

namespace bloomery::redis_module {
namespace {

char* allocate(std::size_t size) {
  void* memory = api.TryAlloc != nullptr ? api.TryAlloc(size) : api.Alloc(size);
  if (memory == nullptr) throw std::bad_alloc{};
  return static_cast<char*>(memory);
}

}  // namespace

RawFields RawFields::clone() const {
  RawFields copy;
  copy.kinds_ = kinds_;
  copy.numbers_ = numbers_;
  for (const ServerText& text : texts_) {
    ServerText& made = copy.texts_.emplace_back();
    made.text.reset(allocate(text.size + 1));
    made.size = text.size;
    if (text.size > 0) std::memcpy(made.text.get(), text.text.get(), text.size);
  }
  return copy;
}

std::size_t RawFields::size_bytes() const {
  std::size_t bytes = kinds_.size() + numbers_.size() * sizeof(std::uint64_t);
  for (const ServerText& text : texts_) bytes += text.size;
  return bytes;
}

}  // namespace bloomery::redis_module
