#include "apps/tracker/scan/usage_view.h"

#include <algorithm>
#include <queue>

namespace bloomery::tracker {
namespace {

struct Candidate {
  std::uint64_t bytes = 0;
  std::uint64_t order = 0;  // folders of one size: the one found first
  std::size_t above = 0;
  ByteView record = {};
  bool operator<(const Candidate& other) const {
    return bytes != other.bytes ? bytes < other.bytes : order > other.order;
  }
};

struct Chosen {
  FolderRecord record;
  std::vector<std::size_t> inside = {};  // of the chosen; the largest first
};

// A folder is never smaller than one in it, so the largest of all are found from the root down.
std::vector<Chosen> choose(const UsageCache& cache, std::size_t count) {
  std::vector<Chosen> chosen;
  std::priority_queue<Candidate> queue;
  std::uint64_t order = 0;
  queue.push({0, order++, 0, cache.body});
  while (!queue.empty() && chosen.size() < count) {
    const Candidate next = queue.top();
    queue.pop();
    const auto record = read_record(next.record);
    if (!record) continue;
    if (!chosen.empty()) chosen[next.above].inside.push_back(chosen.size());
    chosen.push_back({*record});
    std::vector<ChildRecord> children;
    (void)read_children(record->children, children);
    for (const ChildRecord& child : children)
      if (const auto folder = read_record(child.all))
        queue.push({folder->total.bytes, order++, chosen.size() - 1, child.all});
  }
  return chosen;
}

std::string joined(const std::string& above, std::string_view name) {
  return above.empty() ? std::string{name} : above + "/" + std::string{name};
}

}  // namespace

std::vector<LargeFolder> largest_folders(const UsageCache& cache, std::size_t count) {
  const std::vector<Chosen> chosen = choose(cache, count);
  std::vector<LargeFolder> shown;
  struct Next {
    std::size_t index, depth;
    std::string above;
    bool is_last;
  };
  std::vector<Next> stack;
  if (!chosen.empty()) stack.push_back({0, 0, {}, true});
  while (!stack.empty()) {
    const Next next = std::move(stack.back());
    stack.pop_back();
    const Chosen& folder = chosen[next.index];
    const std::string path = joined(next.above, folder.record.name);
    shown.push_back({path, next.depth, next.is_last, folder.record});
    for (std::size_t i = folder.inside.size(); i-- > 0;)
      stack.push_back({folder.inside[i], next.depth + 1, path, i + 1 == folder.inside.size()});
  }
  return shown;
}

bool for_each_folder(const UsageCache& cache,
                     const std::function<void(std::string_view, const FolderRecord&)>& use) {
  struct Next {
    ByteView record;
    std::size_t path_size;  // of the folder it is in
  };
  std::vector<Next> stack{{cache.body, 0}};
  std::string path;
  std::vector<ChildRecord> children;
  while (!stack.empty()) {
    const Next next = stack.back();
    stack.pop_back();
    const auto record = read_record(next.record);
    if (!record) return false;
    path.resize(next.path_size);
    if (!path.empty()) path += '/';
    path += record->name;
    use(path, *record);
    children.clear();
    if (!read_children(record->children, children)) return false;
    for (auto child = children.rbegin(); child != children.rend(); ++child)
      stack.push_back({child->all, path.size()});
  }
  return true;
}

}  // namespace bloomery::tracker
