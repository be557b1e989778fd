// Writes through the two asynchronous interfaces of the kernel, without their libraries.
#pragma once
#include <linux/aio_abi.h>
#include <linux/io_uring.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <string_view>

namespace bloomery::tracker {

// io_submit. False with errno where that is not permitted.
inline bool write_by_aio(int fd, std::string_view text) {
  aio_context_t context = 0;
  if (::syscall(SYS_io_setup, 1, &context) != 0) return false;
  iocb request{};
  request.aio_fildes = static_cast<__u32>(fd);
  request.aio_lio_opcode = IOCB_CMD_PWRITE;
  request.aio_buf = reinterpret_cast<__u64>(text.data());
  request.aio_nbytes = text.size();
  iocb* requests[] = {&request};
  io_event done{};
  const bool written = ::syscall(SYS_io_submit, context, 1, requests) == 1 &&
                       ::syscall(SYS_io_getevents, context, 1, 1, &done, nullptr) == 1 &&
                       done.res == static_cast<__s64>(text.size());
  ::syscall(SYS_io_destroy, context);
  return written;
}

// One write through a ring of one entry. False with errno where that is not permitted.
inline bool write_by_uring(int fd, std::string_view text) {
  io_uring_params params{};
  const int ring = static_cast<int>(::syscall(SYS_io_uring_setup, 1, &params));
  if (ring < 0) return false;
  const auto map = [&](std::size_t size, off_t offset) {
    return static_cast<char*>(
        ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, ring, offset));
  };
  const std::size_t queue_bytes = params.sq_off.array + params.sq_entries * sizeof(__u32);
  const std::size_t done_bytes = params.cq_off.cqes + params.cq_entries * sizeof(io_uring_cqe);
  char* queue = map(queue_bytes, IORING_OFF_SQ_RING);
  char* done = map(done_bytes, IORING_OFF_CQ_RING);
  char* entries = map(sizeof(io_uring_sqe), IORING_OFF_SQES);
  bool written = false;
  if (queue != MAP_FAILED && done != MAP_FAILED && entries != MAP_FAILED) {
    io_uring_sqe entry{};
    entry.opcode = IORING_OP_WRITE;
    entry.fd = fd;
    entry.addr = reinterpret_cast<__u64>(text.data());
    entry.len = static_cast<__u32>(text.size());
    std::memcpy(entries, &entry, sizeof entry);
    const __u32 first = 0;
    const __u32 one = 1;
    std::memcpy(queue + params.sq_off.array, &first, sizeof first);
    std::atomic_thread_fence(std::memory_order_release);
    std::memcpy(queue + params.sq_off.tail, &one, sizeof one);
    if (::syscall(SYS_io_uring_enter, ring, 1, 1, IORING_ENTER_GETEVENTS, nullptr, 0) == 1) {
      std::atomic_thread_fence(std::memory_order_acquire);
      io_uring_cqe answer{};
      std::memcpy(&answer, done + params.cq_off.cqes, sizeof answer);
      written = answer.res == static_cast<__s32>(text.size());
    }
    ::munmap(queue, queue_bytes);
    ::munmap(done, done_bytes);
    ::munmap(entries, sizeof(io_uring_sqe));
  }
  ::close(ring);
  return written;
}

}  // namespace bloomery::tracker
