#include "apps/ethlog/serve/server_snapshot.h"

#include <algorithm>

#include "apps/ethlog/json/rpc_json.h"
#include "apps/ethlog/search/sources.h"
#include "bloomery/base/message.h"

namespace bloomery::ethlog {
namespace {

namespace fs = std::filesystem;

std::uint64_t bytes_in(const fs::path& folder) {
  std::uint64_t bytes = 0;
  std::error_code failed;
  for (fs::recursive_directory_iterator at{folder, failed}, end; !failed && at != end;
       at.increment(failed)) {
    std::error_code gone;  // a file that LevelDB has just removed
    const auto size = at->is_regular_file(gone) ? at->file_size(gone) : 0;
    if (!gone) bytes += size;
  }
  return bytes;
}

Status gather_head(const ChainReader& reader, ServerSnapshot& snapshot) {
  const auto head = reader.head();
  if (!head) return head.error();
  snapshot.head = *head;
  if (!*head) return ok();
  const auto header = reader.header(**head);
  if (!header) return header.error();
  if (*header) snapshot.head_hash = (*header)->hash;
  if (*header) snapshot.head_time = (*header)->timestamp;
  const auto lowest = reader.lowest();
  if (!lowest) return lowest.error();
  snapshot.lowest = *lowest;
  return ok();
}

Status gather_indexes(const ChainReader& reader, ServerSnapshot& snapshot) {
  const auto size = section_size_of(reader);
  if (!size) return size.error();
  snapshot.section_size = *size;
  const auto sources = sources_of(reader);
  if (!sources) return sources.error();
  for (const CandidateSource& source : *sources) {
    IndexCoverage& index =
        snapshot.indexes.emplace_back(IndexCoverage{std::string{source.name}, 0});
    for (BlockRange rest{0, snapshot.head.value_or(0)};;) {
      const auto covered = source.covered(rest);
      if (!covered) return covered.error();
      if (!*covered) break;
      index.blocks += (*covered)->last - (*covered)->first + 1;
      if ((*covered)->last >= rest.last) break;
      rest.first = (*covered)->last + 1;
    }
  }
  return ok();
}

// A metric's head is written once, and the values of all chains follow it.
class Metrics {
 public:
  // Of which chain the values are from now on; empty: of the server.
  void begin_chain(std::string_view name) {
    chain_ = name.empty() ? std::string{} : message("chain=\"", name, "\"");
  }
  void head(std::string_view name, std::string_view type, std::string_view help) {
    if (find(name) != nullptr) return;
    metrics_.push_back({std::string{name}, message("# HELP bloomery_", name, " ", help,
                                                   "\n# TYPE bloomery_", name, " ", type, "\n")});
  }
  template <class Number>
  void value(std::string_view name, std::string_view label, const Number& number) {
    std::string labels = chain_;
    if (!labels.empty() && !label.empty()) labels += ',';
    labels += label;
    find(name)->text += message(
        "bloomery_", name, labels.empty() ? std::string{} : "{" + labels + "}", " ", number, "\n");
  }
  template <class Number>
  void one(std::string_view name, std::string_view type, std::string_view help,
           const Number& number) {
    head(name, type, help);
    value(name, "", number);
  }
  std::string text() const {
    std::string all;
    for (const Metric& metric : metrics_) all += metric.text;
    return all;
  }

