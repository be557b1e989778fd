// The folders that inotify watches, as a tree: a folder that is renamed takes everything below it
// along by changing one node, and a watch finds its path by the way up.
#pragma once
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace bloomery::tracker {

class InotifyTree {
 public:
  using Node = std::uint32_t;
  static constexpr Node kNone = UINT32_MAX;
  static constexpr int kNoWatch = -1;

  // A folder that lies in no other one of the tree: a region, or one that left its place and may
  // turn up elsewhere. Its path is clean.
  Node add_root(std::string path);
  // Precondition: the parent has no child of that name.
  Node add_child(Node parent, std::string_view name);
  Node child(Node parent, std::string_view name) const;  // kNone if there is none
  Node first_child(Node node) const { return nodes_[node].first_child; }
  Node parent(Node node) const { return nodes_[node].parent; }
  std::string path(Node node) const;  // clean

  Node by_watch(int watch) const;  // kNone for a watch that is not known
  int watch(Node node) const { return nodes_[node].watch; }
  // kNoWatch takes it away. Precondition: no other node has it.
  void set_watch(Node node, int watch);

  // From where it is to another place, with all below it. Precondition: the new parent does not lie
  // in it, and has no child of that name.
  void move(Node node, Node parent, std::string_view name);
  // Becomes a root, whose path is where it was.
  void detach(Node node);
  bool lies_below(Node node, Node ancestor) const;  // or is it
  // The node and all below it are gone: each is reported, with its watch or kNoWatch. Their numbers
  // may mean others from now on.
  struct Removed {
    Node node;
    int watch;
  };
  void remove(Node node, std::vector<Removed>& removed);

  std::size_t size() const { return nodes_.size() - free_.size(); }
  std::size_t watches() const { return by_watch_.size(); }

 private:
  struct Item {
    Node parent = kNone;
    Node first_child = kNone;
    Node next = kNone;
    Node previous = kNone;
    int watch = kNoWatch;
    std::string name = {};  // of a root: its path
  };
  struct Place {
    Node parent;
    std::string_view name;  // in the node
    friend bool operator==(const Place&, const Place&) = default;
  };
  struct HashPlace {
    std::size_t operator()(const Place& place) const {
      return std::hash<std::string_view>{}(place.name) ^ (place.parent * 0x9e3779b97f4a7c15U);
    }
  };
  Node new_node();
  void link(Node node, Node parent, std::string_view name);
  void unlink(Node node);

  std::deque<Item> nodes_;  // never move in memory: places refer to their names
  std::vector<Node> free_;
  std::unordered_map<Place, Node, HashPlace> by_place_;
  std::unordered_map<int, Node> by_watch_;
};

}  // namespace bloomery::tracker
