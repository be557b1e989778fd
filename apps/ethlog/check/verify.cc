#include "apps/ethlog/check/verify.h"

#include "apps/ethlog/index/adaptive/records.h"
#include "apps/ethlog/index/adaptive/verify.h"
#include "apps/ethlog/index/bloombits/vector_compression.h"
#include "apps/ethlog/store/chain_census.h"
#include "apps/ethlog/store/chain_records.h"
#include "apps/ethlog/store/schema.h"
#include "apps/ethlog/store/section_records.h"
#include "apps/ethlog/store/transaction_index.h"
#include "bloomery/base/message.h"

namespace bloomery::ethlog {
namespace {

constexpr std::size_t kMostMessages = 100;
constexpr std::uint64_t kReportEvery = 4096;  // records

class Verifier {
 public:
  Verifier(const ChainReader& reader, ChainStore* repair, const OnVerify& on_verify,
           const std::stop_token& stop)
      : reader_{reader}, repair_{repair}, on_verify_{on_verify}, stop_{stop} {}

  // Every record is read once, with its checksum, also those that nothing below looks at.
  Status records() {
    std::uint64_t seen = 0;
    return reader_.store().scan("", std::string(64, '\xff'),
                                [&](std::string_view, std::string_view) {
                                  if (++seen % kReportEvery == 0 && on_verify_) on_verify_(report);
                                  return !stop_.stop_requested();
                                });
  }

  Status census() {
    const auto census = count_blocks(reader_);
    if (!census) return census.error();
    std::vector<BlockRange> lost = reader_.lost();
    lost.insert(lost.end(), census->lost.begin(), census->lost.end());
    for (const BlockRange& range : merged_ranges(std::move(lost)))
      problem(message("the chain lost ", text_of_ranges({&range, 1}),
                      reader_.is_own() ? ", which had been imported; import again what is missing"
                                       : "; the database has no record of what is missing"));
    if (!reader_.is_own()) return ok();
    const auto record = reader_.store().get(kCountsKey);
    if (!record) return record.error();
    const auto counts = *record ? decode_counts(**record) : Result<StoreCounts>{StoreCounts{}};
    if (!counts) return counts.error();
    if (counts->blocks != census->blocks)
      problem(message("the store counts ", counts->blocks, " blocks, but has ", census->blocks));
    return ok();
  }

  // Without its record, every section would be taken for one of the usual size, and none for valid.
  Status section_size() {
    if (!reader_.is_own()) return ok();
    const auto record = reader_.store().get(kSectionSizeKey);
    if (!record) return record.error();
    if (*record) return ok();
    const auto size = size_by_sections();
    if (!size) return size.error();
    if (!*size || **size == kDefaultSectionSize) return ok();
    problem(message("the store does not record that a section has ", **size, " blocks"));
    if (repair_ != nullptr && repair_->set_section_size(**size)) report.repaired += 1;
    return ok();
  }

  Status blocks() {
    const auto lowest = reader_.lowest();
    if (!lowest) return lowest.error();
    const auto head = reader_.head();
    if (!head) return head.error();
    if (!*lowest || !*head) return ok();
    std::optional<Hash> before;
    std::optional<std::uint64_t> number = *lowest;
    while (number && *number <= **head && !stop_.stop_requested()) {
      const auto hash = reader_.canonical_hash(*number);
      if (!hash) return hash.error();
      check(*number, hash->value_or(Hash{}), before);
      report.blocks += 1;
      if (on_verify_) on_verify_(report);
      const auto next = reader_.next_block(*number + 1);
      if (!next) return next.error();
      before = *next == *number + 1 ? *hash : std::nullopt;
      number = *next;
    }
    return ok();
  }

  Status sections() {
    const auto size = section_size_of(reader_);
    if (!size) return size.error();
    const auto recorded = bloombits_sections(reader_.store());
    if (!recorded) return recorded.error();
    for (const std::uint64_t section : *recorded) {
      if (stop_.stop_requested()) break;
      const auto right = is_right(section, *size);
      if (!right) return right.error();
      report.sections += 1;
      if (!*right && repair_ != nullptr) repair(section);
      if (on_verify_) on_verify_(report);
    }
    return ok();
  }

  Status adaptive() {
    const auto size = section_size_of(reader_);
    if (!size) return size.error();
    const auto recorded = adaptive_sections(reader_.store());
    if (!recorded) return recorded.error();
    for (const std::uint64_t section : *recorded) {
      if (stop_.stop_requested()) break;
      auto wrong = adaptive_problem(reader_, *size, section);
      if (!wrong) return wrong.error();
      report.sections += 1;
      if (*wrong) problem(std::move(**wrong));
      if (*wrong && repair_ != nullptr && repair_adaptive(*repair_, section)) report.repaired += 1;
      if (on_verify_) on_verify_(report);
    }
    return ok();
  }

  VerifyReport report;

