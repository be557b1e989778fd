#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>

#include "bindings/c/handle.h"
#include "bloomery/base/file.h"
#include "bloomery/base/web_scheme.h"
#include "bloomery/formats/native/engine_file.h"
#include "bloomery/formats/native/parts.h"
#include "bloomery/formats/rewrap.h"

namespace bloomery::c {
namespace {

constexpr LockWait kSaveWait{.timeout = std::chrono::seconds{10}};

struct FreeBytes {
  void operator()(void* data) const { std::free(data); }
};
struct OwnedBytes {  // what a caller frees by bloomery_free_bytes()
  std::unique_ptr<void, FreeBytes> data;
  std::size_t size;
};

OwnedBytes joined(std::span<const ByteView> parts) {
  std::size_t size = 0;
  for (const ByteView part : parts) size += part.size();
  OwnedBytes bytes{std::unique_ptr<void, FreeBytes>{std::malloc(std::max<std::size_t>(1, size))},
                   size};
  if (bytes.data == nullptr) throw std::bad_alloc{};
  auto* to = static_cast<std::byte*>(bytes.data.get());
  for (const ByteView part : parts) to = std::copy(part.begin(), part.end(), to);
  return bytes;
}

// Calls use(parts of the filter's bytes in the format), without a copy of a native body.
template <class Use, class Answer = std::invoke_result_t<Use, std::span<const ByteView>>>
Answer with_encoded(const bloomery_filter& filter, const Format& format, Use use) {
  if (const auto* mapped = std::get_if<MappedNative>(&filter.held);
      mapped && &format == filter.format) {
    if (auto whole = mapped->verify(); !whole) return whole.error();
    const ByteView all = mapped->file_bytes();
    return use(std::span{&all, 1});
  }
  std::optional<AnyFilter> copy;
  const auto any = in_memory(filter, copy);
  if (!any) return any.error();
  if (&format != filter.format) {
    const auto bytes = rewrap(**any, format);
    if (!bytes) return bytes.error();
    const ByteView all{*bytes};
    return use(std::span{&all, 1});
  }
  return std::visit(
      [&]<class Kind>(const Kind& held) -> Answer {
        if constexpr (AnyNative<Kind>) {
          const auto parts = internal::native_parts(held.filter, held.funnel);
          const NativeHeaderBytes header = encode_native_header(parts.header);
          std::vector<ByteView> all{ByteView{header}};
          all.insert(all.end(), parts.body.begin(), parts.body.end());
          return use(std::span<const ByteView>{all});
        } else {
          const auto bytes = format.encode(**any);
          if (!bytes) return bytes.error();
          const ByteView all{*bytes};
          return use(std::span{&all, 1});
        }
      },
      **any);
}

Result<const Format*> format_to_write(const bloomery_filter& filter, const char* name) {
  if (name == nullptr) return filter.format;
  if (const Format* format = find_format(name)) return format;
  return unknown_format(name);
}

Result<const Format*> format_to_read(const char* name, ByteView bytes) {
  if (text_or(name, "auto") != "auto") {
    if (const Format* format = find_format(name)) return format;
    return unknown_format(name);
  }
  if (const Format* format = guess_format(bytes)) return format;
  return refused("the format is not recognised by the bytes; name it");
}

struct LoadRequest {
  DecodeOptions decode;
  const char* funnel = nullptr;
  bool concurrent = false;
};

Result<LoadRequest> read_load_options(const bloomery_load_options* options,
                                      std::uint64_t max_bytes) {
  LoadRequest request;
  if (max_bytes != 0) request.decode.limits.max_bytes = max_bytes;
  if (options == nullptr) return request;
  const auto read = read_struct(options, "bloomery_load_options");
  if (!read) return read.error();
  if (auto valid = check_bytes("secret", read->secret, read->secret_size); !valid)
    return valid.error();
  request.decode.sizing = {.keys = given(read->keys),
                           .rate = given(read->rate),
                           .bits = given(read->bits),
                           .probes = given(read->probes)};
  request.funnel = read->funnel;
  request.concurrent = read->concurrent != 0;
  if (read->secret != nullptr) {
    const auto key = secret_key(read->secret, read->secret_size);
    if (!key) return key.error();
    request.decode.sip_key = *key;
  }
  return request;
}

// The sizes describe bytes without a header, and would be ignored for others.
Status check_load_sizes(const LoadRequest& request, const Format& format) {
  const SizingRequest& sizing = request.decode.sizing;
  const bool any = sizing.keys || sizing.rate || sizing.bits || sizing.probes;
  const bool takes_shape = format.name == "go-bloom" || format.name.starts_with("eventhorizon");
  const bool takes_goal = format.name == "go-bloom";
  if (!any || (takes_shape && (takes_goal || (!sizing.keys && !sizing.rate)))) return ok();
  return refused(message("a filter of format ", format.name,
                         takes_shape ? " is described by bits and probes alone"
                                     : " stores its size; leave keys, rate, bits and probes out"));
}

Status check_same_funnel(const char* wanted, FunnelName recorded) {
  if (wanted == nullptr) return ok();
  const auto funnel = funnel_by_name(wanted);
  if (!funnel) return funnel.error();
  if (*funnel == recorded) return ok();
  return refused(message("the filter was built with the funnel ", funnel_name(recorded),
                         ", not with ", wanted));
}

Result<bloomery_filter> finished(AnyFilter filter, const Format* format,
                                 const LoadRequest& request) {
  // The bytes do not distinguish the two strategies, but the filter does.
  if (std::holds_alternative<ClassicFilter<GuavaMitz32>>(filter))
    format = find_format("guava:mitz32");
  if (std::holds_alternative<ClassicFilter<GuavaMitz64>>(filter)) format = find_format("guava");
  auto made = with_funnel(std::move(filter), format, request.funnel);
  if (!made || !request.concurrent) return made;
  return as_concurrent(std::move(std::get<AnyFilter>(made->held)), format);
}

Result<bloomery_filter> decode(ByteView bytes, const char* name, const LoadRequest& request) {
  const auto format = format_to_read(name, bytes);
  if (!format) return format.error();
  if (auto fits = check_load_sizes(request, **format); !fits) return fits.error();
  auto filter = (*format)->decode(bytes, request.decode);
  if (!filter) return filter.error();
  return finished(std::move(*filter), *format, request);
}

// A regular file with our magic: then it is read straight into the filter's memory.
bool is_native_file(const std::string& path) {
  std::error_code failed;
  if (!std::filesystem::is_regular_file(path, failed)) return false;
  std::ifstream file{path, std::ios::binary};
  std::array<char, kNativeMagic.size()> first{};
  file.read(first.data(), first.size());
  return file.gcount() == static_cast<std::streamsize>(first.size()) && first == kNativeMagic;
}

Result<bloomery_filter> load(const char* path, const char* name, const LoadRequest& request) {
  const std::string_view wanted = text_or(name, "auto");
  if ((wanted == "auto" || wanted == "bloomery") && is_native_file(path)) {
    const Format* format = find_format("bloomery");
    if (auto fits = check_load_sizes(request, *format); !fits) return fits.error();
    auto native = load_native(path, request.decode);
    if (!native) return native.error();
    return std::visit(
        [&](auto& held) { return finished(AnyFilter{std::move(held)}, format, request); }, *native);
  }
  if (wanted != "auto" && find_format(wanted) == nullptr) return unknown_format(wanted);
  const auto bytes = read_file(path, request.decode.limits);
  if (!bytes) return bytes.error();
  return decode(*bytes, name, request);
}

// By its name, which ends in .bloomset, or by its first bytes.
bool is_manifest_file(const std::filesystem::path& path) {
  std::error_code failed;
  if (path.extension() == ".bloomset") return true;
  if (!std::filesystem::is_regular_file(path, failed)) return false;
  std::ifstream file{path, std::ios::binary};
  std::array<char, 64> start{};
  file.read(start.data(), start.size());
  return looks_like_manifest(
      bytes_of(std::string_view{start.data(), static_cast<std::size_t>(file.gcount())}));
}

Result<bloomery_filter> map(const char* path, const LoadRequest& request) {
  if (request.concurrent) return refused("a mapped filter is read-only and cannot be concurrent");
  const Format* format = find_format("bloomery");
  if (auto fits = check_load_sizes(request, *format); !fits) return fits.error();
  if (is_manifest_file(path)) {
    auto set = FilterSet::open(path, request.decode);
    if (!set) return set.error();
    if (auto same = check_same_funnel(request.funnel, set->funnel()); !same) return same.error();
    const FunnelName funnel = set->funnel();
    return bloomery_filter{std::move(*set), format, funnel};
  }
  auto mapped = MappedNative::open(path, request.decode);
  if (!mapped) return mapped.error();
  if (auto same = check_same_funnel(request.funnel, mapped->funnel()); !same) return same.error();
  const FunnelName funnel = mapped->funnel();
  return bloomery_filter{std::move(*mapped), format, funnel};
}

Result<bloomery_filter> with_path(const char* path, Result<bloomery_filter> result) {
  if (result) return result;
  return with_file(path, result.error());
}

// An address may hold a password, so that no sentence repeats it.
Status check_path(const char* path, std::string_view of_web_addresses) {
  if (path == nullptr || *path == '\0') return refused("the path of the file is NULL or empty");
  if (is_web_address(path)) return refused(std::string{of_web_addresses});
  return ok();
}

Status check_path_to_read(const char* path) {
  return check_path(path,
                    "only the bloomery command and the C++ library bloomery::remote read web "
                    "addresses; download the file and give its name");
}

Status check_path_to_write(const char* path) {
  return check_path(path,
                    "a filter cannot be saved at a web address; save a file, and upload that");
}

}  // namespace

Result<bloomery_filter> with_funnel(AnyFilter filter, const Format* format, const char* funnel) {
  const auto recorded = std::visit(
      []<class Kind>(const Kind& held) -> std::optional<FunnelName> {
        if constexpr (AnyNative<Kind>)
          return held.funnel;
        else
          return std::nullopt;
      },
      filter);
  if (recorded) {
    if (auto same = check_same_funnel(funnel, *recorded); !same) return same.error();
    return bloomery_filter{std::move(filter), format, *recorded};
  }
  const auto named = funnel_by_name(text_or(funnel, "bytes"));
  if (!named) return named.error();
  return bloomery_filter{std::move(filter), format, *named};
}

}  // namespace bloomery::c