 private:
  struct Metric {
    std::string name, text;
  };
  Metric* find(std::string_view name) {
    const auto at =
        std::ranges::find_if(metrics_, [&](const Metric& one) { return one.name == name; });
    return at == metrics_.end() ? nullptr : &*at;
  }
  std::vector<Metric> metrics_;
  std::string chain_;
};

std::string label(std::string_view name, std::string_view value) {
  return message(name, "=\"", value, "\"");
}

std::uint64_t blocks_in(const std::vector<BlockRange>& ranges) {
  std::uint64_t blocks = 0;
  for (const BlockRange& range : ranges) blocks += range.last - range.first + 1;
  return blocks;
}

void add_chain(Metrics& out, const ServerSnapshot& snapshot) {
  if (snapshot.head) out.one("head_block", "gauge", "Number of the newest block.", *snapshot.head);
  if (snapshot.head_time)
    out.one("head_timestamp_seconds", "gauge", "Time of the newest block.", *snapshot.head_time);
  if (snapshot.lowest)
    out.one("lowest_block", "gauge", "Number of the lowest block.", *snapshot.lowest);
  if (snapshot.counts) {
    out.one("blocks", "gauge", "Canonical blocks in the store.", snapshot.counts->blocks);
    out.one("missing_blocks", "gauge", "Blocks missing below the head.", snapshot.counts->gaps);
    out.one("lost_blocks", "gauge", "Blocks that were imported and are not there any more.",
            blocks_in(snapshot.lost));
    out.one("unverified_blocks", "gauge", "Blocks without a header that could be checked.",
            snapshot.counts->unverified);
  }
  out.head("indexed_blocks", "gauge", "Blocks that an index covers.");
  for (const IndexCoverage& index : snapshot.indexes)
    out.value("indexed_blocks", label("index", index.name), index.blocks);
  out.one("disk_bytes", "gauge", "Bytes of the chain's folder.", snapshot.disk_bytes);
  out.one("reorganisations_total", "counter", "Times that blocks were displaced.",
          snapshot.reorganisations);
}

void add_follow(Metrics& out, const FollowCounts& follow) {
  out.one("followed_blocks_total", "counter", "Blocks read from what is followed.", follow.blocks);
  out.one("stored_blocks_total", "counter", "Of them, blocks that were new.", follow.stored);
  out.one("displaced_blocks_total", "counter", "Blocks that lost their place.", follow.displaced);
  out.one("follow_errors_total", "counter", "Blocks and files that could not be taken.",
          follow.errors);
  out.one("sections_made_total", "counter", "Sections that were indexed.", follow.sections);
}

void add_calls(Metrics& out, const ServerSnapshot& snapshot) {
  const auto rows = [&](std::string_view name, std::string_view help, const auto& number_of) {
    out.head(name, "counter", help);
    for (const auto& [method, counts] : snapshot.methods)
      out.value(name, label("method", method), number_of(counts));
  };
  rows("rpc_calls_total", "Calls by method.", [](const MethodCounts& one) { return one.calls; });
  rows("rpc_errors_total", "Calls that ended in an error.",
       [](const MethodCounts& one) { return one.errors; });
  rows("rpc_seconds_total", "Time that calls took.",
       [](const MethodCounts& one) { return std::chrono::duration<double>(one.time).count(); });
  const QueryTotals& totals = snapshot.totals;
  out.one("queries_total", "counter", "Searches for logs.", totals.queries);
  out.one("query_logs_total", "counter", "Logs that were found.", totals.cost.logs);
  out.one("query_candidates_total", "counter", "Blocks that an index named.",
          totals.cost.candidates);
  out.one("query_header_blooms_total", "counter", "Header blooms tested.",
          totals.cost.header_blooms);
  out.one("query_blocks_read_total", "counter", "Blocks whose receipts were read.",
          totals.cost.blocks_read);
  out.one("query_false_positives_total", "counter", "Of them, blocks without a match.",
          totals.cost.false_positives);
  out.one("query_index_bytes_total", "counter", "Bytes of indexes that were read.",
          totals.cost.index.bytes);
  out.one("query_sections_total", "counter", "Sections of indexes that were searched.",
          totals.cost.index.sections);
  out.one("query_sections_threaded_total", "counter", "Of them, sections read ahead by threads.",
          totals.cost.index.sections_threaded);
  out.one("query_vectors_total", "counter", "Vectors of indexes that were used.",
          totals.cost.index.vectors);
  out.one("query_vectors_shared_total", "counter",
          "Of them, vectors that another search had fetched.", totals.cost.index.vectors_shared);
  if (const auto rate = totals.real_rate())
    out.one("real_false_positive_rate", "gauge", "Of blocks without a match, those let through.",
            *rate);
}

}  // namespace

void snapshot_chain(const LiveChain& chain, const fs::path& folder, ServerSnapshot& snapshot) {
  snapshot.chain_id = chain.chain_id();
  snapshot.counts = chain.counts();
  snapshot.reorganisations = chain.reorganisations();
  snapshot.lost = chain.reader().lost();
  Status gathered = gather_head(chain.reader(), snapshot);
  if (gathered) gathered = gather_indexes(chain.reader(), snapshot);
  if (!gathered) snapshot.error = gathered.error();
  snapshot.disk_bytes = bytes_in(folder);
}

std::string metrics_text(std::span<const ServerSnapshot> chains) {
  Metrics out;
  const auto of_each = [&](const auto& add) {
    for (const ServerSnapshot& snapshot : chains) {
      out.begin_chain(snapshot.name);
      add(snapshot);
    }
    out.begin_chain({});
  };
  of_each([&](const ServerSnapshot& snapshot) {
    out.one("up", "gauge", "Whether the chain can be read.", snapshot.error ? 0 : 1);
  });
  const ServerSnapshot& any = chains.front();
  out.one("uptime_seconds", "gauge", "Since the start.", any.uptime.count());
  of_each([&](const ServerSnapshot& snapshot) {
    add_chain(out, snapshot);
    add_follow(out, snapshot.follow.value_or(FollowCounts{}));
    out.one("filters", "gauge", "Filters that are polled.", snapshot.filters);
    out.one("subscriptions", "gauge", "Subscriptions of WebSockets.", snapshot.subscriptions);
  });
  out.one("connections", "gauge", "Open connections.", any.http.connections);
  out.one("web_sockets", "gauge", "Open WebSockets.", any.http.web_sockets);
  out.one("http_requests_total", "counter", "Requests answered.", any.http.requests);
  out.one("http_refused_total", "counter", "Refused by a limit, a Host or an Origin.",
          any.http.refused);
  of_each([&](const ServerSnapshot& snapshot) { add_calls(out, snapshot); });
  return out.text();
}

std::string health_text(const ServerSnapshot& snapshot) {
  std::string out = snapshot.is_healthy() ? R"({"status":"ok")" : R"({"status":"failing")";
  out += message(",\"chainId\":", snapshot.chain_id);
  if (snapshot.head) out += message(",\"head\":", *snapshot.head);
  if (snapshot.head_time) out += message(",\"headTimestamp\":", *snapshot.head_time);
  const std::string problem = snapshot.error ? snapshot.error->message
                              : !snapshot.lost.empty()
                                  ? message("the chain lost ", text_of_ranges(snapshot.lost),
                                            ", which had been imported; import again what is "
                                            "missing")
                              : snapshot.follow ? snapshot.follow->last_error
                                                : std::string{};
  if (!problem.empty()) {
    out += ",\"problem\":";
    append_json_text(out, problem);
  }
  return out + "}\n";
}

std::string health_text(std::span<const ServerSnapshot> chains) {
  std::string all;
  bool is_healthy = true;
  for (const ServerSnapshot& snapshot : chains) {
    is_healthy = is_healthy && snapshot.is_healthy();
    if (!all.empty()) all += ',';
    append_json_text(all, snapshot.name);
    const std::string one = health_text(snapshot);
    all += ":" + one.substr(0, one.size() - 1);  // without the line's end
  }
  return message(R"({"status":")", is_healthy ? "ok" : "failing", R"(","chains":{)", all, "}}\n");
}

}  // namespace bloomery::ethlog
