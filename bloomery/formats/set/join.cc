#include "bloomery/formats/set/join.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "bloomery/base/error.h"
#include "bloomery/base/file.h"
#include "bloomery/formats/native/body.h"
#include "bloomery/formats/native/mapped.h"
#include "bloomery/formats/native/part_file.h"
#include "bloomery/formats/native/parts.h"

namespace bloomery {
namespace {

constexpr LockWait kWait{.timeout = std::chrono::seconds{10}};

std::string padded_number(std::uint32_t number, std::size_t digits) {
  std::string text = std::to_string(number);
  return std::string(text.size() < digits ? digits - text.size() : 0, '0') + text;
}

// The blocks and the seeds of a part, within the body of the whole filter.
struct Slices {
  ByteView blocks;
  ByteView seeds;
};
Slices slices_of(ByteView body, BlockShape shape, Part part) {
  const PartRange range = blocks_of(part, shape.blocks);
  const auto first = static_cast<std::size_t>(range.first);
  const auto own = static_cast<std::size_t>(range.size());
  const auto all = static_cast<std::size_t>(shape.blocks) * block::kBlockBytes;
  Slices slices{body.subspan(first * block::kBlockBytes, own * block::kBlockBytes), {}};
  if (shape.seeded) slices.seeds = body.subspan(all + first, own);
  return slices;
}

Error named(const std::string& path, const Error& error) {
  return {error.code, message(path, ": ", error.message)};
}

}  // namespace

std::string part_file_name(std::string_view stem, Part part) {
  const std::string last = std::to_string(part.parts);
  return message(stem, ".", padded_number(part.index, last.size()), "-of-", last, ".bloom");
}

Result<NativeHeader> read_part_header(FileName name) {
  const std::filesystem::path path{name.view()};
  std::error_code failed;
  const std::uint64_t size = std::filesystem::file_size(path, failed);
  std::ifstream file;
  if (!failed) file.open(path, std::ios::binary);  // to open a pipe waits for its writer
  if (failed || !file)
    return Error{ErrorCode::kIo, message(path.string(), ": cannot open the file for reading")};
  NativeHeaderBytes first;
  file.read(reinterpret_cast<char*>(first.data()), first.size());
  const auto got = static_cast<std::size_t>(file.gcount());
  auto header = decode_native_part_header(ByteView{first}.first(got), size, {.max_bytes = size});
  return header ? header : Result<NativeHeader>{named(path.string(), header.error())};
}

Result<NativeHeader> read_verified_part_header(FileName name) {
  const std::filesystem::path path{name.view()};
  auto header = read_part_header(name);
  if (!header) return header;
  const auto file = MappedFile::open(path);
  if (!file) return file.error();
  const ByteView all = file->bytes();
  const auto mapped = decode_native_part_header(all.first(std::min(all.size(), kNativeHeaderBytes)),
                                                all.size(), {.max_bytes = all.size()});
  if (!mapped) return named(path.string(), mapped.error());
  const ByteView body = all.subspan(kNativeHeaderBytes);
  if (internal::body_checksum({&body, 1}) != mapped->body_checksum)
    return named(path.string(), internal::damaged_body());
  return mapped;
}

Status save_manifest(const SetManifest& manifest, FileName name, const FileLock* held) {
  const std::filesystem::path path{name.view()};
  for (const ManifestPart& part : manifest.parts)
    if (!is_part_file_name(part.file))
      return invalid_argument(
          message(part.file,
                  ": a manifest cannot name this file: its name must be UTF-8, relative "
                  "to the manifest and without \"..\" and control characters"));
  const std::string text = encode_manifest(manifest);
  if (held != nullptr) return save_file(path, bytes_of(text), *held);
  const ByteView bytes = bytes_of(text);
  return replace_file(path, {&bytes, 1}, kWait);
}

Status join_set(const FilterSet& set, FileName path, const FileLock* held) {
  std::vector<std::vector<std::byte>> buffers(set.parts());
  internal::NativeParts file;
  file.header = set.manifest().whole;
  std::vector<ByteView> seeds;
  for (std::uint32_t i = 0; i < set.parts(); ++i) {
    const auto body = set.body(i, buffers[i]);
    if (!body) return body.error();
    const auto range = blocks_of({i, set.parts()}, set.shape().blocks);
    const std::size_t blocks = static_cast<std::size_t>(range.size()) * block::kBlockBytes;
    file.body.push_back(body->first(blocks));
    if (set.shape().seeded) seeds.push_back(body->subspan(blocks));
  }
  file.body.insert(file.body.end(), seeds.begin(), seeds.end());
  file.header.body_checksum = internal::body_checksum(file.body);
  return internal::save_parts(file, path, held);
}

Result<NativeBlock> load_joined(const FilterSet& set, DecodeLimits limits) {
  const BlockShape shape = set.shape();
  if (shape.bytes() > limits.max_bytes)
    return Error{ErrorCode::kTooLarge, message("the filter has ", shape.bytes(),
                                               " bytes, and the limit is ", limits.max_bytes)};
  NativeBlock whole{BlockFilter{shape, set.hash()}, set.funnel()};
  std::vector<std::byte> buffer;
  for (std::uint32_t i = 0; i < set.parts(); ++i) {
    const auto body = set.body(i, buffer);
    if (!body) return body.error();
    const Part part{i, set.parts()};
    const auto first = static_cast<std::size_t>(blocks_of(part, shape.blocks).first);
    const auto own = static_cast<std::size_t>(blocks_of(part, shape.blocks).size());
    const auto all = static_cast<std::size_t>(shape.blocks) * block::kBlockBytes;
    const ByteSpan into = whole.filter.bytes();
    const ByteView blocks = body->first(own * block::kBlockBytes);
    const ByteView seeds = body->subspan(blocks.size());
    if (auto valid = internal::check_seeds(
            {reinterpret_cast<const std::uint8_t*>(seeds.data()), seeds.size()});
        !valid)
      return valid.error();
    std::ranges::copy(blocks, into.subspan(first * block::kBlockBytes).begin());
    if (!seeds.empty()) std::ranges::copy(seeds, into.subspan(all + first).begin());
  }
  whole.filter.set_provenance(set.provenance());
  return whole;
}

Result<SetManifest> cut_filter(FileName filter, std::uint32_t parts, FileName folder,
                               std::string_view stem, const DecodeOptions& options) {
  const auto mapped = MappedNative::open(filter, options);
  if (!mapped) return mapped.error();
  if (mapped->kind() != NativeKind::kBlock && mapped->kind() != NativeKind::kLines)
    return Error{ErrorCode::kUnsupported,
                 "only filters of the layouts block and lines have parts: a key of another layout "
                 "sets bits all over the filter"};
  if (auto whole = mapped->verify(); !whole) return whole.error();
  const ByteView all = mapped->file_bytes();
  const auto header = decode_native_header(all, all.size(), {.max_bytes = all.size()});
  if (!header) return header.error();
  if (auto valid = checked(Part{0, parts}, header->block_shape().blocks); !valid)
    return valid.error();
  std::vector<PartHeader> files;
  for (std::uint32_t i = 0; i < parts; ++i) {
    const Part part{i, parts};
    const Slices slices = slices_of(mapped->bytes(), header->block_shape(), part);
    internal::NativeParts file;
    file.header = *header;
    file.header.flags |= kNativePart;
    file.header.part_index = i;
    file.header.part_count = parts;
    file.header.keys_inserted = kNativeCountUnknown;
    file.body = {slices.blocks};
    if (!slices.seeds.empty()) file.body.push_back(slices.seeds);
    file.header.body_bytes = part_bytes(header->block_shape(), part);
    file.header.body_checksum = internal::body_checksum(file.body);
    const std::string name = part_file_name(stem, part);
    const std::filesystem::path path = std::filesystem::path{folder.view()} / name;
    if (auto saved = internal::save_parts(file, path, nullptr); !saved) return saved.error();
    files.push_back({name, file.header});
  }
  auto manifest = manifest_of(std::move(files));
  if (manifest) manifest->whole.keys_inserted = header->keys_inserted;
  return manifest;
}

}  // namespace bloomery
