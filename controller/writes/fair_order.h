#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "informer/store.h"

namespace nlc::controller {

/// Who is next where groups share a line: of each group one, then of each another one, and within a
/// group whoever came first. So one with hundreds that hang keeps nobody else waiting for more than
/// one of them. Where one is taken quickly the next of its group is not kept for another round:
/// such go in the order in which they came, behind those that are the first of their groups. So the
/// last pod of a node waits for one of each node that died after it, and not for all of them. A
/// group that comes later does not make up for what it did not ask for. Pure.
class FairOrder {
 public:
  using Slot = informer::Slot;
  using Group = std::size_t;
  struct Rank {
    std::uint64_t round = 0;
    bool hurried = false;
    std::uint64_t came = 0;
    auto operator<=>(const Rank&) const = default;
  };
  using Place = std::pair<Rank, Slot>;

  Rank join(Slot slot, Group group);
  void leave(const Place& place, Group group);
  /// Whoever has that rank had its turn, and others of its round are next.
  void served(const Rank& rank);

  /// One of that group is on its way, whether it stood in the line or not; or is answered.
  void sent(Group group);
  void answered(Group group);
  /// One of that group was taken quickly: the next of it that would have to wait for another round
  /// has this place instead.
  std::optional<Place> hurry_next(Group group);

  bool has_some_under_way(Group group) const;
  const std::set<Place>& line() const { return line_; }
  /// Those whose group has none on its way, in their order.
  std::vector<Place> alone() const;

 private:
  struct GroupState {
    std::uint64_t next_round = 0;
    std::set<Place> waiting;
    int under_way = 0;
  };
  using Groups = std::map<Group, GroupState>;
  void changed(Groups::iterator group);

  Groups groups_;          ///< that wait, or have some on their way
  std::set<Group> alone_;  ///< those of them that wait and have none on their way
  std::set<Place> line_;
  std::uint64_t round_ = 0;
  std::uint64_t came_ = 0;
};

}  // namespace nlc::controller
