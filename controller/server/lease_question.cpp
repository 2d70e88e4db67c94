#include "controller/server/lease_question.h"

#include <algorithm>
#include <utility>

namespace nlc::controller {
namespace {

/// A watch of leases that brings nothing for so long is asked about.
constexpr Duration silence = std::chrono::seconds(5);

/// A server whose lists are of another time, or whose streams were opened anew, is asked again so
/// soon.
constexpr Duration again = std::chrono::seconds(1);

/// By then a silent watch was asked about, and an answer should have come.
constexpr Duration unheard_from = silence + again;

/// For so long who is silent is asked for in lists alone, though all are refused. After it a watch
/// is believed for longer: where few live they renew ten seconds apart.
constexpr Duration lists_awaited = std::chrono::seconds(30);
constexpr Duration unheard_from_few = std::chrono::seconds(15);

/// After so long without one nobody knows whether they would still be: they wait for ten at most.
constexpr Duration refused_lately = std::chrono::seconds(20);

}  // namespace

bool LeaseQuestion::opened_anew(const WatchProgress& leases) const {
  const std::uint64_t compared = std::max(leases.restarts_at_list, restarts_compared_);
  return leases.open && leases.restarts > compared;
}

bool LeaseQuestion::unheard(const WatchProgress& leases, Instant now) const {
  const bool given_up = refusals_ && now >= refusals_->first + lists_awaited &&
                        now < refusals_->last + refused_lately;
  const Duration patience = given_up ? unheard_from_few : unheard_from;
  return now > std::max(leases.last_change, compared_) + patience;
}

void LeaseQuestion::list_refused(Instant now) {
  if (!refusals_ || now >= refusals_->last + refused_lately) refusals_ = {.first = now};
  refusals_->last = now;
}

/// A stream that goes on where another broke off says nothing of a restored server before that has
/// come as far again; what it takes meanwhile may be lost with the next restore.
std::optional<Instant> LeaseQuestion::next(const WatchProgress& leases, bool another_time) const {
  if (asked_) return std::nullopt;
  if (another_time || opened_anew(leases)) return answered_ + again;
  return std::max(leases.last_change, answered_) + silence;
}

void LeaseQuestion::sent(const WatchProgress& leases, std::uint64_t expected, std::uint64_t views) {
  asked_ = Asked{.reached = std::string(leases.version),
                 .expected = expected,
                 .views = views,
                 .restarts = leases.restarts,
                 .opened_anew = opened_anew(leases)};
}

LeaseQuestion::Asked LeaseQuestion::answered(Instant now, bool failed) {
  Asked asked = *std::exchange(asked_, std::nullopt);
  answered_ = now;
  if (!failed) {
    compared_ = now;
    list_answered();
    restarts_compared_ = asked.restarts;
  }
  return asked;
}

}  // namespace nlc::controller
