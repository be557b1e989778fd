#include "bloomery/formats/native/mapped.h"

#include <utility>
#include <vector>

#include "bloomery/base/file.h"
#include "bloomery/filter/block/health.h"
#include "bloomery/formats/native/body.h"
#include "bloomery/formats/native/layer_table.h"

namespace bloomery {
namespace {

template <unsigned kCounterBits>
bool counters_contain(const NativeHeader& header, const Modulus& modulus, ByteView body,
                      const BloomeryClassic& dialect, ByteView key) {
  Probes<BloomeryClassic> probes{dialect, dialect.digest(key), modulus};
  for (std::uint32_t i = 0; i < header.probes; ++i)
    if (Counters<kCounterBits>::get(body, probes.next()) == 0) return false;
  return true;
}

// Calls use(std::integral_constant of the counter's bits).
template <class Use>
auto with_counter_bits(unsigned bits, Use use) {
  if (bits == 2) return use(std::integral_constant<unsigned, 2>{});
  if (bits == 4) return use(std::integral_constant<unsigned, 4>{});
  return use(std::integral_constant<unsigned, 8>{});
}

std::string_view layout_name(NativeKind kind) {
  switch (kind) {
    case NativeKind::kClassic:
      return "classic";
    case NativeKind::kBlock:
      return "block";
    case NativeKind::kLines:
      return "lines";
    case NativeKind::kCounting:
      return "counting";
    case NativeKind::kScalable:
      break;
  }
  return "scalable";
}

}  // namespace

struct MappedNative::State {
  // One array of bits: a classic filter, or a layer of a scalable one.
  struct MappedLayer {
    internal::LayerRow row;
    Modulus modulus;
    ByteView bits;

    ClassicView<BloomeryClassic, const std::byte> view(const KeyHash& by) const {
      return {row.shape, modulus, bits, BloomeryClassic{by}};
    }
    Health health() const { return classic_health(row.shape, count_ones(bits), row.goal); }
  };

  MappedFile file;
  NativeHeader header;
  KeyHash hash;
  Modulus modulus;
  std::vector<MappedLayer> layers;  // of a classic or scalable filter

  ByteView body() const { return file.bytes().subspan(kNativeHeaderBytes); }
  bool is(NativeKind kind) const { return header.kind == kind; }

