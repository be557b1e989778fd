// bloomery index query: which filters of an index may hold each key.
#include <cmath>
#include <exception>
#include <filesystem>
#include <iostream>
#include <memory>
#include <system_error>
#include <thread>

#include "apps/cli/filters/record_command.h"
#include "apps/cli/filters/summary.h"
#include "apps/cli/index/command.h"
#include "apps/cli/shell/json.h"
#include "apps/cli/shell/standard_output.h"
#include "bloomery/base/message.h"

namespace bloomery::cli {
namespace {

struct IndexQueryOptions {
  std::string index;
  std::vector<std::string> keys;   // of the command line
  std::vector<std::string> files;  // of --keys-from
  RecordOptions records;
  FormatOptions secret;
  bool count = false;
  bool any = false;
  bool all = false;
  std::optional<double> least;

  bool prints_filters() const { return any || all || least.has_value(); }
};

constexpr std::size_t kKeysPerThread = 64;  // below this many a thread costs more than it saves

// Each part's answers, one after the other.
class Lookup {
 public:
  Lookup(const IndexView& index, std::uint32_t threads) : index_{index}, threads_{threads} {}

  void find(std::span<const ByteView> keys) {
    const std::size_t parts =
        std::max<std::size_t>(1, std::min<std::size_t>(threads_, keys.size() / kKeysPerThread));
    share_ = std::max<std::size_t>(1, (keys.size() + parts - 1) / parts);
    answers_.resize(parts);
    std::vector<std::exception_ptr> failed(parts);  // memory
    std::vector<std::jthread> others;
    others.reserve(parts);
    std::size_t part = 1;
    try {
      for (; part < parts; ++part)
        others.emplace_back([this, part, some = part_of(keys, part), &error = failed[part]] {
          try {
            index_.find(some, answers_[part]);
          } catch (...) {
            error = std::current_exception();
          }
        });
    } catch (const std::system_error&) {  // no more threads: this one does the rest
      for (; part < parts; ++part) index_.find(part_of(keys, part), answers_[part]);
    }
    index_.find(part_of(keys, 0), answers_[0]);
    others.clear();
    for (const std::exception_ptr& error : failed)
      if (error) std::rethrow_exception(error);
  }
  std::span<const std::uint64_t> operator[](std::size_t key) const {
    return answers_[key / share_][key % share_];
  }

 private:
  std::span<const ByteView> part_of(std::span<const ByteView> keys, std::size_t part) const {
    const std::size_t from = std::min(keys.size(), part * share_);
    return keys.subspan(from, std::min(share_, keys.size() - from));
  }

  const IndexView& index_;
  std::uint32_t threads_;
  std::size_t share_ = 1;
  std::vector<IndexAnswers> answers_;
};

class IndexQuery {
 public:
  IndexQuery(const IndexQueryOptions& options, const IndexView& index, const Globals& globals)
      : options_{options}, index_{index}, globals_{globals}, lookup_{index, globals.threads} {
    if (options.prints_filters()) held_.resize(static_cast<std::size_t>(index.columns()));
  }

  Result<bool> operator()(const Batch& batch) {
    // Few at a time: where every filter holds every key, the answers are long.
    constexpr std::size_t kPiece = 4096;
    for (std::size_t from = 0; from < batch.keys.size(); from += kPiece) {
      const auto some = batch.keys.subspan(from, std::min(kPiece, batch.keys.size() - from));
      lookup_.find(some);
      for (std::size_t i = 0; i < some.size(); ++i) use(batch.records[from + i], lookup_[i]);
      if (auto written = write_out(); !written) return written.error();
    }
    return true;
  }

  // What is known only once all keys are.
  Status finish(const StreamTotals& totals) {
    if (options_.prints_filters()) append_filters();
    if (globals_.json) {
      begin_json();
      out_ += "],";
      const Json rest{{"keys", keys_},
                      {"filters", index_.filters()},
                      {"hits", hits_},
                      {"skipped", totals.skipped},
                      {"seconds", totals.seconds}};
      out_ += rest.dump().substr(1) + "\n";
    }
    return write_out();
  }
  bool has_selected() const { return selected_; }

