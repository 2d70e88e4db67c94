#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>

namespace nlc::controller {

/// Who is next where groups share a line: of each group one, then of each another one, and within a
/// group whoever came first. So one with hundreds that hang keeps nobody else waiting for more than
/// one of them. A group that comes later does not make up for what it did not ask for. Pure.
class TurnOrder {
 public:
  using Group = std::size_t;
  struct Turn {
    std::uint64_t round = 0;
    std::uint64_t came = 0;
    auto operator<=>(const Turn&) const = default;
  };

  /// One more of that group waits.
  Turn join(Group group);
  /// It waits no more.
  void leave(Group group);
  /// It was its turn, and others of that round are next. It has left.
  void served(const Turn& turn);

  /// One of that group is on its way, waited for or not; or is answered.
  void sent(Group group);
  void answered(Group group);
  bool has_some_under_way(Group group) const;

 private:
  struct Standing {
    std::uint64_t next_round = 0;
    int waiting = 0;
    int under_way = 0;
  };
  void forget_idle(std::map<Group, Standing>::iterator known);

  std::map<Group, Standing> groups_;  ///< that wait, or have some on their way
  std::uint64_t round_ = 0;
  std::uint64_t came_ = 0;
};

}  // namespace nlc::controller
