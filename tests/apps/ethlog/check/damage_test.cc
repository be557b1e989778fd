// Damaged folders: whatever is done to a file of a chain, every answer is right or an error, and
// verify, status and the searches agree on which.
#include <gmock/gmock.h>

#include <random>

#include "tests/apps/ethlog/index/adaptive/damaged_folders.h"
#include "tests/full_run.h"

namespace bloomery::ethlog {
namespace {

namespace fs = std::filesystem;
using ::testing::IsEmpty;

// What the commands say of a folder. A trouble is the first sentence of an error.
struct Outcome {
  std::string verify_trouble;
  std::string status_trouble;
  std::string search_trouble;
  std::uint64_t wrong = 0;  // answers that are neither right nor an error
  std::optional<std::uint64_t> head;
};

Outcome outcome_of(const fs::path& folder, const std::vector<ImportedBlock>& truth,
                   bool may_be_older) {
  Outcome outcome;
  const auto chain = ChainFolder::open(folder);
  if (!chain) {
    outcome.verify_trouble = outcome.status_trouble = outcome.search_trouble =
        chain.error().message;
    return outcome;
  }
  const auto report = verify_chain(chain->reader(), nullptr, {}, {});
  if (!report) outcome.verify_trouble = report.error().message;
  if (report && report->problems > 0) outcome.verify_trouble = report->messages.front();
  const auto status = status_of(*chain);
  if (!status) outcome.status_trouble = status.error().message;
  if (status && !status->lost.empty()) outcome.status_trouble = text_of_ranges(status->lost);
  if (const auto head = chain->reader().head(); head) outcome.head = *head;
  const std::uint64_t past =
      may_be_older && outcome.head ? *outcome.head + 1 : truth.back().header.number + 1;
  for (const LogQuery& query : questions(truth))
    for (const bool by_index : {true, false}) {
      const auto answer = searched(chain->reader(), query, by_index);
      if (!answer)
        outcome.search_trouble = answer.error().message;
      else if (*answer != brute_force(truth, query, past))
        outcome.wrong += 1;
    }
  return outcome;
}

// ---- damage

std::string damage(const fs::path& file, std::mt19937_64& random) {
  const auto size = static_cast<std::size_t>(fs::file_size(file));
  const std::size_t at = random() % size;
  const std::size_t kind = random() % 8;
  if (kind == 0) {
    fs::remove(file);
    return "deleted";
  }
  if (kind == 1) {
    fs::resize_file(file, at);
    return "cut to " + std::to_string(at);
  }
  std::fstream stream{file, std::ios::in | std::ios::out | std::ios::binary};
  stream.seekg(static_cast<std::streamoff>(at));
  if (kind == 2) {
    const std::size_t count = std::min<std::size_t>(size - at, 1 + random() % 4096);
    stream.seekp(static_cast<std::streamoff>(at));
    stream << std::string(count, '\0');
    return "zeros at " + std::to_string(at) + ", " + std::to_string(count);
  }
  const auto byte = static_cast<unsigned char>(stream.get());
  const auto other = static_cast<char>(byte ^ (1U << (random() % 8)));
  stream.seekp(static_cast<std::streamoff>(at));
  stream.put(other);
  return "a bit of byte " + std::to_string(at) + " of " + std::to_string(size);
}

struct Tally {
  int right = 0;
  int refused = 0;
};

// `older` tells whether a file, if cut, leaves the folder as it was at an earlier moment.
template <class MayBeOlder>
Tally damage_in_turn(const fs::path& sound, const std::vector<ImportedBlock>& truth, int rounds,
                     std::uint64_t seed, MayBeOlder may_be_older) {
  std::mt19937_64 random{seed};
  Tally tally;
  const Outcome before = outcome_of(sound, truth, false);
  EXPECT_THAT(before.verify_trouble + before.status_trouble + before.search_trouble, IsEmpty());
  EXPECT_EQ(before.wrong, 0U);
  for (int round = 0; round < rounds; ++round) {
    const ScratchFolder scratch;
    const fs::path folder = scratch / "chain";
    fs::copy(sound, folder, fs::copy_options::recursive);
    const auto files = files_below(folder);
    const fs::path& file = files[static_cast<std::size_t>(round) % files.size()];
    const std::string what = file.filename().string() + ": " + damage(file, random);
    const Outcome outcome = outcome_of(folder, truth, may_be_older(file));
    EXPECT_EQ(outcome.wrong, 0U) << what << "; verify said: " << outcome.verify_trouble;
    if (!outcome.search_trouble.empty() || !outcome.status_trouble.empty()) {
      EXPECT_NE(outcome.verify_trouble, "")
          << what << ": " << outcome.search_trouble << outcome.status_trouble;
    }
    tally.right += outcome.search_trouble.empty() ? 1 : 0;
    tally.refused += outcome.search_trouble.empty() ? 0 : 1;
    if (::testing::Test::HasFailure()) break;
  }
  return tally;
}

int rounds(int few, int many) { return testing::full_run() ? many : few; }

TEST(Damage, OfAnyFileOfAChainFolderIsNeverAWrongAnswer) {
  const ScratchFolder scratch;
  make_folder(scratch / "chain");
  const Tally tally = damage_in_turn(scratch / "chain", sample(), rounds(200, 5000), 20'240'601,
                                     [](const fs::path&) { return false; });
  EXPECT_GT(tally.refused, 0);
  EXPECT_GT(tally.right, 0);
}

TEST(Damage, OfAChainThatIsAllInItsLogIsNeverAWrongAnswer) {
  const ScratchFolder scratch;
  synced_store(scratch / "chain", sample());
  const Tally tally = damage_in_turn(scratch / "chain", sample(), rounds(100, 5000), 7,
                                     [](const fs::path&) { return false; });
  EXPECT_GT(tally.refused, 80);
}

TEST(Damage, OfAGethFolderIsNeverAWrongAnswer) {
  const SampleChaindata chaindata;
  ASSERT_TRUE(chaindata.unpacked());
  const Tally tally = damage_in_turn(chaindata.path(), golden_chain(), rounds(50, 3000), 11,
                                     [](const fs::path&) { return false; });
  EXPECT_GT(tally.refused, 0);
}

// A log of geth that was cut, or whose last record says a wrong length, is what a killed node
// leaves: the folder is as it was before that write.
TEST(Damage, OfAGethFolderWithALogIsNeverAWrongAnswer) {
  const SampleChaindata chaindata;
  ASSERT_TRUE(chaindata.unpacked());
  const ScratchFolder scratch;
  const fs::path folder = scratch / "chaindata";
  {
    const auto golden = open_foreign_leveldb(chaindata.path());
    auto copy = open_leveldb(folder, Creation::kAllowed);
    ASSERT_TRUE(golden && copy);
    WriteBatch batch;
    std::map<std::string, std::string> pointers;  // written last, as a node does
    ASSERT_TRUE((*golden)->scan("", std::string(9, '\xff'), [&](auto key, auto value) {
      if (key.starts_with("Last")) {
        pointers[std::string{key}] = value;
        return true;
      }
      batch.put(key, value);
      if (batch.bytes() < 10'000) return true;
      EXPECT_TRUE((*copy)->write(batch, Durability::kBuffered));
      batch.clear();
      return true;
    }));
    for (const auto& [key, value] : pointers) batch.put(key, value);
    ASSERT_TRUE((*copy)->write(batch, Durability::kSynced));
  }
  fs::copy(chaindata.path() / "ancient", folder / "ancient", fs::copy_options::recursive);
  damage_in_turn(folder, golden_chain(), rounds(40, 3000), 13,
                 [](const fs::path& file) { return file.extension() == ".log"; });
}

}  // namespace
}  // namespace bloomery::ethlog
