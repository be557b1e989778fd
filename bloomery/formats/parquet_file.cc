#include "bloomery/formats/parquet_file.h"

#include <algorithm>

#include "bloomery/formats/parquet/footer.h"
#include "bloomery/formats/parquet/table.h"
#include "bloomery/formats/thrift_compact.h"

namespace bloomery {
namespace {

constexpr std::size_t kMostColumns = 64;

std::string dotted(ThriftReader& reader) {
  std::string path;
  bool first = true;
  reader.read_list([&](ThriftType type) {
    if (type != ThriftType::kBinary) return false;
    if (!first) path += '.';
    first = false;
    path += text_of(reader.read_binary());
    return true;
  });
  return path;
}

std::optional<std::uint64_t> read_unsigned(ThriftReader& reader) {
  const std::int64_t value = reader.read_integer();
  // A negative place is nowhere: kept as one that no file reaches, and so reported.
  return value < 0 ? UINT64_MAX : static_cast<std::uint64_t>(value);
}

void read_column_metadata(ThriftReader& reader, ParquetColumnChunk& chunk) {
  reader.read_struct([&](std::int64_t id, ThriftType type) {
    if (id == 3 && type == ThriftType::kList) {
      chunk.column = dotted(reader);
      return true;
    }
    if (id == 14 && type == ThriftType::kI64) {
      chunk.offset = read_unsigned(reader);
      return true;
    }
    if (id == 15 && type == ThriftType::kI32) {
      chunk.length = read_unsigned(reader);
      return true;
    }
    return false;
  });
}

// Counts what is kept: many columns may point to one filter, and few bytes may name many columns.
struct ColumnBudget {
  std::uint64_t limit;
  std::uint64_t spent = 0;
  bool spend(std::uint64_t bytes) {
    spent += bytes;
    return spent <= limit;
  }
  Error exceeded() const {
    return {ErrorCode::kTooLarge, message("the filters and columns of the Parquet file take more "
                                          "than the limit of ",
                                          limit, " bytes")};
  }
};

// FileMetaData field 4, a list of RowGroup; its field 1 a list of ColumnChunk; its field 3 the
// metadata.
class FooterReader {
 public:
  FooterReader(ByteView footer, ColumnBudget& budget) : reader_{footer}, budget_{budget} {}

  Status read(ParquetFile& file) {
    file_ = &file;
    reader_.read_struct([&](std::int64_t id, ThriftType type) {
      if (id != 4 || type != ThriftType::kList) return false;
      reader_.read_list([&](ThriftType element) { return row_group(element); });
      return true;
    });
    if (over_budget_) return budget_.exceeded();
    if (reader_.failed()) return reader_.error("the footer of a Parquet file");
    return ok();
  }

 private:
  bool row_group(ThriftType type) {
    if (type != ThriftType::kStruct) return false;
    reader_.read_struct([&](std::int64_t id, ThriftType field) {
      if (id != 1 || field != ThriftType::kList) return false;
      reader_.read_list([&](ThriftType element) { return column_chunk(element); });
      return true;
    });
    ++file_->row_groups;
    return true;
  }

  bool column_chunk(ThriftType type) {
    if (type != ThriftType::kStruct || over_budget_) return false;
    ParquetColumnChunk chunk;
    chunk.row_group = file_->row_groups;
    reader_.read_struct([&](std::int64_t id, ThriftType field) {
      if (id != 3 || field != ThriftType::kStruct) return false;
      read_column_metadata(reader_, chunk);
      return true;
    });
    over_budget_ = !budget_.spend(sizeof chunk + chunk.column.size());
    if (!over_budget_) file_->chunks.push_back(std::move(chunk));
    return true;
  }

