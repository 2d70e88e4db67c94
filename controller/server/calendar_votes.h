#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "controller/rules/moment.h"
#include "informer/store.h"

namespace nlc::controller {

/// Whether the kubelets' calendars agree with ours. Two that agree may both be wrong, as those of a
/// server and a controller on one machine are: each node has one vote, its latest, and most votes
/// decide (docs/decisions/0027). Pure.
class CalendarVotes {
 public:
  using Slot = informer::Slot;

  /// The kubelet of `node` dated a heartbeat so, which came at most `ago` after it was sent.
  void heard(Slot node, std::optional<WallTime> dated, Duration ago, Moment at);
  void forget(Slot node);

  /// Where nobody ever said which time it is, nobody contradicts.
  bool agree() const { return for_ > against_ || for_ + against_ == 0; }

 private:
  enum class Vote : signed char { None, For, Against };
  void cast(Slot node, Vote vote);
  std::size_t& count(Vote vote) { return vote == Vote::For ? for_ : against_; }

  std::vector<Vote> votes_;
  std::size_t for_ = 0;
  std::size_t against_ = 0;
};

}  // namespace nlc::controller
