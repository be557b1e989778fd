#include "apps/ethlog/index/bloombits/vector_fetcher.h"

#include <algorithm>
#include <exception>
#include <system_error>

#include "bloomery/base/message.h"

namespace bloomery::ethlog {

VectorFetcher::VectorFetcher(FetchVector fetch, const FetcherOptions& options)
    : fetch_{std::move(fetch)}, options_{options}, scheduler_{options.kept_bytes} {
  threads_.reserve(options.most_threads);
}

VectorFetcher::~VectorFetcher() { stop_.request_stop(); }

Status VectorFetcher::start_threads(std::size_t wanted) {
  const std::lock_guard lock{threads_mutex_};
  std::error_code failure;
  try {
    while (threads_.size() < std::min(wanted, options_.most_threads))
      threads_.emplace_back([this] { fetch_vectors(); });
  } catch (const std::system_error& failed) {
    failure = failed.code();
  }
  if (!threads_.empty()) return ok();
  return Error{ErrorCode::kTooLarge, message("the search could not start its threads: ",
                                             failure ? failure.message() : "none are allowed")};
}

std::size_t VectorFetcher::threads() const {
  const std::lock_guard lock{threads_mutex_};
  return threads_.size();
}

Scheduler::Asked VectorFetcher::ask(std::uint32_t bit, const SectionId& section) {
  Scheduler::Asked asked = scheduler_.ask(bit, section);
  if (!asked.fresh) return asked;
  try {
    distributor_.request(bit, section);
  } catch (...) {  // no memory; a search that waits for this vector would wait for ever
    scheduler_.deliver(bit, section,
                       Error{ErrorCode::kIo, "the search ended early: not enough memory"});
    throw;
  }
  return asked;
}

Result<FetchedVector> VectorFetcher::fetched(std::uint32_t bit, const SectionId& section) const {
  try {
    return fetch_(bit, section);
  } catch (const std::exception& thrown) {
    return Error{ErrorCode::kIo, message("the search ended early: ", thrown.what())};
  }
}

// A vector whose searches are all gone by now is not fetched.
void VectorFetcher::fetch_vectors() {
  const std::stop_token stop = stop_.get_token();
  while (const auto request = distributor_.take(options_.batch_sections, stop))
    for (const SectionId& section : request->sections) {
      if (stop.stop_requested()) return;
      if (!scheduler_.is_wanted(request->bit, section)) continue;
      scheduler_.deliver(request->bit, section, fetched(request->bit, section));
    }
}

}  // namespace bloomery::ethlog
