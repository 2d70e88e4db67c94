#include "sim/rules/request_rules.h"

#include <nlohmann/json.hpp>

namespace nlc::sim::rules {
namespace {

/// The same request may come back so often: a lock is tried twice a second, read before it is
/// written, and all of that again when it was refused.
constexpr std::size_t most_asked = 50;
constexpr Duration asked_within = std::chrono::seconds(10);
/// Beside what is asked for each node and pod: lists, watches that begin anew, the lock.
constexpr std::size_t most_beside_objects = 300;
/// Beside what the client's limit lets through: the lock, which no limit holds back. One of two
/// objects takes four requests twice a second.
constexpr std::size_t most_beside_limit = 150;

/// In the same time a replica asks so often in all. Every process begins with the burst of its
/// limit, and some die as they begin.
std::size_t most_asked_in_all(const RuleInputs& inputs, std::size_t nodes_and_pods) {
  constexpr std::size_t of_each_object = 10;
  constexpr std::size_t processes = 3;
  if (inputs.requests_per_second == 0) {
    return most_beside_objects + of_each_object * nodes_and_pods;
  }
  const double by_rate =
      inputs.requests_per_second * std::chrono::duration<double>(asked_within).count();
  return most_beside_limit + processes * inputs.burst + static_cast<std::size_t>(by_rate);
}

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
