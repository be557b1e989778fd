#include "bench/scale_sim/tables.h"

#include <cmath>
#include <functional>
#include <vector>

#include "bench/scale_sim/pattern_rate.h"
#include "bench/scale_sim/wording.h"
#include "bloomery/layout/part.h"

namespace bloomery::bench {
namespace {

constexpr double kRates[] = {0.01, 0.001};
constexpr std::uint64_t kFewest = 1'000'000'000;
constexpr std::uint64_t kMost = 10'000'000'000'000;

using Cells = std::vector<std::string>;

void print_row(std::ostream& out, const Cells& cells) {
  for (const std::string& cell : cells) out << "| " << cell << ' ';
  out << "|\n";
}

// `row` says what stands behind keys and rate.
void print_table(std::ostream& out, const char* name, const Cells& heads,
                 const Assumptions& assumed, const std::function<Cells(const Plan&)>& row) {
  out << "table " << name << "\n\n";
  Cells all = {"keys", "rate"};
  all.insert(all.end(), heads.begin(), heads.end());
  print_row(out, all);
  print_row(out, Cells(all.size(), "---"));
  for (const double rate : kRates)
    for (std::uint64_t keys = kFewest; keys <= kMost; keys *= 10) {
      const auto plan = plan_for({keys, rate}, assumed);
      Cells cells = {power_of_ten(static_cast<double>(keys)), percent(rate, rate < 0.01 ? 1 : 0)};
      const Cells rest = plan ? row(*plan) : Cells{plan.error().message};
      cells.insert(cells.end(), rest.begin(), rest.end());
      print_row(out, cells);
    }
  out << '\n';
}

void print_assumptions(std::ostream& out, const Assumptions& assumed) {
  out << "table assumptions\n\n";
  const auto line = [&](const std::string& what, const std::string& value) {
    print_row(out, {what, value});
  };
  const auto whole = [](double number) { return grouped(static_cast<std::uint64_t>(number)); };
  line("what", "assumed");
  line("---", "---");
  line("memory of a node that filters may fill", bytes_in_words(assumed.node_bytes));
  line("network of a node, each way", bytes_in_words(assumed.node_bytes_per_second) + "/s");
  line("copies in memory", whole(assumed.copies));
  line("adds over the wire, a primary", whole(assumed.adds_per_second) + "/s");
  line("a part is at most", bytes_in_words(assumed.most_part_bytes));
  line("but there are at most", grouped(assumed.most_parts) + " parts");
  line("a line of input", whole(assumed.record_bytes) + " bytes");
  line("a short key, such as the hash of a record", whole(assumed.key_bytes) + " bytes");
  line("reading and splitting lines, one core (measured)",
       bytes_in_words(assumed.read_bytes_per_second) + "/s");
  line("hashing a short key and inserting it, one core (measured)",
       three_digits(assumed.build_ns) + " ns");
  line("a GB of memory with its machine, a month", dollars(assumed.memory_month));
  line("a GB in an object store, a month", dollars(assumed.object_month));
  line("an hour of one core", dollars(assumed.core_hour));
  out << '\n';
}

Cells sizes(const Plan& plan, const Assumptions& assumed) {
  return {three_digits(plan.bits_per_key()),
          std::to_string(plan.shape.probes),
          bytes_in_words(plan.bytes()),
          grouped(plan.parts),
          bytes_in_words(plan.part_bytes()),
          grouped(plan.nodes),
          grouped(plan.nodes * static_cast<std::uint64_t>(assumed.copies))};
}

Cells times(const Plan& plan, const Assumptions& assumed) {
  const auto shuffled = [&](double bytes) {
    return plan.nodes == 1 ? std::string{"–"} : time_in_words(plan.shuffle_seconds(bytes, assumed));
  };
  return {time_in_words(plan.build_seconds(assumed)),
          time_in_words(plan.line_seconds(assumed)),
          shuffled(assumed.key_bytes),
          shuffled(assumed.record_bytes),
          time_in_words(plan.load_seconds(assumed)),
          time_in_words(plan.add_seconds(assumed))};
}

Cells money(const Plan& plan, const Assumptions& assumed) {
  const double billions = static_cast<double>(plan.goal.keys) / 1e9;
  const double memory = plan.memory_price(assumed);
  return {
      dollars(plan.build_price(assumed)), dollars(plan.store_price(assumed)), dollars(memory),
      dollars(memory * assumed.copies),
      "$" + grouped(static_cast<std::uint64_t>(std::llround(memory * assumed.copies * billions)))};
}

Cells rates(const Plan& plan) {
  const auto keys = static_cast<double>(plan.goal.keys);
  const double rate = expected_rate(plan.shape, keys);
  return {percent(rate, 4), small(rate_deviation(plan.shape, keys) / rate),
          small(keys * 0x1p-64 / rate), small(std::ldexp(keys, -128) / rate)};
}

Cells arithmetic(const Plan& plan) {
  const auto blocks = static_cast<double>(plan.shape.blocks);
  const double load = static_cast<double>(plan.goal.keys) / blocks;
  const double periods = std::ldexp(1 / blocks, 64 - 24);
  const auto effect = [&](std::uint32_t probes) {
    return small(std::abs(pattern_effect(plan.shape.blocks, probes, load)));
  };
  return {"2^" + three_digits(std::log2(blocks)),
          "2^" + three_digits(64 - std::log2(blocks)),
          small(std::ldexp(blocks, -64)),
          three_digits(periods),
          plan.shape.probes == 8 ? "0" : effect(plan.shape.probes),
          effect(6),
          effect(4),
          percent(static_cast<double>(plan.shape.bits()) / static_cast<double>(kMaxBits), 2)};
}

void print_patterns(std::ostream& out) {
  out << "table patterns\n\n";
  print_row(out, {"blocks", "periods of 16 patterns in a block", "4 probes", "5 probes", "6 probes",
                  "7 probes", "8 probes"});
  print_row(out, Cells(7, "---"));
  for (const double power : {34.2, 36.0, 37.5, 38.5, 38.99, 40.5, 42.0, 44.0}) {
    const auto blocks = static_cast<std::uint64_t>(std::exp2(power));
    Cells cells = {"2^" + fixed(power, 2) + (blocks > kMaxBlocks ? " (refused)" : ""),
                   three_digits(std::exp2(40 - power))};
    for (std::uint32_t probes = 4; probes <= 8; ++probes) {
      const auto load = static_cast<double>(max_keys({1 << 20, probes}, 0.01)) / (1 << 20);
      cells.push_back(probes == 8 ? "0" : signed_percent(pattern_effect(blocks, probes, load), 4));
    }
    print_row(out, cells);
  }
  out << '\n';
}

// What a filter costs that gets other numbers of keys than it was made for.
void print_filling(std::ostream& out) {
  constexpr std::uint64_t kKeys = 1'000'000'000'000;
  out << "table filling\n\n";
  print_row(out, {"keys, of those planned", "made for 1 %", "made for 0.1 %"});
  print_row(out, Cells(3, "---"));
  for (const double share : {0.25, 0.5, 0.75, 0.9, 1.0, 1.1, 1.25, 1.5, 2.0}) {
    Cells cells = {percent(share, 0)};
    for (const double rate : kRates) {
      const auto shape = block_shape_for({kKeys, rate});
      cells.push_back(percent(expected_rate(*shape, share * static_cast<double>(kKeys)), 4));
    }
    print_row(out, cells);
  }
  out << '\n';
}

// The most keys of a goal that passes, to three digits.
std::string most_keys(const std::function<bool(double)>& fits) {
  double low = 1;
  double high = 1e40;
  while (high / low > 1.0001) {
    const double middle = std::sqrt(low * high);
    (fits(middle) ? low : high) = middle;
  }
  return power_of_ten(low);
}

void print_ceilings(std::ostream& out, const Assumptions& assumed) {
  out << "table ceilings\n\n";
  print_row(out, {"what ends", "at 1 %", "at 0.1 %"});
  print_row(out, Cells(3, "---"));
  const auto line = [&](const std::string& what, const std::function<bool(double, double)>& fits) {
    Cells cells = {what};
    for (const double rate : kRates)
      cells.push_back(most_keys([&](double keys) { return fits(keys, rate); }));
    print_row(out, cells);
  };
  const auto bytes = [](double keys, double rate) {
    const auto shape = block_shape_for({1'000'000'000'000, rate});
    return keys * static_cast<double>(shape->bits()) / 8e12;
  };
  line("one value of 512 MiB in a Redis server",
       [&](double keys, double rate) { return bytes(keys, rate) <= 0x1p29; });
  line("a Redis Cluster: 16,384 shards of 512 MiB",
       [&](double keys, double rate) { return bytes(keys, rate) <= 0x1p43; });
  line("65,530 parts of " + bytes_in_words(assumed.most_part_bytes) + " mapped by one process",
       [&](double keys, double rate) {
         return bytes(keys, rate) <= 65530 * assumed.most_part_bytes;
       });
  line("one file of 16 TiB", [&](double keys, double rate) { return bytes(keys, rate) <= 0x1p44; });
  line("the format: 2^48 bits", [&](double keys, double rate) {
    return bytes(keys, rate) * 8 <= static_cast<double>(kMaxBits);
  });
  line("`xxh3-64`: 1 % of the rate for equal hashes",
       [](double keys, double rate) { return keys * 0x1p-64 <= 0.01 * rate; });
  line("whole numbers in a double, of JSON: 2^53",
       [](double keys, double) { return keys <= 0x1p53; });
  line("`xxh3`: 1 % of the rate for equal hashes",
       [](double keys, double rate) { return keys * 0x1p-128 <= 0.01 * rate; });
  out << '\n';
}

}  // namespace

void print_tables(std::ostream& out, const Assumptions& assumed) {
  print_assumptions(out, assumed);
  print_table(out, "sizes",
              {"bits per key", "probes", "filter", "parts", "a part", "nodes", "nodes, two copies"},
              assumed, [&](const Plan& plan) { return sizes(plan, assumed); });
  print_table(out, "times",
              {"build, time of one core, short keys", "from lines", "shuffle, short keys",
               "shuffle, lines", "load", "add over the wire"},
              assumed, [&](const Plan& plan) { return times(plan, assumed); });
  print_table(out, "money",
              {"build, once", "stored, a month", "in memory, a month", "two copies",
               "two copies, all keys"},
              assumed, [&](const Plan& plan) { return money(plan, assumed); });
  print_table(out, "rates",
              {"expected", "filter to filter", "equal 64-bit hashes", "equal 128-bit hashes"},
              assumed, rates);
  print_table(out, "arithmetic",
              {"blocks", "places per block", "blocks unequal by", "pattern periods",
               "rate off, as planned", "with 6 probes", "with 4 probes", "of 2^48 bits"},
              assumed, arithmetic);
  print_patterns(out);
  print_filling(out);
  print_ceilings(out, assumed);
}

}  // namespace bloomery::bench
