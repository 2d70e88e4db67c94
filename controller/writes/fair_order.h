#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "informer/store.h"

namespace nlc::controller {

/// Who is next where groups share a line: a fair queue. In each round every group has one turn, and
/// within a group whoever came first is first. So a group with hundreds that hang keeps nobody else
/// waiting for more than one of them in each round.
///
/// Where one is answered quickly the next of its group need not wait for another round: it is
/// promoted into the present one. Those that are promoted go in the order in which they came,
/// behind all that have their turn in that round, and are no more in one round than there were
/// groups when it began, or a few. So the last pod of a node does not wait for all pods of each
/// node that died after it, and who is not promoted waits for two of each group at most where it
/// would have waited for one.
///
/// A group that comes later begins with the present round: what it did not ask for before it does
/// not make up for. Nor do groups pay for what they were given before it came: once all that wait
/// have had more than the present round is the one before their next.
///
/// Pure, on one thread.
class FairOrder {
 public:
  using Slot = informer::Slot;
  using Group = std::size_t;
  /// The lower is next.
  struct Rank {
    std::uint64_t round = 0;
    bool promoted = false;
    std::uint64_t came = 0;  ///< how many had come before
    auto operator<=>(const Rank&) const = default;
  };
  using Place = std::pair<Rank, Slot>;

  void join(Slot slot, Group group);
  void leave(Slot slot, Group group);
  /// That one has its turn, and others of its round are next.
  void served(Slot slot);

  /// One of that group is in flight, whether it stood in the line or not; or is answered.
  void sent(Group group);
  void answered(Group group);
  /// One of that group was answered quickly. The next of it that would have to wait for another
  /// round is promoted; false: there is none, or enough were.
  bool promote_next(Group group);
  static constexpr std::size_t few = 16;

  bool has_in_flight(Group group) const;
  const std::set<Place>& line() const { return line_; }
  /// Those whose group has none in flight, in their order.
  std::vector<Place> line_of_idle_groups() const;

 private:
  struct GroupState {
    std::uint64_t next_round = 0;
    std::set<Place> waiting;
    int in_flight = 0;
  };
  using Groups = std::map<Group, GroupState>;
  void place(Slot slot, Rank rank, GroupState& group);
  void displace(Slot slot, GroupState& group);
  void begin_round(std::uint64_t round);
  void skip_rounds();
  void changed(Groups::iterator group);

  std::map<Slot, Rank> ranks_;
  Groups groups_;         ///< that have some waiting or in flight
  std::set<Group> idle_;  ///< those of them that have none in flight
  std::set<Place> line_;
  std::uint64_t round_ = 0;   ///< the present one
  std::size_t promoted_ = 0;  ///< into it
  std::size_t promoted_most_ = few;
  std::uint64_t came_ = 0;
};

}  // namespace nlc::controller