using namespace bloomery::c;

int bloomery_decode(const void* data, size_t size, const char* format, uint64_t max_bytes,
                    const bloomery_load_options* options, bloomery_filter** filter) {
  return guarded_new(filter, [&]() -> bloomery::Result<bloomery_filter> {
    if (data == nullptr && size != 0) return refused("the bytes are NULL, and their size is not 0");
    const auto request = read_load_options(options, max_bytes);
    if (!request) return request.error();
    return decode({static_cast<const std::byte*>(data), size}, format, *request);
  });
}

int bloomery_load(const char* path, const char* format, uint64_t max_bytes,
                  const bloomery_load_options* options, bloomery_filter** filter) {
  return guarded_new(filter, [&]() -> bloomery::Result<bloomery_filter> {
    if (auto valid = check_path_to_read(path); !valid) return valid.error();
    const auto request = read_load_options(options, max_bytes);
    if (!request) return request.error();
    return with_path(path, load(path, format, *request));
  });
}

int bloomery_map(const char* path, const bloomery_load_options* options, bloomery_filter** filter) {
  return guarded_new(filter, [&]() -> bloomery::Result<bloomery_filter> {
    if (auto valid = check_path_to_read(path); !valid) return valid.error();
    const auto request = read_load_options(options, 0);
    if (!request) return request.error();
    return with_path(path, map(path, *request));
  });
}

