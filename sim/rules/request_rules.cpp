#include "sim/rules/request_rules.h"

#include <nlohmann/json.hpp>

namespace nlc::sim::rules {
namespace {

/// One more at that time. How many there were of late.
std::size_t lately(std::deque<Instant>& times, Instant at) {
  times.push_back(at);
  while (at - times.front() >= asked_within) times.pop_front();
  return times.size();
}

std::string told_count(std::size_t count) {
  return " was sent " + std::to_string(count) + " times within ten seconds";
}

bool names_uid(const Asked& request) {
  const nlohmann::json body = nlohmann::json::parse(request.body, nullptr, false);
  const nlohmann::json::json_pointer uid(request.verb == "DELETE" ? "/preconditions/uid"
                                                                  : "/metadata/uid");
  return body.is_object() && body.contains(uid) && body[uid].is_string() && body[uid] != "";
}

}  // namespace

void RequestRules::judge(const Asked& request, std::size_t nodes_and_pods) {
  judge_repetition(request);
  judge_total(request, nodes_and_pods);
  judge_uid(request);
}

void RequestRules::judge_repetition(const Asked& request) {
  if (request.what == "POST events") return;  // of many objects, and each has an allowance
  const std::string whose =
      request.replica.empty() ? request.what : request.replica + ": " + request.what;
  const std::size_t count = lately(sent_[whose], request.at);
  if (count > most_asked) breach_.note("requests", whose + told_count(count));
}

void RequestRules::judge_total(const Asked& request, std::size_t nodes_and_pods) {
  const std::size_t count = lately(sent_in_all_[request.replica], request.at);
  if (count <= most_asked_in_all(inputs_, nodes_and_pods)) return;
  const std::string whose = request.replica.empty() ? "" : " of " + request.replica;
  breach_.note("requests",
               "any request" + whose + told_count(count) + ", the last of them " + request.what);
}

void RequestRules::judge_uid(const Asked& request) {
  if (!request.writes_to_nodes_or_pods() || request.verb == "POST" || names_uid(request)) return;
  breach_.note("uid", request.what + " was sent without the uid of what it is for");
}

}  // namespace nlc::sim::rules