  Status find_layers() {
    if (is(NativeKind::kClassic))
      layers.push_back({{header.shape(), header.keys_inserted, {}}, modulus, body()});
    if (!is(NativeKind::kScalable)) return ok();
    const auto table_bytes = internal::layer_table_bytes(header);
    if (!table_bytes) return table_bytes.error();
    const auto rows = internal::read_layer_table(body().first(*table_bytes), header);
    if (!rows) return rows.error();
    std::size_t at = *table_bytes;
    for (const internal::LayerRow& row : *rows) {
      const auto bytes = static_cast<std::size_t>(row.shape.bytes());
      layers.push_back({row, Modulus{row.shape.bits}, body().subspan(at, bytes)});
      at += static_cast<std::size_t>(internal::padded(bytes));
    }
    return ok();
  }
};

Result<MappedNative> MappedNative::open(FileName path, const DecodeOptions& options) {
  auto file = MappedFile::open(path.view());
  if (!file) return file.error();
  const std::uint64_t size = file->bytes().size();
  const auto header = decode_native_header(file->bytes(), size, {.max_bytes = size});
  if (!header) return header.error();
  const auto hash = native_hash(*header, options.sip_key);
  if (!hash) return hash.error();
  MappedNative mapped{new State{std::move(*file), *header, *hash, Modulus{header->bits}, {}}};
  if (auto valid = mapped.state_->find_layers(); !valid) return valid.error();
  if (mapped.is_block_)
    if (auto valid = internal::check_seeds(mapped.block_.seeds()); !valid) return valid.error();
  return mapped;
}

MappedNative::MappedNative(State* state) : state_{state}, is_block_{state->header.is_blocks()} {
  if (is_block_) block_ = {state_->header.block_shape(), state_->body(), state_->hash};
}
MappedNative::MappedNative(MappedNative&& other) noexcept
    : state_{std::exchange(other.state_, nullptr)},
      is_block_{other.is_block_},
      block_{other.block_} {}
MappedNative& MappedNative::operator=(MappedNative&& other) noexcept {
  std::swap(state_, other.state_);
  std::swap(is_block_, other.is_block_);
  std::swap(block_, other.block_);
  return *this;
}
MappedNative::~MappedNative() { delete state_; }

Status MappedNative::check_size() const { return state_->file.check_size(); }
ByteView MappedNative::file_bytes() const { return state_->file.bytes(); }
NativeKind MappedNative::kind() const { return state_->header.kind; }
Shape MappedNative::shape() const { return state_->header.shape(); }
FunnelName MappedNative::funnel() const { return state_->header.funnel; }
const KeyHash& MappedNative::hash() const { return state_->hash; }
bool MappedNative::was_open() const { return state_->header.is_open(); }
ByteView MappedNative::bytes() const { return state_->body(); }

Status MappedNative::verify() const {
  if (was_open())
    return Error{ErrorCode::kMalformed,
                 "the file was left open for writing: its body checksum is not valid"};
  const NativeHeader& header = state_->header;
  const ByteView body = bytes();
  if (internal::body_checksum(std::span{&body, 1}) != header.body_checksum)
    return internal::damaged_body();
  for (const auto& layer : state_->layers)
    if (!internal::zero_past(layer.bits, layer.row.shape.bits)) return internal::dirty_end();
  if (state_->is(NativeKind::kCounting) &&
      !internal::zero_past(body, header.bits * header.counter_bits))
    return internal::dirty_end();
  return ok();
}

bool MappedNative::other_may_contain(ByteView key) const {
  const State& state = *state_;
  if (state.is(NativeKind::kCounting))
    return with_counter_bits(state.header.counter_bits, [&](auto bits) {
      return counters_contain<bits()>(state.header, state.modulus, state.body(),
                                      BloomeryClassic{state.hash}, key);
    });
  for (std::size_t i = state.layers.size(); i-- > 0;)  // the newest knows most keys
    if (state.layers[i].view(state.hash).may_contain(key)) return true;
  return false;
}

void MappedNative::other_may_contain_batch(std::span<const ByteView> keys,
                                           std::span<std::uint8_t> answers) const {
  const State& state = *state_;
  if (state.is(NativeKind::kCounting)) {
    for (std::size_t i = 0; i < keys.size(); ++i) answers[i] = other_may_contain(keys[i]) ? 1 : 0;
    return;
  }
  internal::ask_layers(
      state.layers.size(), keys, answers,
      [&](std::size_t layer, std::span<const ByteView> asked, std::span<std::uint8_t> found) {
        state.layers[layer].view(state.hash).may_contain_batch(asked, found);
      });
}

Health MappedNative::health() const {
  const auto goal = provenance().goal;
  if (is_block_) return block_health(block_.shape(), block_.blocks(), goal);
  if (state_->is(NativeKind::kCounting)) {
    const std::uint64_t used = with_counter_bits(state_->header.counter_bits, [&](auto bits) {
      return Counters<bits()>::count_non_zero(bytes());
    });
    return classic_health(shape(), used, goal);
  }
  if (state_->is(NativeKind::kClassic)) return classic_health(shape(), count_ones(bytes()), goal);
  StackHealth stack;
  for (const auto& layer : state_->layers) stack.add(layer.health(), layer.row.shape.bits);
  return stack.total(goal);
}

Provenance MappedNative::provenance() const {
  Provenance provenance = state_->header.provenance();
  if (was_open()) provenance.keys_inserted = std::nullopt;
  return provenance;
}

Description describe(const MappedNative& mapped) {
  Description description;
  description.format = "bloomery";
  description.layout = layout_name(mapped.kind());
  description.dialect = mapped.is_block_ ? BloomeryBlock::kName : BloomeryClassic::kName;
  if (mapped.kind() == NativeKind::kLines) description.dialect = BloomeryBlock::kLinesName;
  description.bits = mapped.shape().bits;
  description.probes = mapped.shape().probes;
  description.bytes = mapped.bytes().size();
  description.keys_inserted = mapped.provenance().keys_inserted;
  description.goal = mapped.provenance().goal;
  description.health = mapped.health();
  if (mapped.kind() != NativeKind::kScalable) return description;
  description.bits = 0;
  description.probes = std::nullopt;  // each layer has its own
  description.bytes = 0;
  for (const auto& layer : mapped.state_->layers) {
    *description.bits += layer.row.shape.bits;
    description.bytes += layer.bits.size();
    description.layers.push_back({message("layer ", description.layers.size() + 1),
                                  layer.row.shape.bits, layer.row.shape.probes, layer.bits.size(),
                                  layer.row.keys_inserted, layer.row.goal, layer.health()});
  }
  return description;
}

}  // namespace bloomery
