#include "bindings/c/handle.h"
#include "bloomery/formats/format_sizes.h"
#include "bloomery/formats/native/native.h"

namespace bloomery::c {
namespace {

constexpr double kDefaultRate = 0.01;  // as the command's
constexpr std::string_view kConcurrent = "concurrent";

struct LayoutRow {
  std::string_view name;
  Layout layout;
};
constexpr LayoutRow kLayouts[] = {
    {"auto", Layout::kAuto},       {"block", Layout::kBlock},       {"lines", Layout::kLines},
    {"classic", Layout::kClassic}, {"counting", Layout::kCounting}, {"scalable", Layout::kScalable},
    {kConcurrent, Layout::kAuto},
};

std::string_view family_of(std::string_view format) { return format.substr(0, format.find(':')); }

Result<Layout> layout_by_name(std::string_view name) {
  for (const LayoutRow& row : kLayouts)
    if (row.name == name) return row.layout;
  return refused(message("'", name,
                         "' is not a layout; use auto, block, lines, classic, counting, scalable "
                         "or concurrent"));
}

Result<Profile> hash_by_name(std::string_view name) {
  if (const auto profile = find_profile(name)) return *profile;
  return refused(message("'", name, "' is not a hash; use xxh3-64, xxh3, aes, mix or siphash"));
}

struct Use {
  const char* member;
  bool is_given;
  bool is_used;
};

Status check_uses(std::span<const Use> uses, std::string_view by) {
  for (const Use& use : uses)
    if (use.is_given && !use.is_used)
      return refused(
          message("the option ", use.member, " has no effect on ", by, "; leave it out"));
  return ok();
}

Status check_format_options(const bloomery_options& options, const Format& format) {
  const std::string_view family = family_of(format.name);
  const bool native = family == "bloomery";
  const Use uses[] = {
      {"layout", options.layout != nullptr && text_or(options.layout, "auto") != "auto", native},
      {"hash", options.hash != nullptr, native},
      {"seed", options.seed != 0, native},
      {"secret", options.secret != nullptr, native},
      {"counter_bits", options.counter_bits != 0, native},
      {"growth", options.growth != 0, native},
      {"tightening", options.tightening != 0, native},
      {"max_layers", options.max_layers != 0, native},
      {"expansion", options.expansion != 0, family == "redisbloom" || family == "rediscuckoo"},
      {"bits_per_key", options.bits_per_key != 0, native || family == "leveldb"},
      {"blocks", options.blocks != 0, native || family == "parquet"},
      {"base_lg", options.base_lg != 0, format.name == "leveldb:block"},
      {"guava_release", options.guava_release != nullptr, family == "guava"},
      {"user_data", options.user_data != nullptr, family == "dcso"},
  };
  return check_uses(uses, message("a filter of format ", format.name));
}

Status check_layout_options(const bloomery_options& options, const CreateOptions& create) {
  const Layout layout = layout_for(create);
  const bool scalable = layout == Layout::kScalable;
  const bool siphash = create.profile == Profile::kSiphash;
  const Use uses[] = {
      {"counter_bits", options.counter_bits != 0, layout == Layout::kCounting},
      {"growth", options.growth != 0, scalable},
      {"tightening", options.tightening != 0, scalable},
      {"max_layers", options.max_layers != 0, scalable},
      {"blocks", options.blocks != 0, layout == Layout::kBlock || layout == Layout::kLines},
  };
  if (auto used = check_uses(uses, "this layout"); !used) return used;
  if (options.secret != nullptr && !siphash)
    return refused("a secret needs the hash siphash, the only keyed one");
  if (options.seed != 0 && siphash)
    return refused("the hash siphash takes its key from the secret, not from a seed");
  return ok();
}

Status check_sizes(const SizingRequest& sizing, const Format& format) {
  constexpr std::pair<SizeMember, const char*> kNames[] = {
      {kSizeKeys, "keys"},     {kSizeRate, "rate"},     {kSizeBits, "bits"},
      {kSizeProbes, "probes"}, {kSizeBlocks, "blocks"}, {kSizeBitsPerKey, "bits_per_key"}};
  const unsigned all = given_sizes(sizing);
  if (takes_sizes(format.name, all)) return ok();
  std::string names;
  for (const auto& [size, name] : kNames)
    if ((all & size) != 0) names += message(names.empty() ? "" : " and ", name);
  return refused(message("a filter of format ", format.name, " cannot be sized by ", names));
}

// As `bloomery build` completes what its user left out.
void complete_rate(CreateOptions& create, std::string_view family) {
  SizingRequest& sizing = create.sizing;
  const bool has_rate = family != "leveldb" && family != "rediscuckoo" && family != "ethereum" &&
                        family != "eventhorizon";
  if (has_rate && !sizing.rate && !sizing.bits && !sizing.blocks && !sizing.bits_per_key)
    sizing.rate = kDefaultRate;
}

Status read_engine(const bloomery_options& options, CreateOptions& create) {
  const auto layout = layout_by_name(text_or(options.layout, "auto"));
  if (!layout) return layout.error();
  create.layout = *layout;
  create.seed = options.seed;
  if (options.hash != nullptr) {
    const auto profile = hash_by_name(options.hash);
    if (!profile) return profile.error();
    create.profile = *profile;
  }
  if (options.secret != nullptr) {
    const auto key = secret_key(options.secret, options.secret_size);
    if (!key) return key.error();
    create.sip_key = *key;
  }
  if (options.counter_bits != 0) create.counter_bits = options.counter_bits;
  if (options.growth != 0) create.growth.factor = options.growth;
  if (options.tightening != 0) create.growth.tightening = options.tightening;
  if (options.max_layers != 0) create.growth.max_layers = options.max_layers;
  // A concurrent filter is never classic.
  if (text_or(options.layout, "") == kConcurrent && layout_for(create) == Layout::kClassic)
    create.layout = lines_layout_suits(create.sizing.rate.value_or(kDefaultRate)) ? Layout::kLines
                                                                                  : Layout::kBlock;
  return check_layout_options(options, create);
}

Status read_foreign(const bloomery_options& options, CreateOptions& create) {
  if (options.expansion != 0)
    create.expansion = options.expansion == BLOOMERY_NO_EXPANSION ? 0 : options.expansion;
  if (options.base_lg != 0) create.base_lg = options.base_lg;
  const std::string_view release = text_or(options.guava_release, "33.4");
  if (release != "31" && release != "33.4")
    return refused(
        message("'", release, "' is not a release of Guava that is known; use 31 or 33.4"));
  create.guava_release = release == "31" ? GuavaRelease::k31 : GuavaRelease::k33_4;
  const auto* data = static_cast<const std::byte*>(options.user_data);
  create.user_data.assign(data, data + options.user_data_size);
  return ok();
}

}  // namespace

Result<Request> read_options(const bloomery_options* given_options) {
  const auto read = read_struct(given_options, "bloomery_options");
  if (!read) return read.error();
  const bloomery_options& options = *read;
  if (auto valid = check_bytes("secret", options.secret, options.secret_size); !valid)
    return valid.error();
  if (auto valid = check_bytes("user_data", options.user_data, options.user_data_size); !valid)
    return valid.error();
  const std::string_view name = text_or(options.format, "bloomery");
  Request request{find_format(name), {}, text_or(options.layout, "") == kConcurrent};
  if (request.format == nullptr) return unknown_format(name);
  CreateOptions& create = request.create;
  create.sizing = {.keys = given(options.keys),
                   .rate = given(options.rate),
                   .bits = given(options.bits),
                   .probes = given(options.probes),
                   .bits_per_key = given(options.bits_per_key),
                   .blocks = given(options.blocks)};
  if (options.max_bytes != 0) create.limits.max_bytes = options.max_bytes;
  const auto funnel = funnel_by_name(text_or(options.funnel, "bytes"));
  if (!funnel) return funnel.error();
  create.funnel = *funnel;
  if (auto fits = check_sizes(create.sizing, *request.format); !fits) return fits.error();
  complete_rate(create, family_of(name));
  if (auto used = check_format_options(options, *request.format); !used) return used.error();
  const Status done =
      family_of(name) == "bloomery" ? read_engine(options, create) : read_foreign(options, create);
  if (!done) return done.error();
  return request;
}

Result<FunnelName> funnel_by_name(std::string_view name) {
  if (const auto funnel = find_funnel(name); funnel && *funnel != FunnelName::kJson) return *funnel;
  return refused(message("'", name,
                         "' is not a funnel; use bytes, utf16, i8, i16, i32, i64, u64, f32, f64 or "
                         "bool"));
}

Status check_bytes(std::string_view member, const void* data, std::size_t size) {
  if (data != nullptr || size == 0) return ok();
  return refused(
      message(member, " is NULL, and its size is ", size, "; give the bytes, or set both to 0"));
}

Result<SipKey> secret_key(const void* secret, std::size_t size) {
  if (secret == nullptr || size == 0) return refused("the secret is empty; give random bytes");
  return sip_key_from_secret({static_cast<const std::byte*>(secret), size});
}

Error unknown_format(std::string_view name) {
  std::string names;
  for (const Format& format : formats()) names += message(names.empty() ? "" : ", ", format.name);
  return refused(message("unknown format '", name, "'; known formats: ", names));
}

Result<bloomery_filter> as_concurrent(AnyFilter filter, const Format* format) {
  auto* native = std::get_if<NativeBlock>(&filter);
  if (native == nullptr)
    return refused(
        "only a filter of the format bloomery and the layout block or lines can be filled by many "
        "threads at once; this one is another");
  const FunnelName funnel = native->funnel;
  auto concurrent = ConcurrentBlockFilter::from(std::move(native->filter));
  if (!concurrent) return concurrent.error();
  return bloomery_filter{Concurrent{std::move(*concurrent)}, format, funnel};
}

}  // namespace bloomery::c

using namespace bloomery::c;

int bloomery_create(const bloomery_options* options, bloomery_filter** filter) {
  return guarded_new(filter, [&]() -> bloomery::Result<bloomery_filter> {
    const auto request = read_options(options);
    if (!request) return request.error();
    if (request->format->create == nullptr)
      return unsupported(bloomery::message("a filter of format ", request->format->name,
                                           " cannot be made from keys"));
    auto made = request->format->create(request->create);
    if (!made) return made.error();
    if (request->concurrent) return as_concurrent(std::move(*made), request->format);
    return bloomery_filter{std::move(*made), request->format, request->create.funnel};
  });
}

void bloomery_free(bloomery_filter* filter) { delete filter; }
