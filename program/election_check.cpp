#include "program/election_check.h"

#include <chrono>
#include <string_view>

#include "runtime/go_duration.h"

namespace nlc::program {

controller::HealthCheck election_check(const election::LeaderStatus& status,
                                       const std::optional<std::string>& credentials_trouble,
                                       Instant now, OperationsPages::Question question) {
  controller::HealthCheck check{.name = "leaderElection", .ok = true, .detail = {}};
  const auto note = [&check](std::string_view before, const std::string& text) {
    if (!check.detail.empty()) check.detail += before;
    check.detail += text;
  };
  const bool shut_out = question == OperationsPages::Question::Ready && status.shut_out(now);
  if (status.stuck_since) {
    check.ok = false;
    note("", "not renewed, the work has not moved for " + go_duration(now - *status.stuck_since));
  } else if (status.leads(now)) {
    const auto left = std::chrono::floor<std::chrono::milliseconds>(status.valid_until - now);
    note("", "leading for at least " + go_duration(left) + " more");
  } else if (const std::string leader = status.leader_at(now); !leader.empty() && !shut_out) {
    note("", "standing by for " + leader);
    if (status.long_lease)
      note(", ", "whose lease is " + go_duration(*status.long_lease) + " long");
  }
  if (shut_out) {
    check.ok = false;
    note(", ", "can neither lead nor stand by: " + status.refusal);
  }
  const bool told = shut_out && status.trouble == status.refusal;
  if (!status.trouble.empty() && !told) note(", ", "trouble: " + status.trouble);
  if (credentials_trouble) note("; ", "warning: " + *credentials_trouble);
  return check;
}

}  // namespace nlc::program
