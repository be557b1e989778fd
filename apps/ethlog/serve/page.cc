#include "apps/ethlog/serve/page.h"

#include <array>
#include <cstdio>
#include <ctime>

#include "bloomery/base/message.h"

namespace bloomery::ethlog {
namespace {

constexpr std::string_view kHead =
    "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
    "<meta name=\"viewport\" content=\"width=device-width\">"
    "<meta http-equiv=\"refresh\" content=\"15\"><title>bloomery eth</title><style>"
    ":root{color-scheme:light dark}"
    "body{font:15px/1.5 system-ui,sans-serif;max-width:70em;margin:2em auto;padding:0 1em}"
    "h1{font-size:1.4em}h2{font-size:1.1em;margin-top:1.6em}"
    "table{border-collapse:collapse}td,th{padding:.15em .9em .15em 0;text-align:left}"
    "th{font-weight:600}td.n,th.n{text-align:right;font-variant-numeric:tabular-nums}"
    "tr.bad td{color:#b3261e}code{word-break:break-all}.wide{overflow-x:auto}"
    "</style></head><body>\n";

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '"')
      out += "&quot;";
    else if (static_cast<unsigned char>(c) >= 0x20 && c != 0x7f)
      out += c;
  }
  return out;
}

std::string grouped(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t at = digits.size(); at > 3;) digits.insert(at -= 3, ",");
  return digits;
}

template <class... Arguments>
std::string formatted(const char* format, const Arguments&... arguments) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), format, arguments...);
  return text.data();
}

std::string bytes_text(std::uint64_t bytes) {
  const auto number = static_cast<double>(bytes);
  if (bytes >= std::uint64_t{1} << 30) return formatted("%.1f GiB", number / (1 << 30));
  if (bytes >= std::uint64_t{1} << 20) return formatted("%.1f MiB", number / (1 << 20));
  return formatted("%.1f KiB", number / (1 << 10));
}

std::string time_text(std::time_t seconds) {
  std::tm parts{};
  if (::gmtime_r(&seconds, &parts) == nullptr) return "-";
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M:%S", &parts);
  return text.data();
}

void row(std::string& out, std::string_view name, const std::string& value) {
  out += message("<tr><th>", escaped(name), "</th><td>", escaped(value), "</td></tr>\n");
}

void add_chain(std::string& out, const ServerSnapshot& snapshot) {
  out += "<h2>Chain</h2><table>\n";
  row(out, "chain id", std::to_string(snapshot.chain_id));
  if (snapshot.head) {
    row(out, "head", grouped(*snapshot.head));
    if (snapshot.head_hash) row(out, "its hash", snapshot.head_hash->hex());
    if (snapshot.head_time)
      row(out, "its time", time_text(static_cast<std::time_t>(*snapshot.head_time)) + " UTC");
    row(out, "blocks from", grouped(snapshot.lowest.value_or(0)));
  } else {
    row(out, "blocks", "none");
  }
  if (snapshot.counts) {
    row(out, "stored blocks", grouped(snapshot.counts->blocks));
    row(out, "missing", grouped(snapshot.counts->gaps));
    row(out, "unverified", grouped(snapshot.counts->unverified));
  }
  row(out, "on disk", bytes_text(snapshot.disk_bytes));
  if (snapshot.error) row(out, "problem", snapshot.error->message);
  out += "</table>\n<h2>Sections</h2><table>\n";
  for (const IndexCoverage& index : snapshot.indexes)
    row(out, index.name,
        message(grouped(snapshot.section_size == 0 ? 0 : index.blocks / snapshot.section_size),
                " sections of ", grouped(snapshot.section_size), " blocks: ", grouped(index.blocks),
                " blocks"));
  out += "</table>\n";
}

void add_follow(std::string& out, const ServerSnapshot& snapshot) {
  if (!snapshot.follow) return;
  out += "<h2>New blocks</h2><table>\n";
  row(out, "read", grouped(snapshot.follow->blocks));
  row(out, "stored", grouped(snapshot.follow->stored));
  row(out, "displaced",
      message(grouped(snapshot.follow->displaced), " in ", grouped(snapshot.reorganisations),
              " reorganisations"));
  row(out, "sections made", grouped(snapshot.follow->sections));
  row(out, "errors", grouped(snapshot.follow->errors));
  if (!snapshot.follow->last_error.empty()) row(out, "last error", snapshot.follow->last_error);
  out += "</table>\n";
}

