#include "apps/tracker/scan/scanner.h"

#include <algorithm>
#include <set>
#include <utility>

#include "apps/tracker/scan/linked_names.h"
#include "bloomery/base/message.h"

namespace bloomery::tracker {
namespace {

using Clock = std::chrono::steady_clock;

struct Child {
  std::string_view name;
  std::uint64_t identity = 0;
  ByteView known = {};  // its record; empty for a folder that is new
};

// A folder on the way to the place where the walk is. Those without folders in them never are.
struct Place {
  std::size_t key_size = 0;  // of the path to it
  std::size_t begun = 0;     // where its record begins
  std::vector<FolderName> names = {};
  std::vector<Child> children = {};
  std::size_t next = 0;
  FolderEnd end = {};
  std::uint64_t seen = 0;  // by the scans before this one
  bool read_all = false;
  Sweep::Side side = Sweep::Side::kAhead;
};

class Walk {
 public:
  Walk(FolderReader& reader, const ChangeSource& source, std::string_view root_key,
       const ScanRules& rules, const ScanFrame& frame, const ScanHooks& hooks)
      : reader_{reader},
        frame_{frame},
        hooks_{hooks},
        plan_{rules, frame, source},
        root_key_size_{root_key.size()},
        key_{root_key},
        next_checkpoint_{Clock::now() + hooks.checkpoint_every} {
    if (frame.known != nullptr) {
      out_.reserve(frame.known->body.size() + frame.known->body.size() / 8);
      if (frame.full_from == 0 && !rules.minio_exact)
        sweep_ = Sweep{rules.sweep, frame.known->sweep, frame.known->root_record()};
    }
  }

  Result<ScanResult> run();

 private:
  enum class Step : std::uint8_t { kDone, kStopped, kNoRoot };
  struct Sealed {
    FolderEnd end;
    bool stale = false;  // it holds what this scan did not look at
  };

  // What is to be done with a folder, before it is.
  struct Intent {
    std::optional<FolderRecord> known = {};
    std::vector<ChildRecord> children = {};  // if it is to be gone through
    Place place = {};
    Decision decision = {};
    bool sweeps = false;
  };
  Intent intent_for(const Child& child, const Place* above) const;
  Step visit(const Child& child, const Place* above);
  Step read_folder(const Child& child, Intent intent);
  void take_from_cache(const FolderRecord& folder);
  void descend(const FolderRecord& folder, Place place, const std::vector<ChildRecord>& known);
  void put(const FolderHead& head, bool due, Place place);
  void close_place();
  void seal(std::vector<std::byte>& out, bool& stale) const;
  Sealed seal_place(std::vector<std::byte>& out, const Place& place, const Sealed* inner) const;
  UsageCache cache_from(std::vector<std::byte> body, bool complete, bool stale) const;
  bool note_names();
  void checkpoint_if_due();
  void note_problem(const std::string& what);
  std::string_view path_below_root() const;

