#include "bloomery/formats/leveldb/block.h"

#include "bloomery/base/byte_reader.h"
#include "bloomery/base/byte_writer.h"
#include "bloomery/formats/leveldb/policy.h"

namespace bloomery {
namespace {

constexpr std::size_t kMostTables = 64;

using Reader = ClassicView<LevelDb, const std::byte>;

Health health_of(const LevelDbFilterBlock& block, ByteView filter) {
  if (block.policy() == LevelDbPolicy::kBloomery) {
    if (block.holds(filter)) return leveldb_policy_health(filter);
    return {0, 0, 1, Verdict::kSaturated};
  }
  const Shape shape = leveldb_shape_of(filter);
  return leveldb_health(shape, filter.first(filter.size() - 1), std::nullopt);
}

// What the filters of a block add up to.
struct Sum {
  std::uint64_t bits = 0;
  double ones = 0;
  std::uint32_t probes = 0;  // the most of any filter
  double keys = 0;
  double weight = 0;  // a filter is asked about as often as it has keys
  double weighted_rate = 0;
  double all_say_no = 1;  // chance that no filter answers "maybe" to an absent key

  void weigh(double rate, double estimated_keys) {
    keys += estimated_keys;
    weight += std::max(1.0, estimated_keys);
    weighted_rate += rate * std::max(1.0, estimated_keys);
    all_say_no *= 1 - rate;
  }
};

Sum summed(const LevelDbFilterBlock& block) {
  Sum sum;
  for (std::size_t i = 0; i < block.filter_count(); ++i) {
    const auto filter = block.filter_at(i);
    if (!filter) sum.weigh(1, 0);
    if (!filter || filter->size() < 2) continue;
    const Shape shape = block.shape_of(*filter);
    const Health health = health_of(block, *filter);
    sum.bits += shape.bits;
    sum.ones += health.fill * static_cast<double>(shape.bits);
    sum.probes = std::max(sum.probes, shape.probes);
    sum.weigh(health.error_rate, health.estimated_keys);
  }
  return sum;
}

std::size_t count_with_keys(const LevelDbFilterBlock& block) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < block.filter_count(); ++i) {
    const auto filter = block.filter_at(i);
    if (filter && filter->size() >= 2) ++count;
  }
  return count;
}

Health health_with_rate(const Sum& sum, double rate) {
  const double fill = sum.bits == 0 ? 0 : sum.ones / static_cast<double>(sum.bits);
  return {fill, sum.keys, rate, judge(fill, rate, std::nullopt)};
}

Error not_one_filter(std::size_t filters) {
  return {
      ErrorCode::kUnsupported,
      message("a filter block of ", filters,
              " filters takes no keys: each filter belongs to the data blocks of one stretch of "
              "the table")};
}

}  // namespace

LevelDbFilterBlock::LevelDbFilterBlock(std::vector<std::byte> contents, LevelDbPolicy policy)
    : contents_{std::move(contents)},
      filter_count_{(contents_.size() - kTailBytes - array_offset()) / 4},
      policy_{policy} {}

std::size_t LevelDbFilterBlock::array_offset() const {
  return load_le<std::uint32_t>(contents_.data() + contents_.size() - kTailBytes);
}

// One past the last is the offset of the array itself, which is where the last filter ends.
std::uint32_t LevelDbFilterBlock::offset_at(std::size_t i) const {
  return load_le<std::uint32_t>(contents_.data() + array_offset() + i * 4);
}

std::optional<ByteView> LevelDbFilterBlock::filter_at(std::size_t i) const {
  assert(i < filter_count_);
  const std::uint32_t start = offset_at(i);
  const std::uint32_t limit = offset_at(i + 1);
  if (start > limit || limit > array_offset()) return std::nullopt;
  return contents().subspan(start, limit - start);
}

std::optional<ByteView> LevelDbFilterBlock::only_filter() const {
  if (filter_count_ != 1 || policy_ != LevelDbPolicy::kBuiltIn) return std::nullopt;
  const auto one = filter_at(0);
  if (!one || leveldb_shape_of(*one).probes == 0) return std::nullopt;
  return one;
}

Shape LevelDbFilterBlock::shape_of(ByteView filter) const {
  if (policy_ == LevelDbPolicy::kBuiltIn) return leveldb_shape_of(filter);
  const auto shape = leveldb_policy_shape_of(filter);
  if (!shape) return {std::uint64_t{filter.size()} * 8, 0};
  return {std::uint64_t{shape->data_bytes} * 8, shape->probes};
}

