#include "sim/rules/request_rules.h"

#include "sim/rules/rule_inputs.h"

namespace nlc::sim::rules {

void RequestRules::judge(const std::string& replica, const std::string& request, Instant at) {
  if (request == "POST events") return;  // of many objects, and each has an allowance
  const std::string whose = replica.empty() ? request : replica + ": " + request;
  std::deque<Instant>& sent = sent_[whose];
  sent.push_back(at);
  while (at - sent.front() >= asked_within) sent.pop_front();
  if (sent.size() > most_asked) {
    breach_.note("requests",
                 whose + " was sent " + std::to_string(sent.size()) + " times within ten seconds");
  }
}

}  // namespace nlc::sim::rules
