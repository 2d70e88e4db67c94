#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "informer/store.h"
#include "runtime/time.h"

namespace nlc::controller {

/// Who is next where groups share a line: whoever came first, but of each group a few at most, then
/// of each a few more. So the last pod of a node does not wait for the first of all nodes that died
/// after it. Of a group that hangs one has its turn in each round: however many groups hang, each
/// keeps nobody else waiting for more than one of its hundreds. A group that comes later does not
/// make up for what it did not ask for. Pure.
class FairOrder {
 public:
  using Slot = informer::Slot;
  using Group = std::size_t;
  struct Rank {
    std::uint64_t round = 0;
    std::uint64_t came = 0;
    auto operator<=>(const Rank&) const = default;
  };
  using Place = std::pair<Rank, Slot>;

  /// Of one group in one round. Few nodes have more pods of one namespace.
  static constexpr int few = 8;

  Rank join(Slot slot, Group group);
  void leave(const Place& place, Group group);
  /// Whoever has that rank had its turn, and others of its round are next.
  void served(const Rank& rank);

  /// One of that group is on its way, whether it stood in the line or not; or is answered.
  void sent(Group group, Instant now);
  void answered(Group group);

  /// Fewer of that group have been answered than were on their way a while ago, and those that wait
  /// have places for a few of them in each round.
  bool has_to_give_way(Group group, Instant now) const;
  /// Gives them places for one in each round, and so whoever joins until all of the group that are
  /// on their way have been answered.
  std::vector<Place> give_way(Group group);

  bool has_some_under_way(Group group) const;
  const std::set<Place>& line() const { return line_; }
  /// Those whose group has none on its way, in their order.
  std::vector<Place> alone() const;

 private:
  struct GroupState {
    std::uint64_t round = 0;
    int in_round = 0;  ///< that joined for it
    std::set<Place> waiting;
    std::deque<Instant> under_way;  ///< when they were sent; the first goes with each answer
    bool gives_way = false;
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
