#include "controller/server/lease_question.h"

#include <algorithm>
#include <utility>

#include "controller/server/api_availability.h"

namespace nlc::controller {
namespace {

/// A watch of leases that says nothing for so long is asked about.
constexpr Duration silence = std::chrono::seconds(5);

/// A server whose lists are of another time, or whose streams were opened anew, is asked again so
/// soon.
constexpr Duration again = std::chrono::seconds(1);

/// A later answer tells nothing of a restore before the stream was opened, and by then not
/// everybody who lives has renewed his lease.
constexpr Duration in_time = std::chrono::seconds(5);

}  // namespace

bool LeaseQuestion::opened_anew(const WatchProgress& leases) const {
  const std::uint64_t compared = std::max(leases.restarts_at_list, restarts_compared_);
  return leases.open && leases.restarts > compared;
}

/// A stream that goes on where another broke off says nothing of a restored server before that has
/// come as far again; what it takes meanwhile may be lost with the next restore.
std::optional<Instant> LeaseQuestion::next(const WatchProgress& leases, bool another_time) const {
  if (asked_) return std::nullopt;
  if (another_time || opened_anew(leases)) return answered_ + again;
  return std::max(leases.last_heard, answered_) + silence;
}

void LeaseQuestion::sent(const WatchProgress& leases, std::uint64_t expected) {
  asked_ = Asked{.reached = std::string(leases.version),
                 .expected = expected,
                 .restarts = leases.restarts,
                 .opened_anew = opened_anew(leases)};
}

LeaseQuestion::Asked LeaseQuestion::answered(Instant now, bool failed) {
  Asked asked = *std::exchange(asked_, std::nullopt);
  answered_ = now;
  if (failed) return asked;
  restarts_compared_ = asked.restarts;
  compared(now);
  return asked;
}

void LeaseQuestion::compared(Instant now) {
  const std::optional<Instant> opened = std::exchange(opened_, std::nullopt);
  if (opened && now - *opened > in_time) doubted_until_ = *opened + settling;
}

/// Where nobody answers at all a stream that is opened after that is given no new time: the dead
/// would be spared for as long as streams break.
void LeaseQuestion::follow(const WatchProgress& leases, Instant now) {
  if (!leases.open) return;
  if (!opened_anew(leases)) return compared(now);  // by the list that it began with
  if (!opened_) opened_ = now;
}

bool LeaseQuestion::streams_doubted(Instant now) const {
  return now < doubted_until_ || (opened_ && now < *opened_ + settling);
}

}  // namespace nlc::controller
