#include "apps/tracker/scan/scanned_trees.h"

#include <algorithm>

#include "apps/tracker/scan/usage_cache.h"
#include "apps/tracker/state/paths.h"
#include "bloomery/base/file.h"
#include "bloomery/base/list_folder.h"
#include "bloomery/base/message.h"

namespace bloomery::tracker {
namespace {

Error refused(std::string_view path, std::string_view why) {
  return {ErrorCode::kInvalidArgument, message(path, ": ", why)};
}

// The names of one file: as it was given, and without the symbolic links on its way, or in its
// place too. A name that is gone is no hindrance.
std::vector<std::string> path_names(const std::filesystem::path& path) {
  std::vector<std::string> names{clean_path(path.string())};
  std::error_code failed;
  if (const auto real = std::filesystem::weakly_canonical(path, failed); !failed)
    names.push_back(clean_path(real.string()));
  if (const auto above = std::filesystem::weakly_canonical(path.parent_path(), failed); !failed)
    names.push_back(clean_path((above / path.filename()).string()));
  return names;
}

void add(std::vector<std::string>& keys, std::string key) {
  if (std::ranges::find(keys, key) == keys.end()) keys.push_back(std::move(key));
}

std::string in_words(const std::vector<ScannedTree>& trees) {
  constexpr std::size_t kShown = 3;
  std::string words;
  for (std::size_t i = 0; i < std::min(trees.size(), kShown); ++i)
    words += (i == 0 ? "" : ", ") + trees[i].root;
  return trees.size() > kShown ? words + ", ..." : words;
}

}  // namespace

Result<std::vector<ScannedTree>> scanned_trees(const std::filesystem::path& state) {
  std::vector<ScannedTree> trees;
  std::error_code ignored;
  if (!std::filesystem::is_directory(state, ignored)) return trees;
  const auto names = list_folder(state.string());
  if (!names) return names.error();
  for (const std::string& name : *names) {
    if (!name.starts_with("usage-") || !name.ends_with(".bloomery")) continue;
    const auto file = MappedFile::open(state / name);
    if (!file) continue;
    if (auto cache = decode_usage_header(file->bytes()))
      trees.push_back({std::move(cache->root), std::move(cache->key)});
  }
  std::ranges::sort(trees, {}, &ScannedTree::root);
  return trees;
}

bool exists_in_any(std::string_view key, const std::vector<ScannedTree>& trees) {
  return std::ranges::any_of(trees, [&](const ScannedTree& tree) {
    if (!lies_in(key, tree.key)) return false;
    const std::string below = clean_path(key.substr(tree.key.size()));
    const std::filesystem::path root{tree.root};
    std::error_code ignored;
    return below.empty() || std::filesystem::exists(root / below, ignored) ||
           std::filesystem::exists(root / parent_of(below), ignored);
  });
}

Result<std::vector<std::string>> keys_of_path(std::string_view path,
                                              const std::vector<ScannedTree>& trees) {
  if (path.empty())
    return Error{ErrorCode::kInvalidArgument,
                 "an empty path names nothing; the root of the marks is ."};
  std::vector<std::string> keys;
  if (!path.starts_with('/')) {
    if (leads_out(path))
      return refused(path, "leads out of the tree; give the path relative to its root");
    keys.push_back(clean_path(path));
    return keys;
  }
  for (const std::string& name : path_names(std::filesystem::path{path}))
    for (const ScannedTree& tree : trees) {
      const std::string root = clean_path(tree.root);
      if (lies_in(name, root))
        add(keys, clean_path(tree.key, std::string_view{name}.substr(root.size())));
    }
  if (!keys.empty()) return keys;
  if (trees.empty())
    return refused(path,
                   "an absolute path, and no tree is known: none was scanned with this state; give "
                   "the path relative to the folder that is scanned");
  return refused(path, message("lies in no tree that was scanned with this state (",
                               in_words(trees), "); give a path relative to the scanned folder"));
}

}  // namespace bloomery::tracker
