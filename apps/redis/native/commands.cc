#include "apps/redis/native/commands.h"

#include <cstdio>

#include "apps/redis/command/health_replies.h"
#include "apps/redis/native/elsewhere.h"
#include "apps/redis/native/window.h"
#include "apps/redis/server/numbers.h"

namespace bloomery::redis_module {
namespace {

struct QueriedFilter {
  const NativeContent& content;
  std::int64_t now = time_for(*content.filter());

  const LayeredFilter& filter() const { return *content.filter(); }
  // Of the layers that answer now; no more than a reply can say.
  template <class Number>
  std::uint64_t sum(Number number) const {
    std::uint64_t sum = 0;
    filter().for_each_layer(now, [&](const TimeSlice&, const FilterLayer& layer) {
      sum += std::min<std::uint64_t>(number(layer), INT64_MAX - sum);
    });
    return sum;
  }
  std::uint64_t keys_inserted() const {
    return sum([](const FilterLayer& layer) { return layer.keys_inserted(); });
  }
};

struct Field {
  const char* word;  // as the client asks for it
  const char* name;  // as the answer spells it
  int (*reply)(const CommandCall&, const QueriedFilter&);
};
// The peer's five come first: clients take them by their places.
constexpr Field kFields[] = {
    {"CAPACITY", "Capacity",
     [](const CommandCall& call, const QueriedFilter& asked) {
       return reply_number(call,
                           asked.sum([](const FilterLayer& layer) { return layer.goal().keys; }));
     }},
    {"SIZE", "Size",
     [](const CommandCall& call, const QueriedFilter& asked) {
       return reply_number(call, reported_bytes(asked.content));
     }},
    {"FILTERS", "Number of filters",
     [](const CommandCall& call, const QueriedFilter& asked) {
       return reply_number(call, asked.sum([](const FilterLayer&) { return 1; }));
     }},
    {"ITEMS", "Number of items inserted",
     [](const CommandCall& call, const QueriedFilter& asked) {
       return reply_number(call, asked.keys_inserted());
     }},
    {"EXPANSION", "Expansion rate",
     [](const CommandCall& call, const QueriedFilter& asked) {
       const std::uint32_t expansion = asked.filter().plan().expansion;
       return expansion == 0 ? api.ReplyWithNull(call.context) : reply_number(call, expansion);
     }},
    {"LAYOUT", "Layout",
     [](const CommandCall& call, const QueriedFilter& asked) {
       const bool block = asked.filter().plan().layout == LayerKind::kBlock;
       return reply_text(call, block ? "block" : "classic");
     }},
    {"COUNTING", "Counting",
     [](const CommandCall& call, const QueriedFilter& asked) {
       return reply_bool(call, asked.filter().plan().layout == LayerKind::kCounting);
     }},
    {"WINDOW", "Window",
     [](const CommandCall& call, const QueriedFilter& asked) {
       const auto& window = asked.filter().plan().window;
       if (!window) return api.ReplyWithNull(call.context);
       return reply_number(call, static_cast<std::uint64_t>(window->milliseconds / 1000));
     }},
    {"SLICES", "Slices",
     [](const CommandCall& call, const QueriedFilter& asked) {
       const auto& window = asked.filter().plan().window;
       return window ? reply_number(call, window->slices) : api.ReplyWithNull(call.context);
     }},
    {"SECRET", "Secret",
     [](const CommandCall& call, const QueriedFilter& asked) {
       return reply_bool(call, asked.filter().plan().secret.has_value());
     }},
};
constexpr std::size_t kFirstExtension = 5;

int reply_of_part(const CommandCall& call, const QueriedFilter& asked,
                  int (*reply)(const CommandCall&, const LayeredPart&)) {
  const auto& part = asked.filter().plan().part;
  return part ? reply(call, *part) : api.ReplyWithNull(call.context);
}
// Only a part lists them; of others they are null.
constexpr Field kPartFields[] = {
    {"PART", "Part",
     [](const CommandCall& call, const QueriedFilter& asked) {
       return reply_of_part(call, asked, [](const CommandCall& of, const LayeredPart& part) {
         return reply_text(of,
                           std::to_string(part.part.index) + "/" + std::to_string(part.part.parts));
       });
     }},
    {"BLOCKS", "Blocks of the whole",
     [](const CommandCall& call, const QueriedFilter& asked) {
       return reply_of_part(call, asked, [](const CommandCall& of, const LayeredPart& part) {
         return reply_number(of, part.shape.blocks);
       });
     }},
    {"PROBES", "Probes",
     [](const CommandCall& call, const QueriedFilter& asked) {
       return reply_of_part(call, asked, [](const CommandCall& of, const LayeredPart& part) {
         return reply_number(of, part.shape.probes);
       });
     }},
    {"HASH", "Hash",
     [](const CommandCall& call, const QueriedFilter& asked) {
       return reply_of_part(call, asked, [](const CommandCall& of, const LayeredPart& part) {
         return reply_text(of, std::string{profile_name(part.profile)});
       });
     }},
    {"SEED", "Seed",
     [](const CommandCall& call, const QueriedFilter& asked) {
       return reply_of_part(call, asked, [](const CommandCall& of, const LayeredPart& part) {
         return reply_text(of, std::to_string(part.seed));
       });
     }},
};

std::span<const Field> part_fields(const QueriedFilter& asked) {
  return asked.filter().plan().part ? std::span<const Field>{kPartFields}
                                    : std::span<const Field>{};
}

void reply_fields(const CommandCall& call, const QueriedFilter& asked,
                  std::span<const Field> fields) {
  for (const Field& field : fields) {
    reply_name(call, field.name);
    field.reply(call, asked);
  }
}

std::string debug_text(const LayeredFilter& filter, const TimeSlice& slice,
                       const FilterLayer& layer) {
  char text[256];
  const int written = std::snprintf(
      text, sizeof text,
      "bytes:%zu bits:%llu hashes:%u hashwidth:128 capacity:%llu size:%llu ratio:%g",
      layer.bytes().size(), static_cast<unsigned long long>(layer.shape().bits),
      layer.shape().probes, static_cast<unsigned long long>(layer.goal().keys),
      static_cast<unsigned long long>(layer.keys_inserted()), layer.goal().false_positive_rate);
  std::string line{text, static_cast<std::size_t>(written)};
  if (filter.plan().window) line += " start:" + std::to_string(slice.start);
  return line;
}

}  // namespace

int native_exists(const CommandCall& call, NativeKey& key) {
  const QueriedFilter asked{key.value()->filter()};
  if (const auto refused = refuse_elsewhere(call, asked.filter(), call.words.subspan(2)))
    return *refused;
  return reply_bool(call, asked.filter().may_contain(call.bytes(2), asked.now));
}

int native_mexists(const CommandCall& call, NativeKey& key) {
  const QueriedFilter asked{key.value()->filter()};
  if (const auto refused = refuse_elsewhere(call, asked.filter(), call.words.subspan(2)))
    return *refused;
  std::vector<ByteView> keys;
  keys.reserve(call.words.size());
  for (const String* word : call.words.subspan(2)) keys.push_back(bytes_of(text_of(word)));
  std::vector<std::uint8_t> answers(keys.size());
  asked.filter().may_contain_batch(keys, asked.now, answers);
  reply_array(call, answers.size());
  for (const std::uint8_t answer : answers) reply_bool(call, answer != 0);
  return kOk;
}

int native_info(const CommandCall& call, NativeKey& key) {
  const QueriedFilter asked{key.value()->filter()};
  if (call.words.size() == 2) {
    reply_map(call, std::size(kFields) + part_fields(asked).size());
    reply_fields(call, asked, kFields);
    reply_fields(call, asked, part_fields(asked));
    return kOk;
  }
  for (const std::span<const Field> fields : {std::span<const Field>{kFields}, {kPartFields}})
    for (const Field& field : fields) {
      if (!same_word(call.text(2), field.word)) continue;
      if (speaks_resp3(call)) {
        reply_map(call, 1);
        reply_name(call, field.name);
      } else {
        reply_array(call, 1);
      }
      return field.reply(call, asked);
    }
  return reply_refusal(call, Refusal::kUnknownField);
}

int native_card(const CommandCall& call, NativeKey& key) {
  return reply_number(call, QueriedFilter{key.value()->filter()}.keys_inserted());
}

int native_debug(const CommandCall& call, NativeKey& key) {
  const QueriedFilter asked{key.value()->filter()};
  std::vector<std::string> lines{"size:" + std::to_string(asked.keys_inserted())};
  asked.filter().for_each_layer({}, [&](const TimeSlice& slice, const FilterLayer& layer) {
    lines.push_back(debug_text(asked.filter(), slice, layer));
  });
  return reply_texts(call, lines);
}

int native_health(const CommandCall& call, NativeKey& key) {
  const QueriedFilter asked{key.value()->filter()};
  const auto ours = std::span{kFields}.subspan(kFirstExtension);
  reply_map(call, kHealthFields + ours.size() + part_fields(asked).size() + 1);
  reply_health_fields(call, asked.filter().health(asked.now),
                      asked.filter().plan().goal.false_positive_rate, asked.keys_inserted());
  reply_fields(call, asked, ours);
  reply_fields(call, asked, part_fields(asked));
  reply_name(call, "Filters");
  reply_array(call, static_cast<std::size_t>(asked.sum([](const FilterLayer&) { return 1; })));
  asked.filter().for_each_layer(asked.now, [&](const TimeSlice&, const FilterLayer& layer) {
    reply_layer_health(call, layer.shape(), layer.health(), layer.goal().false_positive_rate,
                       layer.keys_inserted());
  });
  return kOk;
}

}  // namespace bloomery::redis_module
