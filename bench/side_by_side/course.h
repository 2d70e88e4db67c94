#pragma once

#include <functional>
#include <string>
#include <vector>

#include "bench/measures.h"
#include "bench/side_by_side/contender.h"
#include "bench/side_by_side/plan.h"

namespace nlc::bench {

/// How long after the end of their grace the dead nodes were called Unknown.
struct Delays {
  std::string what;
  std::vector<double> milliseconds;
};

/// What one contender did on the whole course. Both have the same measures and delays.
struct Outcome {
  Run run;
  std::vector<Delays> delays;
};

using Progress = std::function<void(const std::string&)>;

/// The course: start, rest, a mass failure, a pause of the server, a failure that takes the leader
/// with it, and the pods of the mass failure once more by a client that nothing holds back; then,
/// on a cluster of its own, the mass failure with the default client limits. Throws when a part of
/// it does not come about.
Outcome run_course(Brand brand, const std::filesystem::path& program, const Plan& plan,
                   const Progress& progress);

}  // namespace nlc::bench
