#include "apps/cli/dedup/seen_keys.h"

#include <iostream>

#include "apps/cli/filters/record_command.h"
#include "apps/cli/filters/summary.h"
#include "apps/cli/filters/unused_options.h"
#include "apps/cli/filters/write_lock.h"
#include "apps/cli/shell/exit_code.h"
#include "apps/cli/shell/numbers.h"

namespace bloomery::cli {
namespace {

FormatOptions to_open(const SeenKeysOptions& options, std::string format,
                      std::string_view format_option = "--format") {
  return {.format = std::move(format),
          .sizing = options.filter.create.sizing,
          .secret_file = options.filter.secret_file,
          .are_for_this_file = false,
          .format_option = format_option};
}

// Every filter is queried for the same keys, so all must encode them in the same way.
Status agree(RecordOptions& records, const std::string& path, std::optional<FunnelName> funnel,
             std::string_view format, std::string_view own_format) {
  if (auto fits = adopt_funnel(records, funnel); !fits)
    return Error{fits.error().code, message(path, ": ", fits.error().message)};
  const bool bytes = records.funnel.value_or(FunnelName::kBytes) == FunnelName::kBytes;
  if (!bytes && byte_order_of(format) != byte_order_of(own_format))
    return usage_error(message(path, ": a filter of format ", format,
                               " has numbers in another byte order than one of format ",
                               own_format));
  return ok();
}

std::optional<std::vector<QueryableFilter>> open_against(const SeenKeysOptions& options,
                                                         RecordOptions& records,
                                                         std::string_view own_format,
                                                         Session& session) {
  std::vector<QueryableFilter> against;
  for (const std::string& path : options.against) {
    auto filter = QueryableFilter::open(
        path, to_open(options, options.against_format, "--against-format"), session);
    if (!filter) return std::nullopt;
    if (auto fits = agree(records, path, filter->funnel(), filter->format_name(), own_format);
        !fits) {
      session.exit_code = complain("", fits.error(), Blame::kArguments);
      return std::nullopt;
    }
    if (auto asked = filter->may_contain_batch({}, {}); !asked) {
      session.exit_code = complain(path, asked.error(), Blame::kArguments);
      return std::nullopt;
    }
    against.push_back(std::move(*filter));
  }
  return against;
}

void print_plan(const std::string& what, const Description& filter, const Globals& globals) {
  if (globals.quiet) return;
  std::cerr << "bloomery: plan: " << what << filter.layout << ", " << shape_sentence(filter)
            << " of memory (limit " << format_bytes(globals.memory) << ")\n";
}

// A filter that is kept between runs cannot know how many keys the next run adds: it grows, unless
// the user gave the number of keys. Its first layer is no smaller than a pipe's: each layer more
// costs a look.
constexpr std::uint64_t kFirstLayerKeys = 1'000'000;

bool should_grow(const SeenKeysOptions& options) {
  const SizingRequest& sizing = options.filter.create.sizing;
  return !options.save.empty() && options.filter.create.layout == Layout::kAuto &&
         options.filter.format == "bloomery" && !sizing.keys && !sizing.bits;
}

// One cache line per key also where it takes a quarter more memory: here time is what is short. For
// rarer errors it would take half as much again, and more.
bool prefers_block(const NewFilterOptions& options) {
  constexpr double kRarest = 5e-5;
  const SizingRequest& sizing = options.create.sizing;
  return options.create.layout == Layout::kAuto && sizing.keys && sizing.rate &&
         *sizing.rate >= kRarest && !sizing.bits && !sizing.probes;
}

Result<std::string> choose_size(SeenKeysOptions& options, std::vector<InputFile>& inputs,
                                const RecordEnds& ends, std::optional<std::uint64_t> counted) {
  SizingRequest& sizing = options.filter.create.sizing;
  const bool grows = should_grow(options);
  const bool asked = !counted || sizing.keys || sizing.bits || sizing.blocks;
  if (!asked) sizing.keys = std::max<std::uint64_t>(1, *counted);
  auto origin = complete_sizing(options.filter, inputs, ends, options.default_rate);
  if (!origin) return origin;
  if (prefers_block(options.filter)) options.filter.create.layout = Layout::kBlock;
  if (!grows) return asked ? *origin : options.counted_how;
  options.filter.create.layout = Layout::kScalable;
  sizing.keys = std::max(sizing.keys.value_or(0), kFirstLayerKeys);
  return std::string{"a first layer, to be kept between runs"};
}

struct NewFilter {
  AnyFilter filter;
  Description description;
};
Result<NewFilter> create(SeenKeysOptions& options, const Format& format,
                         const RecordOptions& records, std::vector<InputFile>& inputs,
                         std::optional<std::uint64_t> counted, const Globals& globals) {
  const auto origin = choose_size(options, inputs, records.ends(), counted);
  if (!origin) return origin.error();
  CreateOptions& wanted = options.filter.create;
  wanted.limits.max_bytes = globals.memory;
  wanted.funnel = records.funnel.value_or(FunnelName::kBytes);
  if (auto fits = check_layout(options.filter, layout_for(wanted)); !fits) return fits.error();
  auto filter = format.create(wanted);
  if (!filter) return filter.error();
  std::string keys;
  if (wanted.sizing.keys)
    keys = message(cli::counted(*wanted.sizing.keys, "key"), " (", *origin, ")");
  if (wanted.sizing.keys && wanted.sizing.rate)
    keys += " at " + format_probability(*wanted.sizing.rate);
  Description empty = describe(*filter);
  print_plan(keys.empty() ? "" : keys + ": ", empty, globals);
  return NewFilter{std::move(*filter), std::move(empty)};
}

Result<const Format*> format_of_new(NewFilterOptions& options, bool secret_is_for_others) {
  if (!secret_is_for_others || options.create.profile == Profile::kSiphash)
    return chosen_format(options);
  const std::string secret = std::exchange(options.secret_file, "");
  const auto format = chosen_format(options);
  options.secret_file = secret;
  return format;
}

std::optional<SeenKeys> open_saved(SeenKeysOptions& options, RecordOptions& records,
                                   Session& session) {
  const bool is_given = format_is_given(options.filter);
  auto file = open_filter(options.save, to_open(options, is_given ? options.filter.format : "auto"),
                          session);
  if (!file) return std::nullopt;
  if (auto fits = check_existing(options.filter, *file, options.against_format != "auto"); !fits) {
    session.exit_code = complain("", fits.error(), Blame::kArguments);
    return std::nullopt;
  }
  if (auto fits = adopt_funnel(records, recorded_funnel(file->filter)); !fits) {
    session.exit_code = complain(options.save, fits.error(), Blame::kArguments);
    return std::nullopt;
  }
  auto against = open_against(options, records, file->format->name, session);
  if (!against) return std::nullopt;
  Description opened = describe(file->filter);
  print_plan(options.save + ": ", opened, session.globals);
  return SeenKeys{std::move(file->filter), file->format, std::move(*against), std::move(opened)};
}

}  // namespace

Result<std::size_t> SeenKeys::take(std::span<const ByteView> keys, std::span<std::uint8_t> is_new) {
  if (!against_.empty()) return take_unless_against(keys, is_new);
  return insert_batch(*filter_, keys, is_new);
}

Result<std::size_t> SeenKeys::take(Chunk& chunk) {
  chunk.is_new.assign(chunk.keys.size(), 1);
  if (chunk.has_key.empty()) return take(chunk.keys, chunk.is_new);
  present_.clear();
  for (std::size_t i = 0; i < chunk.keys.size(); ++i)
    if (chunk.has_key_at(i)) present_.push_back(chunk.keys[i]);
  present_is_new_.assign(present_.size(), 0);
  const auto taken = take(present_, present_is_new_);
  if (!taken) return taken;
  std::size_t next = 0;
  for (std::size_t i = 0; i < chunk.keys.size(); ++i)
    if (chunk.has_key_at(i)) chunk.is_new[i] = present_is_new_[next++];
  return *taken + (chunk.keys.size() - present_.size());
}

Status SeenKeys::check_against() const {
  for (const QueryableFilter& filter : against_)
    if (const FilterSet* parts = filter.set())
      if (auto whole = parts->check_size(); !whole) return whole;
  return ok();
}

Result<std::size_t> SeenKeys::take_unless_against(std::span<const ByteView> keys,
                                                  std::span<std::uint8_t> is_new) {
  std::ranges::fill(is_new, std::uint8_t{0});
  answers_.resize(keys.size());
  unknown_.assign(keys.begin(), keys.end());
  places_.resize(keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) places_[i] = i;
  for (const QueryableFilter& filter : against_) {
    const auto answers = std::span{answers_}.first(unknown_.size());
    if (auto asked = filter.may_contain_batch(unknown_, answers); !asked) return asked.error();
    std::size_t left = 0;
    for (std::size_t i = 0; i < unknown_.size(); ++i) {
      unknown_[left] = unknown_[i];
      places_[left] = places_[i];
      left += answers[i] == 0 ? 1 : 0;
    }
    unknown_.resize(left);
  }
  const auto answers = std::span{answers_}.first(unknown_.size());
  const auto taken = insert_batch(*filter_, unknown_, answers);
  if (!taken) return taken.error();
  for (std::size_t i = 0; i < unknown_.size(); ++i) is_new[places_[i]] = answers[i];
  return taken;
}

std::optional<SeenKeys> open_seen_keys(SeenKeysOptions& options, RecordOptions& records,
                                       std::vector<InputFile>& inputs,
                                       std::optional<std::uint64_t> counted, Session& session) {
  const auto stop = [&](const Error& error) {
    session.exit_code = complain("", error, Blame::kArguments);
    return std::nullopt;
  };
  if (!options.save.empty() && !lock_to_update(options.save, session)) return std::nullopt;
  if (session.locked.lock.held()) return open_saved(options, records, session);
  const auto format = format_of_new(options.filter, !options.against.empty());
  if (!format) return stop(format.error());
  auto against = open_against(options, records, (*format)->name, session);
  if (!against) return std::nullopt;
  auto filter = create(options, **format, records, inputs, counted, session.globals);
  if (!filter) return stop(filter.error());
  return SeenKeys{std::move(filter->filter), *format, std::move(*against),
                  std::move(filter->description)};
}

std::optional<SeenKeys> resume_seen_keys(SeenKeysOptions& options, RecordOptions& records,
                                         const EncodedKeys& encoded, Session& session) {
  const auto stop = [&](const Error& error) {
    session.exit_code = complain(encoded.path, error, Blame::kArguments);
    return std::nullopt;
  };
  if (!lock_to_update(options.save, session)) return std::nullopt;
  const Format* const format = find_format(encoded.format);
  if (format == nullptr) return stop(unknown_format(encoded.format));
  const auto decode = decode_options(to_open(options, encoded.format), session);
  if (!decode) return std::nullopt;
  auto filter = format->decode(encoded.filter, *decode);
  if (!filter) return stop(filter.error());
  if (auto fits = adopt_funnel(records, recorded_funnel(*filter)); !fits) return stop(fits.error());
  auto against = open_against(options, records, format->name, session);
  if (!against) return std::nullopt;
  Description opened = describe(*filter);
  print_plan(encoded.path + ": going on: ", opened, session.globals);
  return SeenKeys{std::move(*filter), format, std::move(*against), std::move(opened)};
}

}  // namespace bloomery::cli
