#pragma once

#include <optional>
#include <string>

#include "controller/rules/health.h"
#include "election/leader_status.h"
#include "program/operations_pages.h"
#include "runtime/time.h"

namespace nlc::program {

/// For the health pages: fails while the work is stuck, and says since when (spec/incidents.md
/// "Stuck leader"). An API server that is away fails nothing: ending the process would cost what it
/// knows of heartbeats. Nor does what cannot be read of our credentials, for the old ones are in
/// use, but it stands beside what it will end. Who is refused the lock for good is alive, and not
/// ready.
controller::HealthCheck election_check(const election::LeaderStatus& status,
                                       const std::optional<std::string>& credentials_trouble,
                                       Instant now, OperationsPages::Question question);

}  // namespace nlc::program
