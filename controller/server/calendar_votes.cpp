#include "controller/server/calendar_votes.h"

#include <utility>

namespace nlc::controller {
namespace {

constexpr Duration skew = std::chrono::seconds(2);

}  // namespace

void CalendarVotes::heard(Slot node, std::optional<WallTime> dated, Duration ago, Moment at) {
  if (!dated) return;
  const Duration age = at.wall - *dated;
  cast(node, age > -skew && age <= ago + skew ? Vote::For : Vote::Against);
}

void CalendarVotes::forget(Slot node) { cast(node, Vote::None); }

void CalendarVotes::cast(Slot node, Vote vote) {
  if (votes_.size() <= node) votes_.resize(node + 1, Vote::None);
  const Vote before = std::exchange(votes_[node], vote);
  if (before != Vote::None) --count(before);
  if (vote != Vote::None) ++count(vote);
}

}  // namespace nlc::controller