bool LevelDbFilterBlock::holds(ByteView filter) const {
  return policy_ == LevelDbPolicy::kBuiltIn || leveldb_policy_holds(filter);
}

// LevelDB answers "no" for an empty filter before it asks any policy (1.23, table/filter_block.cc).
bool LevelDbFilterBlock::ask(ByteView filter, ByteView key, const LevelDb::Digest& digest) const {
  if (policy_ == LevelDbPolicy::kBuiltIn) return leveldb_may_contain(filter, digest);
  return !filter.empty() && leveldb_policy_may_contain(filter, key);
}

bool LevelDbFilterBlock::may_contain(std::uint64_t data_block_offset, ByteView key,
                                     const LevelDb::Digest& digest) const {
  const std::uint64_t i = data_block_offset >> base_lg();
  if (i >= filter_count_) return true;
  const auto one = filter_at(static_cast<std::size_t>(i));
  return !one || ask(*one, key, digest);
}

bool LevelDbFilterBlock::may_contain(ByteView key, const LevelDb::Digest& digest) const {
  for (std::size_t i = 0; i < filter_count_; ++i) {
    const auto one = filter_at(i);
    if (!one || ask(*one, key, digest)) return true;
  }
  return false;
}

void LevelDbFilterBlock::may_contain_batch(std::span<const ByteView> keys,
                                           std::span<std::uint8_t> answers) const {
  assert(answers.size() == keys.size());
  if (const auto one = only_filter()) {
    Reader{leveldb_shape_of(*one), *one}.may_contain_batch(keys, answers);
    return;
  }
  for (std::size_t i = 0; i < keys.size(); ++i) answers[i] = may_contain(keys[i]) ? 1 : 0;
}

Result<std::size_t> LevelDbFilterBlock::insert_batch(std::span<const ByteView> keys,
                                                     std::span<std::uint8_t> is_new) {
  const auto one = only_filter();
  if (!one) return not_one_filter(filter_count_);
  const auto start = static_cast<std::size_t>(one->data() - contents_.data());
  const ByteSpan bits = ByteSpan{contents_}.subspan(start, one->size() - 1);
  return ClassicView<LevelDb>{leveldb_shape_of(*one), bits}.insert_batch(keys, is_new);
}

Health LevelDbFilterBlock::health_of_one() const {
  const Sum sum = summed(*this);
  return health_with_rate(sum, sum.weight > 0 ? sum.weighted_rate / sum.weight : 0);
}

Health LevelDbFilterBlock::health() const {
  const Sum sum = summed(*this);
  return health_with_rate(sum, 1 - sum.all_say_no);
}

Status LevelDbFilterBlockBuilder::end_filter() {
  if (filters_.size() > UINT32_MAX)
    return Error{ErrorCode::kInvalidArgument,
                 "the filters of a LevelDB filter block have at most 2^32 bytes together"};
  offsets_.push_back(static_cast<std::uint32_t>(filters_.size()));
  if (pending_.keys() == 0) return ok();
  return pending_.finish(bits_per_key_, rule_, filters_);
}

Status LevelDbFilterBlockBuilder::start_block(std::uint64_t data_block_offset) {
  const std::uint64_t index = data_block_offset >> base_lg_;
  if (index > UINT32_MAX / 4)
    return Error{ErrorCode::kInvalidArgument,
                 message("a data block at ", data_block_offset,
                         " would need more filters than a filter block can number")};
  while (offsets_.size() < index)
    if (auto ended = end_filter(); !ended) return ended;
  return ok();
}

Result<std::vector<std::byte>> LevelDbFilterBlockBuilder::finish() {
  if (pending_.keys() > 0)
    if (auto ended = end_filter(); !ended) return ended.error();
  const std::size_t array_offset = filters_.size();
  if (array_offset > UINT32_MAX)
    return Error{ErrorCode::kInvalidArgument,
                 "the filters of a LevelDB filter block have at most 2^32 bytes together"};
  ByteWriter writer;
  writer.reserve(array_offset + offsets_.size() * 4 + LevelDbFilterBlock::kTailBytes);
  writer.put(filters_);
  for (const std::uint32_t offset : offsets_) writer.le(offset);
  writer.le(static_cast<std::uint32_t>(array_offset));
  writer.le(static_cast<std::uint8_t>(base_lg_));
  filters_.clear();
  offsets_.clear();
  return writer.take();
}

