#pragma once

#include <deque>
#include <map>
#include <string>

#include "runtime/time.h"
#include "sim/rules/first_breach.h"

namespace nlc::sim::rules {

/// The rule `requests`: whatever goes wrong, nobody asks without end.
class RequestRules {
 public:
  explicit RequestRules(FirstBreach& breach) : breach_(breach) {}

  /// `replica` sent it: verb and object. In the order of time.
  void judge(const std::string& replica, const std::string& request, Instant at);

 private:
  FirstBreach& breach_;
  std::map<std::string, std::deque<Instant>> sent_;  ///< of the last `most_often.span`
};

}  // namespace nlc::sim::rules
