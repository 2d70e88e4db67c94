#include "sim/apiserver/faults.h"

#include <utility>

#include "client/text_response.h"
#include "sim/apiserver/types/status_error.h"

namespace nlc::sim {
namespace {

bool fits(std::string_view wanted, std::string_view found) {
  return wanted.empty() || wanted == found;
}

}  // namespace

bool RequestPattern::matches(const RequestInfo& info, std::string_view agent) const {
  return fits(verb, info.verb) && fits(resource, info.resource) &&
         fits(subresource, info.subresource) && fits(name, info.name) &&
         agent.find(user_agent) != std::string_view::npos;
}

FaultRule FaultRule::answering(RequestPattern pattern, client::Response answer) {
  return {.pattern = std::move(pattern), .answer = std::move(answer)};
}

FaultRule FaultRule::doing(RequestPattern pattern, Action action, Duration delay) {
  return {.pattern = std::move(pattern), .action = action, .delay = delay};
}

FaultRule&& FaultRule::at_most(std::uint64_t count) && {
  times = count;
  return std::move(*this);
}

client::Response status_answer(int code, std::string_view reason, std::string_view message,
                               std::optional<Duration> retry_after) {
  StatusError error{.code = code, .reason = std::string(reason), .message = std::string(message)};
  if (retry_after) {
    error.has_details = true;
    error.details.retry_after_seconds =
        static_cast<int>(std::chrono::duration_cast<std::chrono::seconds>(*retry_after).count());
  }
  return {.status = code,
          .content_type = "application/json",
          .retry_after = retry_after,
          .body = body_of(error)};
}

client::Response throttled_answer(std::optional<Duration> retry_after) {
  return {.status = 429,
          .content_type = std::string(client::plain_text),
          .retry_after = retry_after,
          .body = "Too many requests, please try again later.\n"};
}

client::Response expired_answer() {
  return status_answer(410, "Expired", "The resourceVersion for the provided watch is too old.");
}

FaultRules::Id FaultRules::add(FaultRule rule) {
  rules_.push_back({++last_id_, std::move(rule)});
  return last_id_;
}

void FaultRules::remove(Id id) {
  std::erase_if(rules_, [id](const Entry& entry) { return entry.id == id; });
}

std::optional<FaultRule> FaultRules::take(const RequestInfo& info, std::string_view user_agent) {
  for (Entry& entry : rules_) {
    if (entry.rule.times == 0U || !entry.rule.pattern.matches(info, user_agent)) continue;
    if (entry.rule.times) --*entry.rule.times;
    return entry.rule;
  }
  return std::nullopt;
}

}  // namespace nlc::sim