 private:
  void problem(std::string sentence) {
    report.problems += 1;
    if (report.messages.size() < kMostMessages) report.messages.push_back(std::move(sentence));
  }

  void check(std::uint64_t number, const Hash& hash, const std::optional<Hash>& before) {
    const auto stored = reader_.block(number, hash);
    if (!stored) return problem(stored.error().message);
    if (*stored == nullptr)
      return problem(message("block ", number, ": the store has no record of it"));
    ImportedBlock block = **stored;
    // A root that failed when the block came, because its source left something out, fails again.
    if (is_our_store()) block.receipts_complete = block.verified.receipts_root;
    if (const Status checked = check_block(block); !checked)
      return problem(checked.error().message);
    if (!block.verified.header_hash) report.unverifiable += 1;
    const auto missing = missing_transaction_keys(reader_, block);
    if (!missing) return problem(missing.error().message);
    if (*missing > 0)
      problem(message("block ", number, ": ", *missing,
                      " of its transactions are not in the index of transactions"));
    if (!before) return;
    if (const Status linked = check_parent(block, before, Gaps::kAllowed); !linked)
      problem(linked.error().message);
  }

  // What the sections of either index say; nothing where none can be read.
  Result<std::optional<std::uint64_t>> size_by_sections() const {
    const auto adaptive = adaptive_sections(reader_.store());
    if (!adaptive) return adaptive.error();
    for (const std::uint64_t section : *adaptive)
      if (const auto meta = section_metadata(reader_.store(), section); meta && *meta)
        return std::optional<std::uint64_t>{(*meta)->section_size};
    const auto bloombits = bloombits_sections(reader_.store());
    if (!bloombits) return bloombits.error();
    for (const std::uint64_t section : *bloombits) {
      const auto head = reader_.section_head(section);
      if (!head) return head.error();
      if (!*head) continue;
      const auto number = reader_.number_of(**head);
      if (!number) return number.error();
      if (*number && (**number + 1) % (section + 1) == 0)
        return std::optional{(**number + 1) / (section + 1)};
    }
    return std::optional<std::uint64_t>{};
  }

  bool is_our_store() const { return reader_.is_own(); }

  Result<bool> is_right(std::uint64_t section, std::uint64_t size) {
    const auto valid = is_section_valid(reader_, size, section);
    if (!valid) return valid.error();
    if (!*valid) {
      problem(message("section ", section, ": its head is not the canonical block ",
                      (section + 1) * size - 1));
      return false;
    }
    const auto generator = generate_section(reader_, size, section, std::nullopt);
    if (!generator) {
      problem(message("section ", section, ": ", generator.error().message));
      return false;
    }
    const auto head = reader_.section_head(section);
    if (!head) return head.error();
    std::uint64_t wrong = 0;
    for (std::uint16_t bit = 0; bit < Generator::kVectors; ++bit) {
      const auto stored = reader_.bloom_vector(bit, section, **head);
      if (!stored) return stored.error();
      const std::vector<std::byte> wanted = compress_vector(*generator->bitset(bit));
      const std::string_view text{reinterpret_cast<const char*>(wanted.data()), wanted.size()};
      if (!*stored || **stored != text) wrong += 1;
    }
    if (wrong > 0)
      problem(message("section ", section, ": ", wrong,
                      " of its 2048 vectors are missing or not those of its blocks"));
    return wrong == 0;
  }

  void repair(std::uint64_t section) {
    if (BloombitsIndexer{*repair_}.write_section(section)) report.repaired += 1;
  }

  const ChainReader& reader_;
  ChainStore* repair_;
  const OnVerify& on_verify_;
  const std::stop_token& stop_;
};

// A store that is opened to be repaired counts as not indexed.
Status repair_transactions(ChainStore& store) {
  if (!store.reader().transaction_index().rest) return ok();
  for (bool more = true; more;) {
    const auto left = store.index_transactions(kReportEvery);
    if (!left) return left.error();
    more = *left;
  }
  return store.sync();
}

}  // namespace

Result<VerifyReport> verify_chain(const ChainReader& reader, ChainStore* repair,
                                  const OnVerify& on_verify, const std::stop_token& stop) {
  Verifier verifier{reader, repair, on_verify, stop};
  if (Status s = verifier.records(); !s) return s.error();
  if (Status s = verifier.census(); !s) return s.error();
  if (Status s = verifier.section_size(); !s) return s.error();
  if (Status s = verifier.blocks(); !s) return s.error();
  if (Status s = verifier.sections(); !s) return s.error();
  if (Status s = verifier.adaptive(); !s) return s.error();
  if (repair != nullptr && !stop.stop_requested())
    if (Status s = repair_transactions(*repair); !s) return s.error();
  if (repair != nullptr)
    if (const auto counted = BloombitsIndexer{*repair}.verify_last_head(); !counted)
      return counted.error();
  return verifier.report;
}

}  // namespace bloomery::ethlog