int bloomery_verify(const bloomery_filter* filter) {
  return guarded([&]() -> bloomery::Status {
    if (auto valid = check_handle(filter); !valid) return valid;
    if (const auto* set = std::get_if<bloomery::FilterSet>(&filter->held)) {
      if (auto valid = set->check_size(); !valid) return valid;
      return set->verify();
    }
    const auto* mapped = std::get_if<bloomery::MappedNative>(&filter->held);
    if (mapped == nullptr) return bloomery::ok();
    if (auto valid = mapped->check_size(); !valid) return valid;
    return mapped->verify();
  });
}

int bloomery_encode(const bloomery_filter* filter, const char* format, void** data, size_t* size) {
  if (data != nullptr) *data = nullptr;
  if (size != nullptr) *size = 0;
  return guarded([&]() -> bloomery::Status {
    if (auto valid = check_handle(filter); !valid) return valid;
    if (data == nullptr || size == nullptr) return refused("the place for the bytes is NULL");
    const auto to = format_to_write(*filter, format);
    if (!to) return to.error();
    return with_encoded(*filter, **to, [&](std::span<const bloomery::ByteView> parts) {
      OwnedBytes bytes = joined(parts);
      *size = bytes.size;
      *data = bytes.data.release();
      return bloomery::ok();
    });
  });
}

int bloomery_save(const bloomery_filter* filter, const char* path, const char* format) {
  return guarded([&]() -> bloomery::Status {
    if (auto valid = check_handle(filter); !valid) return valid;
    if (auto valid = check_path_to_write(path); !valid) return valid;
    const auto to = format_to_write(*filter, format);
    if (!to) return to.error();
    const auto saved = with_encoded(*filter, **to, [&](std::span<const bloomery::ByteView> parts) {
      return bloomery::replace_file(path, parts, kSaveWait);
    });
    if (!saved) return bloomery::with_file(path, saved.error());
    return bloomery::ok();
  });
}

void bloomery_free_bytes(void* data) { std::free(data); }

const char* const* bloomery_formats(void) {
  // The names are literals, which end in NUL.
  static const auto names = [] {
    std::array<const char*, 64> all{};
    const auto rows = bloomery::formats();
    for (std::size_t i = 0; i < rows.size() && i + 1 < all.size(); ++i)
      all[i] = rows[i].name.data();
    return all;
  }();
  return names.data();
}

int bloomery_format_flags(const char* name, uint32_t* flags) {
  return guarded([&]() -> bloomery::Status {
    if (name == nullptr || flags == nullptr) return refused("the format or its flags are NULL");
    const bloomery::Format* format = bloomery::find_format(name);
    if (format == nullptr) return unknown_format(name);
    *flags = (format->looks_like != nullptr ? BLOOMERY_FORMAT_RECOGNIZED : 0) |
             (format->create != nullptr ? BLOOMERY_FORMAT_CREATED : 0);
    return bloomery::ok();
  });
}
