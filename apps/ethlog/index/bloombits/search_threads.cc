#include "apps/ethlog/index/bloombits/search_threads.h"

#include <algorithm>

#include "apps/ethlog/index/bloombits/vector_compression.h"
#include "bloomery/base/message.h"

namespace bloomery::ethlog {

Result<Hash> read_section_head(const ChainReader& reader, std::uint64_t section_size,
                               std::uint64_t section) {
  const auto head = reader.canonical_hash((section + 1) * section_size - 1);
  if (!head) return head.error();
  return head->value_or(Hash{});
}

Result<FetchedVector> read_vector(const ChainReader& reader, std::uint64_t section_size,
                                  std::uint32_t bit, const SectionId& section) {
  const auto stored =
      reader.bloom_vector(static_cast<std::uint16_t>(bit), section.number, section.head);
  if (!stored) return stored.error();
  if (!*stored)
    return Error{ErrorCode::kIo,
                 message("the vector of bit ", bit, " in section ", section.number,
                         " is not in the database: the chain was reorganised meanwhile, or the "
                         "index is damaged; search again, or rebuild the index")};
  auto bits = decompress_vector(std::as_bytes(std::span{(*stored)->data(), (*stored)->size()}),
                                static_cast<std::size_t>(section_size / 8));
  if (!bits)
    return Error{ErrorCode::kMalformed,
                 message("the vector of bit ", bit, " in section ", section.number,
                         " is broken: ", bits.error().message, "; rebuild the index")};
  return FetchedVector{std::move(*bits), (*stored)->size()};
}

// The count of owners says how many searches use the fetcher.
std::shared_ptr<VectorFetcher> SearchThreads::fetcher(std::uint64_t section_size) {
  const std::lock_guard lock{mutex_};
  if (fetcher_ == nullptr || section_size_ != section_size) {
    fetcher_ = std::make_shared<VectorFetcher>(
        [this, section_size](std::uint32_t bit, const SectionId& section) {
          return read_vector(reader_, section_size, bit, section);
        },
        FetcherOptions{.most_threads = most_});
    section_size_ = section_size;
  }
  const auto searches = static_cast<std::size_t>(fetcher_.use_count());
  if (!fetcher_->start_threads(kOfOneSearch * searches)) return nullptr;
  return fetcher_;
}

SearchThreads::Interest::Interest(SearchThreads& threads, const std::vector<BitClause>& clauses)
    : threads_{threads}, bits_{bits_of_clauses(clauses)} {
  threads_.searches_ += 1;
  for (const std::uint32_t bit : bits_) threads_.readers_[bit] += 1;
}

SearchThreads::Interest::~Interest() {
  for (const std::uint32_t bit : bits_) threads_.readers_[bit] -= 1;
  threads_.searches_ -= 1;
}

bool SearchThreads::Interest::is_shared_by_many() const {
  return std::ranges::any_of(
      bits_, [&](std::uint32_t bit) { return threads_.readers_[bit] >= kManyReaders; });
}

SearchThreads::Lease SearchThreads::lease() {
  std::size_t before = leased_;
  std::size_t threads = 0;
  do {
    threads = std::min(kOfOneSearch, most_ - before);
  } while (!leased_.compare_exchange_weak(before, before + threads));
  return {leased_, threads};
}

}  // namespace bloomery::ethlog