  FolderReader& reader_;
  const ScanFrame& frame_;
  const ScanHooks& hooks_;
  const ScanPlan plan_;
  const std::size_t root_key_size_;
  Sweep sweep_;
  std::string key_;  // of the place, as the tracker knows it
  std::vector<Place> places_;
  std::vector<std::byte> out_;
  Listing listing_;
  NameCounts names_;
  std::set<std::pair<std::uint64_t, std::uint64_t>> linked_folders_;  // by device and inode
  ScanResult result_;
  std::uint64_t known_done_ = 0;
  Clock::time_point next_checkpoint_;
};

std::string_view Walk::path_below_root() const {
  std::string_view path{key_};
  path.remove_prefix(root_key_size_);
  if (path.starts_with('/')) path.remove_prefix(1);
  return path;
}

void Walk::take_from_cache(const FolderRecord& folder) {
  result_.counts.from_cache += folder.folders;
  known_done_ += folder.folders;
  if (!places_.empty()) {
    out_.insert(out_.end(), folder.all.begin(), folder.all.end());
    places_.back().end.add(end_of(folder));
    return;
  }
  // The root says for all below it which scan saw them.
  const std::size_t begun = begin_record(out_, head_of(folder));
  out_.insert(out_.end(), folder.children.begin(), folder.children.end());
  FolderEnd end = end_of(folder);
  end.scan = frame_.scan;
  end_record(out_, begun, end);
}

// Precondition: the reader and the key are at the folder. After it, they are there only if it has
// folders, and so became the place.
void Walk::put(const FolderHead& head, bool due, Place place) {
  if (!place.children.empty()) {
    place.key_size = key_.size();
    place.begun = begin_record(out_, head);
    place.end.due = due;
    place.end.linked = head.linked;
    place.end.total = head.own;
    places_.push_back(std::move(place));
    return;
  }
  put_leaf(out_, head, frame_.scan, due);
  if (!places_.empty()) places_.back().end.add({due, false, frame_.scan, head.own, 1, head.linked});
}

void Walk::descend(const FolderRecord& folder, Place place, const std::vector<ChildRecord>& known) {
  for (const ChildRecord& child : known)
    place.children.push_back({child.name, child.identity, child.all});
  ++result_.counts.from_cache;
  ++known_done_;
  put(head_of(folder), false, std::move(place));
}

// Names that are there, with the records of those that were known: both are in order. A folder that
// was put in the place of another is new, with all below it.
std::vector<Child> merged(const std::vector<FolderName>& names, ByteView records) {
  std::vector<ChildRecord> known;
  (void)read_children(records, known);
  std::vector<Child> children;
  children.reserve(names.size());
  auto at = known.begin();
  for (const auto& [name, identity] : names) {
    while (at != known.end() && at->name < name) ++at;
    const bool is_known = at != known.end() && at->name == name && at->identity == identity;
    children.push_back({name, identity, is_known ? at->all : ByteView{}});
  }
  return children;
}

bool differs(const FolderRecord& known, const Listing& listing, const std::vector<Child>& merged) {
  std::vector<ChildRecord> children;
  (void)read_children(known.children, children);
  return known.own != listing.own || children.size() != merged.size() ||
         std::ranges::any_of(merged, [](const Child& child) { return child.known.empty(); });
}

// Whether a file of the listing has a name in another folder.
bool Walk::note_names() {
  if (listing_.linked.empty()) return false;
  // A folder that is mounted at two places has its names once all the same.
  const bool is_new = linked_folders_.emplace(listing_.device, listing_.inode).second;
  NameCounts here;
  for (const LinkedFile& file : listing_.linked) {
    if (is_new) names_.found(file);
    here.found(file);
  }
  return !here.elsewhere().empty();
}

void Walk::note_problem(const std::string& what) {
  ++result_.counts.unreadable;
  if (result_.problems.size() < kMostScanProblems)
    result_.problems.push_back({std::string{path_below_root()}, what});
}

Walk::Step Walk::read_folder(const Child& child, Intent intent) {
  if (hooks_.before_read && !hooks_.before_read(result_.counts, known_done_)) return Step::kStopped;
  const FolderOutcome outcome = reader_.read(listing_);
  const auto& known = intent.known;
  if (known) ++known_done_;
  if (outcome == FolderOutcome::kGone || outcome == FolderOutcome::kElsewhere) return Step::kNoRoot;
  const bool changed = intent.decision.changed;
  ScanCounts& counts = result_.counts;
  ++counts.read;
  ++(!known ? counts.added : changed ? counts.changed : counts.swept);
  if (intent.sweeps) sweep_.passed(path_below_root(), !known);
  const bool due = outcome == FolderOutcome::kUnreadable;
  if (due) note_problem(listing_.problem);
  Place& place = intent.place;
  place.names = std::move(listing_.folders);
  // Another folder, which has its name and its inode: nothing is known of those in it.
  const bool same = known && (known->due || known->born == listing_.born);
  place.children = merged(place.names, same ? known->children : ByteView{});
  if (known && !changed && !due && differs(*known, listing_, place.children)) ++counts.unmarked;
  const bool linked = note_names();
  const std::uint64_t identity = child.name.empty() ? frame_.root_identity : child.identity;
  put({child.name, identity, listing_.born, listing_.own, linked}, due, std::move(place));
  return Step::kDone;
}

Walk::Intent Walk::intent_for(const Child& child, const Place* above) const {
  Intent intent;
  if (!child.known.empty()) intent.known = read_record(child.known);
  Place& place = intent.place;
  place.side = above == nullptr ? sweep_.root_side()
                                : sweep_.side_of(above->side, places_.size() - 1, child.name);
  place.read_all = above != nullptr && above->read_all;
  intent.sweeps = sweep_.wants(place.side);
  if (!intent.known) return intent;
  place.seen = plan_.seen_by(*intent.known, above == nullptr ? 0 : above->seen);
  if (place.read_all) return intent;
  intent.decision =
      plan_.decide(*intent.known, key_, place.seen, intent.sweeps, sweep_.wants_below(place.side));
  place.read_all = intent.decision.visit == Visit::kReadAll;
  if (intent.decision.visit == Visit::kDescend &&
      !read_children(intent.known->children, intent.children))
    intent.decision = {};  // the cache contradicts itself: what is on the disk does not
  return intent;
}

// Of a child of the place, or of the root. A child that is gone leaves nothing.
Walk::Step Walk::visit(const Child& child, const Place* above) {
  const std::size_t key_size = key_.size();
  const std::size_t depth = places_.size();
  if (above != nullptr) {
    if (!key_.empty()) key_ += '/';
    key_ += child.name;
  }
  Intent intent = intent_for(child, above);
  const Visit visit = intent.known ? intent.decision.visit : Visit::kRead;
  Step step = Step::kDone;
  if (visit == Visit::kFromCache) {
    take_from_cache(*intent.known);
    key_.resize(key_size);
    return step;
  }
  if (above != nullptr) reader_.enter(child.name);
  if (visit == Visit::kDescend) {
    descend(*intent.known, std::move(intent.place), intent.children);
  } else {
    step = read_folder(child, std::move(intent));
  }
  if (places_.size() == depth) {
    if (above != nullptr) reader_.leave();
    key_.resize(key_size);
  }
  return above != nullptr && step == Step::kNoRoot ? Step::kDone : step;
}

// What remains of a place when the walk ends before it does: records as they were, and for what was
// never read one that says so.
Walk::Sealed Walk::seal_place(std::vector<std::byte>& out, const Place& place,
                              const Sealed* inner) const {
  Sealed sealed{place.end, inner != nullptr && inner->stale};
  if (inner != nullptr) sealed.end.add(inner->end);
  for (std::size_t i = place.next; i < place.children.size(); ++i) {
    const Child& child = place.children[i];
    const auto known = child.known.empty() ? std::nullopt : read_record(child.known);
    if (known) {
      out.insert(out.end(), known->all.begin(), known->all.end());
      sealed.end.add(end_of(*known));
      sealed.stale = true;
    } else {
      put_leaf(out, {child.name, child.identity}, frame_.scan, true);
      sealed.end.add({.due = true});
    }
  }
  sealed.end.scan = sealed.stale ? place.seen : frame_.scan;
  end_record(out, place.begun, sealed.end);
  return sealed;
}

void Walk::seal(std::vector<std::byte>& out, bool& stale) const {
  std::optional<Sealed> inner;
  for (auto place = places_.rbegin(); place != places_.rend(); ++place)
    inner = seal_place(out, *place, inner ? &*inner : nullptr);
  stale = inner && inner->stale;
}

void Walk::close_place() {
  const Sealed sealed = seal_place(out_, places_.back(), nullptr);
  places_.pop_back();
  if (places_.empty()) return;
  places_.back().end.add(sealed.end);
  reader_.leave();
  key_.resize(places_.back().key_size);
}

UsageCache Walk::cache_from(std::vector<std::byte> body, bool complete, bool stale) const {
  UsageCache cache;
  cache.scan = frame_.scan;
  if (stale && frame_.known != nullptr) {
    cache.cycles = frame_.known->cycles;
    if (cache.cycles.size() >= kMostScanCycles) cache.cycles.erase(cache.cycles.begin() + 1);
  }
  cache.cycles.push_back({frame_.scan, frame_.cycle});
  if (!complete) cache.full_from = frame_.full_from;
  const bool all_read = frame_.known == nullptr || frame_.full_from != 0;
  if (!complete) {
    cache.sweep = sweep_.interrupted();
  } else if (!all_read) {
    cache.sweep = sweep_.done();
  }
  if (complete) {
    cache.elsewhere = names_.elsewhere();
  } else if (frame_.known != nullptr) {
    cache.elsewhere = frame_.known->elsewhere;
  }
  cache.body = std::move(body);
  return cache;
}

void Walk::checkpoint_if_due() {
  if (!hooks_.checkpoint) return;
  const auto start = Clock::now();
  if (start < next_checkpoint_) return;
  std::vector<std::byte> body = out_;
  bool stale = false;
  seal(body, stale);
  UsageCache so_far = cache_from(std::move(body), false, stale);
  hooks_.checkpoint(so_far);
  const auto end = Clock::now();
  next_checkpoint_ =
      end + std::max(hooks_.checkpoint_every, hooks_.checkpoint_pause * (end - start));
}

Result<ScanResult> Walk::run() {
  Step step = visit(
      {.name = {}, .known = frame_.known == nullptr ? ByteView{} : ByteView{frame_.known->body}},
      nullptr);
  if (step == Step::kNoRoot)
    return Error{ErrorCode::kIo, "the folder was removed while it was scanned"};
  if (step == Step::kStopped) out_.clear();
  while (step == Step::kDone && !places_.empty()) {
    Place& place = places_.back();
    if (place.next == place.children.size()) {
      close_place();
      continue;
    }
    const Child child = place.children[place.next];
    const std::size_t depth = places_.size();
    step = visit(child, &place);
    if (step == Step::kStopped) break;
    ++places_[depth - 1].next;
    checkpoint_if_due();
  }
  result_.complete = step == Step::kDone;
  bool stale = false;
  seal(out_, stale);
  if (out_.empty()) {  // not even the root was read
    if (frame_.known != nullptr) {
      result_.cache = *frame_.known;
      if (frame_.full_from != 0) {  // all is still to be read, by this request or an earlier one
        result_.cache.scan = frame_.scan;
        result_.cache.full_from = frame_.full_from;
      }
    } else {
      put_leaf(out_, {.identity = frame_.root_identity}, frame_.scan, true);
      result_.cache = cache_from(std::move(out_), false, false);
    }
    return std::move(result_);
  }
  result_.cache = cache_from(std::move(out_), result_.complete, stale);
  return std::move(result_);
}

}  // namespace

Result<ScanResult> scan_tree(FolderReader& reader, const ChangeSource& source,
                             std::string_view root_key, const ScanRules& rules,
                             const ScanFrame& frame, const ScanHooks& hooks) {
  return Walk{reader, source, root_key, rules, frame, hooks}.run();
}

}  // namespace bloomery::tracker
