// The threads that all searches over the indexes of one chain share, started when a search first
// needs them.
#pragma once
#include <array>
#include <atomic>
#include <memory>

#include "apps/ethlog/index/bloombits/generator.h"
#include "apps/ethlog/index/bloombits/vector_fetcher.h"
#include "apps/ethlog/model/clauses.h"
#include "apps/ethlog/store/chain_reader.h"

namespace bloomery::ethlog {

// A vector of the bloom-bit index, uncompressed. One that is missing is an error.
Result<FetchedVector> read_vector(const ChainReader& reader, std::uint64_t section_size,
                                  std::uint32_t bit, const SectionId& section);
// The last block of a section; zeros where it is not known.
Result<Hash> read_section_head(const ChainReader& reader, std::uint64_t section_size,
                               std::uint64_t section);

// Safe for any number of threads.
class SearchThreads {
 public:
  static constexpr std::size_t kOfOneSearch = 4;  // they wait for a disk more than they compute
  static constexpr std::size_t kOfAllSearches = 16;
  static constexpr std::size_t kFewSearches = 8;
  // As many searches of one vector take as long alone as with threads (bench/RESULTS.md).
  static constexpr std::uint32_t kManyReaders = 12;
  static constexpr std::uint64_t kLeastSections = 16;  // fewer do not make up for the start

  // The reader must outlive it. At most `most` threads of a kind run at a time.
  explicit SearchThreads(const ChainReader& reader, std::size_t most = kOfAllSearches)
      : reader_{reader}, most_{most} {}

  // The fetcher of the bloom-bit index, with threads for one search more. Null: the system starts
  // no thread. A search keeps it until its end.
  std::shared_ptr<VectorFetcher> fetcher(std::uint64_t section_size);

  // Says which bits a search reads, as long as it lives.
  class Interest {
   public:
    Interest(SearchThreads& threads, const std::vector<BitClause>& clauses);
    Interest(const Interest&) = delete;
    Interest& operator=(const Interest&) = delete;
    ~Interest();
    // Whether so many searches read one of the bits now that fetching once for all pays.
    bool is_shared_by_many() const;
    // Whether so few searches run now that they alone do not keep a disk busy.
    bool are_few() const { return threads_.searches_ <= kFewSearches; }

   private:
    SearchThreads& threads_;
    std::vector<std::uint32_t> bits_;  // each once
  };

  // Threads that a search may start for itself, as long as it holds the lease; perhaps none.
  class Lease {
   public:
    Lease(std::atomic<std::size_t>& leased, std::size_t threads)
        : leased_{&leased}, threads_{threads} {}
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    ~Lease() { *leased_ -= threads_; }
    std::size_t threads() const { return threads_; }

   private:
    std::atomic<std::size_t>* leased_;
    std::size_t threads_;
  };
  Lease lease();

 private:
  const ChainReader& reader_;
  const std::size_t most_;
  std::mutex mutex_;
  std::uint64_t section_size_ = 0;
  std::shared_ptr<VectorFetcher> fetcher_;
  std::atomic<std::size_t> leased_ = 0;
  std::atomic<std::size_t> searches_ = 0;                                  // those with an interest
  std::array<std::atomic<std::uint32_t>, Generator::kVectors> readers_{};  // searches, by bit
};

}  // namespace bloomery::ethlog