Result<LevelDbFilterBlock> decode_leveldb_block(ByteView contents, const DecodeOptions& options) {
  return decode_leveldb_block_of(LevelDbPolicy::kBuiltIn, contents, options);
}

Result<LevelDbFilterBlock> decode_leveldb_block_of(LevelDbPolicy policy, ByteView contents,
                                                   const DecodeOptions& options) {
  if (contents.size() < LevelDbFilterBlock::kTailBytes)
    return Error{
        ErrorCode::kTruncated,
        message("a LevelDB filter block has at least 5 bytes, and there are ", contents.size())};
  if (contents.size() > options.limits.max_bytes)
    return Error{ErrorCode::kTooLarge,
                 message("the filter block has ", contents.size(), " bytes, and the limit is ",
                         options.limits.max_bytes)};
  ByteReader tail{contents.last(LevelDbFilterBlock::kTailBytes)};
  const auto array_offset = tail.le<std::uint32_t>();
  const auto base_lg = tail.le<std::uint8_t>();
  if (array_offset > contents.size() - LevelDbFilterBlock::kTailBytes)
    return Error{ErrorCode::kMalformed,
                 message("the filter block says its offsets start at byte ", array_offset,
                         ", and it has ", contents.size(), " bytes")};
  if (base_lg > 63)
    return Error{ErrorCode::kMalformed,
                 message("the filter block has a filter for each 2^", +base_lg,
                         " bytes of its table, and no table is that long")};
  return LevelDbFilterBlock{{contents.begin(), contents.end()}, policy};
}

std::vector<std::byte> encode_leveldb_block(const LevelDbFilterBlock& block) {
  return {block.contents().begin(), block.contents().end()};
}

Result<LevelDbFilterBlock> create_leveldb_block(const CreateOptions& options) {
  if (options.base_lg > 63)
    return Error{ErrorCode::kInvalidArgument,
                 message("base_lg is at most 63, and ", options.base_lg, " was given")};
  const auto shape = leveldb_shape_for(options);
  if (!shape) return shape.error();
  const std::uint64_t filter_bytes = shape->bits / 8 + 1;
  if (filter_bytes > UINT32_MAX)
    return Error{ErrorCode::kInvalidArgument,
                 "the filters of a LevelDB filter block have at most 2^32 bytes together"};
  std::vector<std::byte> filter(static_cast<std::size_t>(filter_bytes));
  filter.back() = static_cast<std::byte>(shape->probes);
  ByteWriter writer;
  writer.put(filter);
  writer.le(std::uint32_t{0});
  writer.le(static_cast<std::uint32_t>(filter_bytes));
  writer.le(static_cast<std::uint8_t>(options.base_lg));
  DecodeOptions decode;
  decode.limits.max_bytes = writer.size();
  return decode_leveldb_block(writer.take(), decode);
}

std::vector<LayerDescription> describe_layers(const LevelDbFilterBlock& block) {
  std::vector<LayerDescription> layers;
  const std::size_t with_keys = count_with_keys(block);
  if (with_keys > kMostTables) {
    const Sum sum = summed(block);
    layers.push_back({message(with_keys, " filters"), sum.bits, sum.probes,
                      sum.bits / 8 + with_keys, std::nullopt, std::nullopt, block.health_of_one()});
    return layers;
  }
  for (std::size_t i = 0; i < block.filter_count(); ++i) {
    const auto filter = block.filter_at(i);
    if (!filter || filter->size() < 2) continue;
    const Shape shape = block.shape_of(*filter);
    layers.push_back({message("filter ", i), shape.bits, shape.probes, filter->size(), std::nullopt,
                      std::nullopt, health_of(block, *filter)});
  }
  return layers;
}

Description describe(const LevelDbFilterBlock& block) {
  const Sum sum = summed(block);
  Description description;
  description.format = "leveldb:block";
  description.layout = "container";
  description.dialect =
      block.policy() == LevelDbPolicy::kBuiltIn ? LevelDb::kName : kLevelDbPolicyName;
  description.bits = sum.bits;
  description.probes = sum.probes;
  description.bytes = block.contents().size();
  description.health = block.health();
  description.layers = describe_layers(block);
  if (block.filter_count() > 1)
    description.notes.push_back(
        message("a key is asked from all ", block.filter_count(),
                " filters, because the block alone does not say which data block would hold it; "
                "the rate shown is theirs together"));
  return description;
}

}  // namespace bloomery
