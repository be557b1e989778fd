#include "apps/cli/records/key_threads.h"

#include <algorithm>
#include <exception>
#include <system_error>
#include <thread>

namespace bloomery::cli {
namespace {

// Below this many records a thread costs more than it saves.
constexpr std::size_t kRecordsPerThread = 512;

}  // namespace

KeyThreads::KeyThreads(KeyReader& reader, std::uint32_t threads) : first_{reader} {
  constexpr std::uint32_t kMost = 256;
  if (reader.is_identity()) return;
  for (std::uint32_t i = 1; i < std::min(threads, kMost); ++i)
    others_.push_back(std::make_unique<KeyReader>(reader.options(), reader.order()));
}

Result<std::span<const ByteView>> KeyThreads::keys(std::span<const ByteView> records) {
  const std::size_t parts = std::min(others_.size() + 1, records.size() / kRecordsPerThread);
  if (parts < 2) {
    auto keys = first_.keys(records);
    failed_ = first_.failed();
    keys_ = keys ? *keys : first_.keys_before();
    has_key_ = first_.has_key();
    return keys;
  }
  const std::size_t share = (records.size() + parts - 1) / parts;
  std::vector<Status> done(parts, ok());
  std::vector<std::exception_ptr> thrown(parts);
  const auto work = [&](std::size_t part) {
    KeyReader& reader = part == 0 ? first_ : *others_[part - 1];
    const std::size_t begin = std::min(records.size(), part * share);
    try {
      const auto keys =
          reader.keys(records.subspan(begin, std::min(share, records.size() - begin)));
      if (!keys) done[part] = keys.error();
    } catch (...) {  // memory ran out
      thrown[part] = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> threads;
    threads.reserve(parts);
    std::size_t part = 1;
    try {
      for (; part < parts; ++part) threads.emplace_back([&work, part] { work(part); });
    } catch (const std::system_error&) {  // no more threads: this one does the rest
    }
    work(0);
    for (; part < parts; ++part) work(part);
  }
  for (const std::exception_ptr& exception : thrown)
    if (exception) std::rethrow_exception(exception);
  return join(done, share, records.size());
}

// All up to the first part that failed.
Result<std::span<const ByteView>> KeyThreads::join(std::span<const Status> done, std::size_t share,
                                                   std::size_t records) {
  joined_.clear();
  joined_has_key_.clear();
  const Status* failure = nullptr;
  for (std::size_t part = 0; part < done.size() && failure == nullptr; ++part) {
    const KeyReader& reader = part == 0 ? first_ : *others_[part - 1];
    const auto keys = reader.keys_before();
    joined_.insert(joined_.end(), keys.begin(), keys.end());
    if (!reader.has_key().empty()) {
      joined_has_key_.resize(records, 1);
      std::ranges::copy(reader.has_key(),
                        joined_has_key_.begin() + static_cast<std::ptrdiff_t>(part * share));
    }
    if (!done[part]) failure = &done[part];
  }
  failed_ = joined_.size();
  keys_ = joined_;
  has_key_ = joined_has_key_;
  if (failure != nullptr) return failure->error();
  return keys_;
}

}  // namespace bloomery::cli