  ThriftReader reader_;
  ColumnBudget& budget_;
  ParquetFile* file_ = nullptr;
  bool over_budget_ = false;
};

// A filter that cannot be read is no error of the file: the format says to ignore it.
Status read_filter(ByteView file, ParquetColumnChunk& chunk, ColumnBudget& budget) {
  if (!chunk.offset) return ok();
  if (*chunk.offset >= file.size()) {
    chunk.why_no_filter =
        message("its filter would lie at byte ", *chunk.offset, " of a file of ", file.size());
    return ok();
  }
  const ByteView from = file.subspan(static_cast<std::size_t>(*chunk.offset));
  const auto header = read_parquet_header(from);
  if (!header) {
    chunk.why_no_filter = header.error().message;
    return ok();
  }
  if (chunk.length && *chunk.length != header->header_bytes + header->filter_bytes) {
    chunk.why_no_filter = message("its filter has ", header->header_bytes + header->filter_bytes,
                                  " bytes, and the footer says ", *chunk.length);
    return ok();
  }
  if (!budget.spend(header->filter_bytes)) return budget.exceeded();
  auto filter = decode_parquet_prefix(from, {.max_bytes = ParquetFilter::kMostBytes});
  if (filter) {
    chunk.filter = std::move(*filter);
  } else {
    chunk.why_no_filter = filter.error().message;
  }
  return ok();
}

// Filters can be read where the schema cannot.
std::vector<ColumnDescription> columns_of(ByteView file, DecodeLimits limits) {
  const auto table = read_parquet_table(file, limits);
  if (!table) return {};
  std::vector<ColumnDescription> columns;
  for (std::size_t i = 0; i < table->columns.size(); ++i)
    columns.push_back({table->columns[i].path, type_in_words(table->columns[i]), table->values(i)});
  return columns;
}

// The chunks that a question is about.
std::vector<const ParquetColumnChunk*> asked_chunks(const ParquetFile& file) {
  const auto names =
      file.column.empty() ? file.columns_with_filters() : std::vector<std::string>{file.column};
  std::vector<const ParquetColumnChunk*> asked;
  for (const auto& chunk : file.chunks)
    if (std::ranges::binary_search(names, chunk.column)) asked.push_back(&chunk);
  return asked;
}

LayerDescription layer_of(const ParquetColumnChunk& chunk) {
  return {message("row group ", chunk.row_group, ", ", chunk.column),
          chunk.filter->size_bits(),
          split_block::kWordsPerBlock,
          chunk.filter->size_bytes(),
          std::nullopt,
          std::nullopt,
          chunk.filter->health()};
}

}  // namespace

ParquetColumnChunk ParquetColumnChunk::clone() const {
  ParquetColumnChunk copy;
  copy.row_group = row_group;
  copy.column = column;
  copy.offset = offset;
  copy.length = length;
  copy.why_no_filter = why_no_filter;
  if (filter) copy.filter = filter->clone();
  return copy;
}

ParquetFile ParquetFile::clone() const {
  ParquetFile copy;
  copy.row_groups = row_groups;
  copy.file_bytes = file_bytes;
  copy.columns = columns;
  copy.column = column;
  for (const auto& chunk : chunks) copy.chunks.push_back(chunk.clone());
  return copy;
}

bool ParquetFile::has_column(std::string_view name) const {
  return std::ranges::any_of(chunks, [&](const auto& chunk) { return chunk.column == name; });
}

std::vector<std::string> ParquetFile::columns_with_filters() const {
  std::vector<std::string> names;
  for (const auto& chunk : chunks)
    if (chunk.filter) names.push_back(chunk.column);
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

void ParquetFile::may_contain_batch(std::span<const ByteView> keys,
                                    std::span<std::uint8_t> answers) const {
  const auto asked = asked_chunks(*this);
  const bool unknown =
      asked.empty() || std::ranges::any_of(asked, [](const auto* chunk) { return !chunk->filter; });
  std::ranges::fill(answers, std::uint8_t{unknown});
  if (unknown) return;
  std::vector<std::uint8_t> of_one(keys.size());
  for (const auto* chunk : asked) {
    chunk->filter->may_contain_batch(keys, of_one);
    for (std::size_t i = 0; i < keys.size(); ++i) answers[i] |= of_one[i];
  }
}

bool ParquetFile::may_contain(ByteView key) const {
  std::uint8_t answer = 0;
  may_contain_batch({&key, 1}, {&answer, 1});
  return answer == 1;
}

Health ParquetFile::health() const {
  Health all{0, 0, 0, Verdict::kOk};
  double bits = 0;
  double ones = 0;
  double all_say_no = 1;
  const auto asked = asked_chunks(*this);
  if (asked.empty()) all_say_no = 0;
  for (const auto* chunk : asked) {
    if (!chunk->filter) {
      all_say_no = 0;
      continue;
    }
    const Health one = chunk->filter->health();
    bits += static_cast<double>(chunk->filter->size_bits());
    ones += one.fill * static_cast<double>(chunk->filter->size_bits());
    all.estimated_keys += one.estimated_keys;
    all.sampled |= one.sampled;
    all_say_no *= 1 - one.error_rate;
  }
  all.fill = bits > 0 ? ones / bits : 0;
  all.error_rate = 1 - all_say_no;
  all.verdict = judge(all.fill, all.error_rate, std::nullopt);
  return all;
}

bool looks_like_parquet_file(ByteView bytes) {
  return bytes.size() >= kParquetMagic.size() &&
         text_of(bytes.first(kParquetMagic.size())) == kParquetMagic;
}

Result<ParquetFile> decode_parquet_file(ByteView file, const DecodeOptions& options) {
  const auto footer = parquet_footer(file);
  if (!footer) return footer.error();
  ColumnBudget budget{options.limits.max_bytes};
  ParquetFile read;
  read.file_bytes = file.size();
  if (auto done = FooterReader{*footer, budget}.read(read); !done) return done.error();
  for (auto& chunk : read.chunks)
    if (auto done = read_filter(file, chunk, budget); !done) return done.error();
  read.columns = columns_of(file, {options.limits.max_bytes - budget.spent});
  return read;
}

Description describe(const ParquetFile& file) {
  Description description;
  description.format = "parquet";
  description.layout = "container";
  description.dialect = ParquetFilter::kDialect;
  description.probes = split_block::kWordsPerBlock;
  description.health = file.health();
  std::uint64_t bits = 0;
  std::size_t filters = 0;
  for (const auto& chunk : file.chunks) {
    if (!chunk.why_no_filter.empty() && description.notes.size() < kMostColumns)
      description.notes.push_back(message("the filter of column ", chunk.column, " in row group ",
                                          chunk.row_group, " is ignored: ", chunk.why_no_filter));
    if (!chunk.filter) continue;
    bits += chunk.filter->size_bits();
    if (++filters <= kMostColumns) description.layers.push_back(layer_of(chunk));
  }
  description.columns = file.columns;
  description.bits = bits;
  description.bytes = bits / 8;
  if (filters > kMostColumns)
    description.layers = {{message(filters, " filters"), bits, split_block::kWordsPerBlock,
                           bits / 8, std::nullopt, std::nullopt, file.health()}};
  description.notes.push_back(message("a Parquet file of ", file.row_groups, " row groups with ",
                                      filters, " filters; a column without one is not asked"));
  return description;
}

}  // namespace bloomery
