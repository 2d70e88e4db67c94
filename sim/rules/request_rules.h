#pragma once

#include <deque>
#include <map>
#include <string>

#include "runtime/time.h"
#include "sim/rules/verdict.h"

namespace nlc::sim::rules {

/// The rule `requests`: whatever goes wrong, nobody asks without end.
class RequestRules {
 public:
  explicit RequestRules(Verdict& verdict) : verdict_(verdict) {}

  /// `replica` sent it: verb and object. In the order of time.
  void judge(const std::string& replica, const std::string& request, Instant at);

 private:
  Verdict& verdict_;
  std::map<std::string, std::deque<Instant>> sent_;  ///< of the last `most_often.span`
};

}  // namespace nlc::sim::rules
