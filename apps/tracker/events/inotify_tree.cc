#include "apps/tracker/events/inotify_tree.h"

#include <algorithm>
#include <cassert>

namespace bloomery::tracker {

InotifyTree::Node InotifyTree::new_node() {
  if (free_.empty()) {
    nodes_.emplace_back();
    return static_cast<Node>(nodes_.size() - 1);
  }
  const Node node = free_.back();
  free_.pop_back();
  return node;
}

InotifyTree::Node InotifyTree::add_root(std::string path) {
  const Node node = new_node();
  nodes_[node].name = std::move(path);
  return node;
}

InotifyTree::Node InotifyTree::add_child(Node parent, std::string_view name) {
  const Node node = new_node();
  link(node, parent, name);
  return node;
}

InotifyTree::Node InotifyTree::child(Node parent, std::string_view name) const {
  const auto found = by_place_.find({parent, name});
  return found == by_place_.end() ? kNone : found->second;
}

void InotifyTree::link(Node node, Node parent, std::string_view name) {
  Item& item = nodes_[node];
  item.parent = parent;
  item.name = name;
  item.previous = kNone;
  item.next = nodes_[parent].first_child;
  if (item.next != kNone) nodes_[item.next].previous = node;
  nodes_[parent].first_child = node;
  [[maybe_unused]] const bool is_new = by_place_.emplace(Place{parent, item.name}, node).second;
  assert(is_new);
}

void InotifyTree::unlink(Node node) {
  Item& item = nodes_[node];
  if (item.parent == kNone) return;
  by_place_.erase({item.parent, item.name});
  if (item.previous != kNone) {
    nodes_[item.previous].next = item.next;
  } else {
    nodes_[item.parent].first_child = item.next;
  }
  if (item.next != kNone) nodes_[item.next].previous = item.previous;
  item.parent = item.next = item.previous = kNone;
}

// Built from its end, so that deep trees cost one copy and not one for each level.
std::string InotifyTree::path(Node node) const {
  std::size_t size = 0;
  for (Node at = node; at != kNone; at = nodes_[at].parent) size += nodes_[at].name.size() + 1;
  std::string path(size, '/');
  std::size_t end = size;
  for (Node at = node; at != kNone; at = nodes_[at].parent) {
    const std::string& name = nodes_[at].name;
    end -= name.size();
    name.copy(path.data() + end, name.size());
    --end;
  }
  // A region of the whole system has an empty path: then two slashes are in front.
  return path.substr(std::min(path.find_first_not_of('/'), path.size()));
}

InotifyTree::Node InotifyTree::by_watch(int watch) const {
  const auto found = by_watch_.find(watch);
  return found == by_watch_.end() ? kNone : found->second;
}

void InotifyTree::set_watch(Node node, int watch) {
  Item& item = nodes_[node];
  if (item.watch != kNoWatch) by_watch_.erase(item.watch);
  item.watch = watch;
  if (watch != kNoWatch) by_watch_[watch] = node;
}

void InotifyTree::move(Node node, Node parent, std::string_view name) {
  assert(!lies_below(parent, node));
  const std::string kept{name};  // it may be the node's own
  unlink(node);
  link(node, parent, kept);
}

void InotifyTree::detach(Node node) {
  if (nodes_[node].parent == kNone) return;
  std::string where = path(node);
  unlink(node);
  nodes_[node].name = std::move(where);
}

bool InotifyTree::lies_below(Node node, Node ancestor) const {
  for (; node != kNone; node = nodes_[node].parent)
    if (node == ancestor) return true;
  return false;
}

void InotifyTree::remove(Node node, std::vector<Removed>& removed) {
  unlink(node);
  std::vector<Node> doomed{node};
  while (!doomed.empty()) {
    const Node at = doomed.back();
    doomed.pop_back();
    for (Node below = nodes_[at].first_child; below != kNone; below = nodes_[below].next)
      doomed.push_back(below);
    removed.push_back({at, nodes_[at].watch});
    if (nodes_[at].watch != kNoWatch) by_watch_.erase(nodes_[at].watch);
    if (nodes_[at].parent != kNone) by_place_.erase({nodes_[at].parent, nodes_[at].name});
    nodes_[at] = Item{};
    free_.push_back(at);
  }
}

}  // namespace bloomery::tracker
