#include "election/election_trouble.h"

#include <algorithm>
#include <cstddef>

#include "runtime/go_duration.h"
#include "runtime/utf8.h"

namespace nlc::election {
namespace {

/// Of what a server or another candidate wrote, on pages and in the log.
constexpr std::size_t text_limit = 1024;

/// Whether the server says that it will not have this, not only that it cannot now. Of a lock that
/// is not found nobody is told, save by who could not create it: then the namespace is missing.
bool is_refusal(Fault fault) {
  return fault == Fault::Forbidden || fault == Fault::Unauthorized || fault == Fault::Invalid ||
         fault == Fault::NotFound;
}

}  // namespace

void ElectionTrouble::met(std::string_view kind, const std::string& text, Instant now) {
  text_ = shortened(text, text_limit);
  if (!trouble_.met(kind, now)) return;
  log_.warning("election in trouble", {{"lease", options_.lease_name}, {"error", text}});
}

void ElectionTrouble::refused(const Error& error, Instant now) {
  if (is_refusal(error.fault)) refusal_ = shortened(error.path, text_limit);
  met(name_of(error.fault), error.path, now);
}

void ElectionTrouble::able(Instant seen) {
  refusal_.clear();
  able_until_ = seen + options_.lease_duration;
}

void ElectionTrouble::over(Instant now) {
  text_.clear();
  long_lease_.reset();
  const std::optional<Duration> lasted = trouble_.over(now);
  if (!lasted) return;
  log_.info("election is no longer in trouble",
            {{"lease", options_.lease_name}, {"after", go_duration(*lasted)}});
}

void ElectionTrouble::wrote_in(Duration took) {
  const bool slow = took > options_.renew_deadline / 5;  // a third of it ends the try
  if (slow && !told_slow_) {
    log_.warning("renewal was slow, consider a longer lease",
                 {{"lease", options_.lease_name}, {"took", go_duration(took)}});
  }
  told_slow_ = slow;
}

void ElectionTrouble::waits(const ElectionMachine& machine, Instant now) {
  const Duration usual = std::min<Duration>(10 * options_.lease_duration, std::chrono::hours(1));
  const std::optional<Duration> lease = machine.foreign_lease();
  if (machine.waits_out_a_rewind(now)) {
    return met("WentBack", "the server went back in time, nobody is known to lead", now);
  }
  if (lease && *lease > usual) return wait_long(machine.holder(), *lease, now);
  if (!machine.holds() && machine.holder() == options_.identity) {
    return met("Namesake",
               "the lock is held under our own name, " + options_.identity +
                   ", by another process or an earlier one",
               now);
  }
  over(now);
}

void ElectionTrouble::wait_long(const std::string& holder, Duration lease, Instant now) {
  over(now);
  long_lease_ = lease;
  if (!long_leases_.met("LongLease", now)) return;
  log_.info("standing by for a holder with a long lease",
            {{"lease", options_.lease_name},
             {"holder", shortened(holder, text_limit)},
             {"duration", go_duration(lease)}});
}

void ElectionTrouble::show(LeaderStatus& status) const {
  status.trouble = text_;
  status.long_lease = long_lease_;
  status.refusal = refusal_;
  status.able_until = able_until_;
}

}  // namespace nlc::election