 private:
  void use(ByteView record, std::span<const std::uint64_t> columns) {
    ++keys_;
    hits_ += columns.size();
    if (options_.prints_filters()) {
      for (const std::uint64_t column : columns) ++held_[static_cast<std::size_t>(column)];
      return;
    }
    selected_ |= !columns.empty();
    if (globals_.json) return append_json(record, columns);
    if (options_.count) {
      append_line(text_of(record), std::to_string(columns.size()));
      return;
    }
    for (const std::uint64_t column : columns)
      append_line(text_of(record), index_.filter(column).name);
  }

  void append_json(ByteView record, std::span<const std::uint64_t> columns) {
    Json json{{"key", text_of(record)}};
    if (options_.count) {
      json["count"] = Json(std::uint64_t{columns.size()});
    } else {
      json["filters"] = Json::array();
      for (const std::uint64_t column : columns)
        json["filters"].push_back(index_.filter(column).name);
    }
    append_element(json);
  }

  void append_filters() {
    const std::uint64_t least = least_keys();
    std::uint64_t filters = 0;
    for (std::uint64_t column = 0; column < index_.columns(); ++column) {
      const std::uint64_t held = held_[static_cast<std::size_t>(column)];
      if (keys_ == 0 || held < least || index_.is_deleted(column)) continue;
      ++filters;
      const std::string_view name = index_.filter(column).name;
      if (options_.count) continue;
      if (globals_.json)
        append_element(Json{{"name", name}, {"held", held}});
      else
        append_line(name, std::to_string(held));
    }
    selected_ = filters > 0;
    if (options_.count && !globals_.json) out_ += std::to_string(filters) + "\n";
  }

  // How many of the keys a filter must hold.
  std::uint64_t least_keys() const {
    if (options_.all) return keys_;
    if (!options_.least) return 1;
    // A share of a number may come out next to a whole number that it is.
    constexpr double kSlack = 1e-9;
    const double share = *options_.least * static_cast<double>(keys_);
    return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::ceil(share - kSlack)));
  }

  void append_line(std::string_view first, std::string_view second) {
    out_ += first;
    out_ += '\t';
    out_ += second;
    out_ += static_cast<char>(options_.records.delimiter);
  }
  void begin_json() {
    if (!has_begun_) out_ += "{\"results\":[";
    has_begun_ = true;
  }
  void append_element(const Json& json) {
    if (has_begun_)
      out_ += ',';
    else
      begin_json();
    out_ += json.dump();
  }

  Status write_out() {
    if (out_.empty()) return ok();
    std::cout.write(out_.data(), static_cast<std::streamsize>(out_.size())).flush();
    out_.clear();
    if (std::cout) return ok();
    return Error{ErrorCode::kIo, output_failure()};
  }

  const IndexQueryOptions& options_;
  const IndexView& index_;
  const Globals& globals_;
  Lookup lookup_;
  std::uint64_t keys_ = 0;
  std::uint64_t hits_ = 0;  // pairs of a key and a filter
  bool selected_ = false;
  bool has_begun_ = false;
  std::vector<std::uint64_t> held_;  // keys of each column
  std::string out_;
};

// The keys of the command line, in one batch.
Result<StreamTotals> use_arguments(const IndexQueryOptions& options, KeyReader& reader,
                                   IndexQuery& query) {
  std::vector<ByteView> records;
  for (const std::string& key : options.keys) records.push_back(bytes_of(key));
  const auto keys = reader.keys(records);
  if (!keys)
    return Error{keys.error().code,
                 message("the key ", options.keys[reader.failed()], ": ", keys.error().message)};
  const auto asked = query({.first_number = 1, .records = records, .keys = *keys});
  if (!asked) return asked.error();
  return StreamTotals{.records = records.size()};
}

// A file of keys is easily named where a key belongs, and its name would be answered as one.
void warn_of_files(const IndexQueryOptions& options) {
  for (const std::string& key : options.keys) {
    std::error_code unknown;
    if (!std::filesystem::is_regular_file(key, unknown)) continue;
    warn("", message(key, " is taken as a key; --keys-from ", key, " reads the file"));
  }
}

Status check_arguments(const IndexQueryOptions& options) {
  if (options.keys.empty()) return ok();
  if (!options.files.empty() || options.records.sources.names_files())
    return usage_error("keys are given on the command line and in files; give them in one way");
  const RecordOptions& records = options.records;
  if (records.csv || records.json_key || !records.fields.empty() || !records.input.column.empty() ||
      records.missing == MissingKey::kSkip)
    return usage_error(
        "a key on the command line is whole: options that choose a part of records "
        "need --keys-from FILE");
  return ok();
}