void add_totals(std::string& out, const ServerSnapshot& snapshot) {
  const QueryTotals& totals = snapshot.totals;
  out += "<h2>Queries</h2><table>\n";
  row(out, "searches", grouped(totals.queries));
  row(out, "logs found", grouped(totals.cost.logs));
  row(out, "blocks read",
      message(grouped(totals.cost.blocks_read), ", of them without a match ",
              grouped(totals.cost.false_positives)));
  const auto rate = totals.real_rate();
  row(out, "real false-positive rate",
      rate ? message(formatted("%.4g", *rate), " (", grouped(totals.let_through), " of ",
                     grouped(totals.without_match), " blocks without a match)")
           : std::string{"not known yet"});
  const IndexCost& index = totals.cost.index;
  row(out, "index read", bytes_text(index.bytes));
  row(out, "sections searched",
      message(grouped(index.sections), ", of them by threads ", grouped(index.sections_threaded)));
  row(out, "vectors used",
      message(grouped(index.vectors), ", of them shared ", grouped(index.vectors_shared)));
  row(out, "filters, subscriptions",
      message(grouped(snapshot.filters), ", ", grouped(snapshot.subscriptions)));
  row(out, "connections, WebSockets",
      message(grouped(snapshot.http.connections), ", ", grouped(snapshot.http.web_sockets)));
  row(out, "requests, refused",
      message(grouped(snapshot.http.requests), ", ", grouped(snapshot.http.refused)));
  row(out, "running for",
      message(grouped(static_cast<std::uint64_t>(snapshot.uptime.count())), " s"));
  out += "</table>\n";
}

void add_query(std::string& out, const PastQuery& query) {
  const QueryReport& report = query.cost.report;
  const auto number = [&](const std::string& text) {
    out += "<td class=\"n\">" + escaped(text) + "</td>";
  };
  out += query.error != 0 ? "<tr class=\"bad\">" : "<tr>";
  out += "<td>" + time_text(std::chrono::system_clock::to_time_t(query.when)) + "</td>";
  number(report.range ? message(report.range->first, " to ", report.range->last) : "-");
  number(grouped(query.addresses));
  number(grouped(query.topics));
  number(grouped(report.indexed_blocks));
  number(grouped(report.header_blooms));
  number(grouped(report.blocks_read));
  number(grouped(report.false_positives));
  number(bytes_text(report.index.bytes));
  number(query.error != 0 ? message("error ", query.error) : grouped(report.logs));
  number(formatted("%.1f", std::chrono::duration<double, std::milli>(query.cost.time).count()));
  out += "</tr>\n";
}

void add_last_queries(std::string& out, const ServerSnapshot& snapshot) {
  out += "<h2>Last queries</h2><div class=\"wide\"><table>\n<tr><th>UTC</th>";
  for (const char* name : {"blocks", "addresses", "topics", "by index", "by blooms", "read",
                           "false positives", "index read", "logs", "ms"})
    out += message("<th class=\"n\">", name, "</th>");
  out += "</tr>\n";
  for (const PastQuery& query : snapshot.last_queries) add_query(out, query);
  out += "</table></div>\n";
}

}  // namespace

std::string page_html(const ServerSnapshot& snapshot) {
  std::string out{kHead};
  out += "<h1>Ethereum logs: " + escaped(snapshot.version) + "</h1>\n";
  out +=
      "<p>JSON-RPC by POST and WebSocket at this address; <a href=\"/health\">health</a>, "
      "<a href=\"/metrics\">metrics</a>.</p>\n";
  add_chain(out, snapshot);
  add_follow(out, snapshot);
  add_totals(out, snapshot);
  add_last_queries(out, snapshot);
  return out + "</body></html>\n";
}

std::string page_html(std::span<const ServerSnapshot> chains) {
  std::string out{kHead};
  out += "<h1>Ethereum logs: " + escaped(chains.front().version) + "</h1>\n";
  out +=
      "<p>JSON-RPC by POST and WebSocket at the path of each chain; <a "
      "href=\"/health\">health</a>, "
      "<a href=\"/metrics\">metrics</a>.</p>\n<table>\n<tr><th>path</th><th class=\"n\">chain id"
      "</th><th class=\"n\">head</th><th class=\"n\">searches</th><th>problem</th></tr>\n";
  for (const ServerSnapshot& chain : chains) {
    const std::string name = escaped(chain.name);
    out += chain.is_healthy() ? "<tr>" : "<tr class=\"bad\">";
    out +=
        message("<td><a href=\"/", name, "\">/", name, "</a></td><td class=\"n\">", chain.chain_id,
                "</td><td class=\"n\">", chain.head ? grouped(*chain.head) : std::string{"none"},
                "</td><td class=\"n\">", grouped(chain.totals.queries), "</td><td>",
                chain.error ? escaped(chain.error->message) : std::string{}, "</td></tr>\n");
  }
  return out + "</table></body></html>\n";
}

std::string_view page_policy() {
  return "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; "
         "frame-ancestors 'none'";
}

}  // namespace bloomery::ethlog
