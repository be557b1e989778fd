// Memory for one handler at a time, so that posting it to an io_context cannot fail. Without it a
// worker that has a result, or a server that is to stop, could not say so once memory ran out.
#pragma once
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <cstddef>
#include <new>
#include <utility>

namespace bloomery::http {

class HandlerMemory {
 public:
  HandlerMemory() = default;
  HandlerMemory(const HandlerMemory&) = delete;
  HandlerMemory& operator=(const HandlerMemory&) = delete;

  void* take(std::size_t bytes) {
    if (is_taken_ || bytes > sizeof bytes_) return ::operator new(bytes);
    is_taken_ = true;
    return bytes_;
  }
  void give(void* memory) {
    if (memory != bytes_) return ::operator delete(memory);
    is_taken_ = false;
  }

 private:
  alignas(std::max_align_t) std::byte bytes_[256];
  bool is_taken_ = false;
};

template <class T>
struct HandlerAllocator {
  using value_type = T;
  HandlerMemory* memory;

  explicit HandlerAllocator(HandlerMemory& its_memory) : memory{&its_memory} {}
  template <class U>
  HandlerAllocator(const HandlerAllocator<U>& other) : memory{other.memory} {}
  T* allocate(std::size_t count) { return static_cast<T*>(memory->take(sizeof(T) * count)); }
  void deallocate(T* object, std::size_t) { memory->give(object); }
  friend bool operator==(const HandlerAllocator& a, const HandlerAllocator& b) = default;
};

template <class Function>
struct PostedHandler {
  using allocator_type = HandlerAllocator<void*>;
  HandlerMemory* memory;
  Function function;

  allocator_type get_allocator() const { return allocator_type{*memory}; }
  void operator()() { function(); }
};

// Precondition: what was posted with this memory before has begun to run. The function keeps the
// memory alive until then.
template <class Function>
void post_without_allocating(boost::asio::io_context& io, HandlerMemory& memory,
                             Function function) {
  boost::asio::post(io, PostedHandler<Function>{&memory, std::move(function)});
}

}  // namespace bloomery::http
