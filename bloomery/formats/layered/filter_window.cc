#include <algorithm>

#include "bloomery/formats/layered/filter.h"

namespace bloomery {

// Slices begin at whole spans after the first, however late the next write comes.
std::optional<std::int64_t> LayeredFilter::rotation_due(std::int64_t now) const {
  if (!plan_.window) return std::nullopt;
  const std::int64_t start = slices_.back().start;
  const std::int64_t span = plan_.window->span();
  if (now >= start + span) return start + (now - start) / span * span;
  if (now + plan_.window->slice_lives() < start) return now;
  return std::nullopt;
}

Result<bool> LayeredFilter::rotate(std::int64_t time) {
  if (!plan_.window) return false;
  const std::int64_t lives = plan_.window->slice_lives();
  if (time + lives < slices_.back().start) {
    for (TimeSlice& slice : slices_) slice.start = std::min(slice.start, time);
    return true;
  }
  if (time < slices_.back().start + plan_.window->span()) return false;
  const auto over = [&](const TimeSlice& slice) { return slice.start + lives <= time; };
  std::uint64_t kept = 0;
  for (const TimeSlice& slice : slices_)
    if (!over(slice))
      for (const FilterLayer& layer : slice.layers) kept += layer.bytes().size();
  const auto ended = static_cast<std::size_t>(std::ranges::count_if(slices_, over));
  // No place for another slice: the newest stays open instead, and its keys live longer.
  if (slices_.size() - ended >= plan_.window->most_held()) {
    slices_.back().start = time;
    std::erase_if(slices_, over);
    return true;
  }
  const std::uint64_t left = kept < limits_.max_bytes ? limits_.max_bytes - kept : 0;
  auto layer = FilterLayer::make(plan_.layout, plan_.first_layer(), plan_.hash(), left, memory_);
  if (!layer) return layer.error();
  TimeSlice fresh{time, {}};
  fresh.layers.push_back(std::move(*layer));
  slices_.push_back(std::move(fresh));
  std::erase_if(slices_, over);
  return true;
}

std::optional<std::int64_t> LayeredFilter::requested_rotation(std::int64_t time,
                                                              std::int64_t now) const {
  if (!plan_.window) return std::nullopt;
  if (time > now)  // the last moment at which every slice that answers now still does
    for (const TimeSlice& slice : slices_)
      if (live(slice, now)) time = std::min(time, slice.start + plan_.window->slice_lives() - 1);
  if (time < slices_.back().start + plan_.window->span()) return std::nullopt;
  return time;
}

void LayeredFilter::shift_to(std::int64_t newest_start) {
  const std::int64_t by = newest_start - slices_.back().start;
  for (TimeSlice& slice : slices_)
    slice.start = std::clamp<std::int64_t>(slice.start + by, 0, TimeWindow::kLatest);
}

// The youngest that forgets the other's keys no sooner than the other would have; the newest takes
// those from after it, and is as young from then on.
TimeSlice& LayeredFilter::slice_for(std::int64_t start) {
  const auto found =
      std::ranges::find_if(slices_, [&](const TimeSlice& slice) { return slice.start >= start; });
  if (found != slices_.end()) return *found;
  slices_.back().start = start;
  return slices_.back();
}

namespace {

Error refused(std::string text) { return {ErrorCode::kInvalidArgument, std::move(text)}; }

Status merge_layers(std::vector<FilterLayer>& into, const std::vector<FilterLayer>& from) {
  if (into.size() != from.size())
    return refused(message("the filters have ", into.size(), " and ", from.size(),
                           " layers: keys of one cannot join the bits of the other"));
  bool known = true;
  for (std::size_t i = 0; i < into.size(); ++i) {
    const auto part = from[i].is_subset_of(into[i]);
    if (!part) return part.error();
    known &= *part;
  }
  for (std::size_t i = 0; !known && i < into.size(); ++i)
    if (auto merged = into[i].merge(from[i]); !merged) return merged;
  return ok();
}

}  // namespace

Status LayeredFilter::may_join(const LayeredFilter& other) const {
  if (plan_.layout != other.plan_.layout || plan_.window != other.plan_.window)
    return refused("the filters have different layouts or windows");
  if (!(plan_.hash() == other.plan_.hash()))
    return refused("the filters hash differently: a SECRET is that of one filter and its copies");
  // What an older layer took over would hide keys of the younger ones from removal.
  if (plan_.layout == LayerKind::kCounting && std::max(layers(), other.layers()) > 1)
    return refused("filters that count are merged only while each has one layer");
  return ok();
}

Result<LayeredFilter> LayeredFilter::union_of(const LayeredFilter& first,
                                              std::span<const LayeredFilter* const> others) {
  LayeredFilter merged = first.clone();
  for (const LayeredFilter* other : others) {
    if (auto fits = first.may_join(*other); !fits) return fits.error();
    for (const TimeSlice& slice : other->slices_)
      if (auto done = merge_layers(merged.slice_for(slice.start).layers, slice.layers); !done)
        return done.error();
  }
  return merged;
}

}  // namespace bloomery