void run(IndexQueryOptions& options, const CommandLine& app, Session& session) {
  const auto stop = [&](const Error& error) {
    session.exit_code = complain("", error, Blame::kArguments);
  };
  if (auto fits = check_arguments(options); !fits) return stop(fits.error());
  if (options.keys.empty() && lacks_input(options.files, options.records, app, session)) return;
  std::vector<InputFile> inputs;
  if (options.keys.empty()) {
    auto found = find_inputs(options.files, options.records);
    if (!found) return stop(found.error());
    inputs = std::move(*found);
    if (auto other = refuse_own_output(1, inputs); !other) return stop(other.error());
  }
  const auto index = open_index(options.index, options.secret, session);
  if (!index) return;
  warn_of_files(options);
  if (auto fits = check_funnel(options.records, "bloomery"); !fits) return stop(fits.error());
  if (auto fits = adopt_funnel(options.records, index->view().funnel()); !fits)
    return stop(fits.error());
  KeyReader reader{options.records, byte_order_of("bloomery")};
  IndexQuery query{options, index->view(), session.globals};
  const auto totals = options.keys.empty()
                          ? for_each_batch(inputs, reader, session.globals, {std::ref(query)})
                          : use_arguments(options, reader, query);
  if (!totals) return stop(totals.error());
  if (auto intact = index->check_size(); !intact) {
    session.exit_code = complain(options.index, intact.error(), Blame::kFilterFile);
    return;
  }
  if (auto finished = query.finish(*totals); !finished) return stop(finished.error());
  if (totals->skipped > 0 && !session.globals.quiet)
    std::cerr << "bloomery: " << skipped_sentence(totals->skipped) << '\n';
  if (totals->malformed.value_or(0) > 0 && !session.globals.quiet)
    std::cerr << "bloomery: " << malformed_sentence(*totals->malformed) << '\n';
  session.exit_code = query.has_selected() ? kExitSuccess : kExitNothingSelected;
}

}  // namespace

void attach_index_query(CommandLine& subcommand, Session& session) {
  auto options = std::make_shared<IndexQueryOptions>();
  subcommand.examples(
      "Examples:\n"
      "  bloomery index query days.bloomindex alice@example.org   which days may have it\n"
      "  bloomery index query --keys-from suspects.txt days.bloomindex\n"
      "  zcat keys.gz | bloomery index query -c days.bloomindex   how many filters for each key\n"
      "  bloomery index query --all days.bloomindex key1 key2     filters that may hold both\n"
      "  bloomery index query --min 0.8 --keys-from kmers.txt genomes.bloomindex\n");
  add_index_argument(subcommand, options->index, "The index");
  subcommand.add_list("KEY", options->keys, "The keys (default: records of --keys-from or stdin)");
  subcommand
      .add_list("--keys-from", options->files,
                "File of records, plain or compressed, whose keys are looked up; - is stdin. May "
                "be repeated")
      ->value_name("FILE");
  constexpr const char* kGroup = "Output";
  subcommand
      .add_flag("-c,--count", options->count,
                "Print the number of filters for each key, in place of their names; with --any, "
                "--all or --min, only the number of filters")
      ->group(kGroup);
  auto* any = subcommand.add_flag(
      "--any", options->any,
      "Print the filters that may hold at least one of the keys, each with the number of them");
  any->group(kGroup);
  auto* all = subcommand.add_flag("--all", options->all,
                                  "Likewise, only filters that may hold all of the keys");
  all->excludes(any)->group(kGroup);
  subcommand
      .add_probability("--min", options->least,
                       "Likewise, only filters that may hold this share of the keys: 0.8, 80%")
      ->excludes(any)
      ->excludes(all)
      ->value_name("SHARE")
      ->group(kGroup);
  add_record_options(subcommand, options->records);
  options->records.input.consumer = "bloomery index query INDEX";
  subcommand
      .add_option("--secret-file", options->secret.secret_file,
                  "File with the secret of keyed filters")
      ->value_name("FILE")
      ->group("Filter file");
  subcommand.action([options, &subcommand, &session] { run(*options, subcommand, session); });
}

}  // namespace bloomery::cli
