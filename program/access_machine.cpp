#include "program/access_machine.h"

#include <algorithm>
#include <utility>

namespace nlc::program {

using client::RequestPriority;

AccessMachine::AccessMachine(Instant now, AccessLimits limits)
    : limits_(limits),
      rate_(limits.reviews_per_second, limits.burst, now),
      users_(limits.answers_max, limits.valid),
      grants_(limits.answers_max, limits.valid) {}

AccessMachine::Outputs AccessMachine::called(CallerId caller, AccessRequest request, Instant now) {
  const Step step = next_step(request, now);
  if (const auto* known = std::get_if<Known>(&step)) {
    return {Tell{caller, known->access, known->why}};
  }
  if (callers_.size() >= limits_.callers_max) {
    return {Tell{caller, Access::Unknown, "too many callers wait to be told who they are"}};
  }
  callers_.push_back({caller, std::move(request), now + limits_.time_out});
  return time_passed(now);
}

void AccessMachine::left(CallerId caller) {
  std::erase_if(callers_, [caller](const Caller& waiting) { return waiting.id == caller; });
}

AccessMachine::Outputs AccessMachine::token_reviewed(ReviewId review,
                                                     Result<std::optional<api::User>> answer,
                                                     Instant now) {
  return reviewed(users_, review, std::move(answer), now);
}

AccessMachine::Outputs AccessMachine::access_reviewed(ReviewId review, Result<bool> answer,
                                                      Instant now) {
  return reviewed(grants_, review, std::move(answer), now);
}

template <typename Asked, typename T>
AccessMachine::Outputs AccessMachine::reviewed(AnswerCache<Asked, T>& answers, ReviewId review,
                                               Result<T> answer, Instant now) {
  Outputs outputs;
  std::optional<Question> question = ended(review);
  if (!question) return outputs;
  if (answer) {
    answers.keep(std::get<Asked>(*std::move(question)), *std::move(answer), now);
  } else {
    could_not_say(*question, answer.error(), now, outputs);
  }
  go_on(now, outputs);
  return outputs;
}

AccessMachine::Outputs AccessMachine::time_passed(Instant now) {
  Outputs outputs;
  go_on(now, outputs);
  return outputs;
}

std::optional<Instant> AccessMachine::wakes(Instant now) const {
  if (callers_.empty()) return std::nullopt;
  const Instant gives_up = callers_.front().gives_up;  // all have the same time-out
  const bool token_is_missing =
      reviews_.size() < limits_.reviews_max && !rate_.has_token({RequestPriority::Review}, now);
  return token_is_missing ? std::min(gives_up, rate_.next_token(now)) : gives_up;
}

AccessMachine::Step AccessMachine::next_step(const AccessRequest& request, Instant now) const {
  if (request.token.empty()) {
    return Known{Access::Unauthenticated, "a bearer token is needed (Authorization: Bearer TOKEN)"};
  }
  TokenQuestion whose{request.token};
  const std::optional<api::User>* user = users_.find(whose, now);
  if (user == nullptr) return whose;
  if (!*user) return Known{Access::Unauthenticated, "the API server does not accept that token"};
  api::AccessQuestion may{.user = **user, .verb = request.verb, .path = request.path};
  const bool* granted = grants_.find(may, now);
  if (granted == nullptr) return may;
  if (*granted) return Known{Access::Granted, {}};
  return Known{Access::Forbidden, may.user.name + " may not " + may.verb + " " + may.path};
}

/// The question of that review, which is under way no more; nothing where it was not.
std::optional<AccessMachine::Question> AccessMachine::ended(ReviewId review) {
  const auto found = std::ranges::find(reviews_, review, &UnderWay::id);
  if (found == reviews_.end()) return std::nullopt;
  Question question = std::move(found->question);
  reviews_.erase(found);
  return question;
}

/// Told to all who wait for it; the next one to come asks anew.
void AccessMachine::could_not_say(const Question& question, const Error& error, Instant now,
                                  Outputs& outputs) {
  std::erase_if(callers_, [&](const Caller& caller) {
    const Step step = next_step(caller.request, now);
    const auto* waits_for = std::get_if<Question>(&step);
    if (waits_for == nullptr || *waits_for != question) return false;
    outputs.push_back(Tell{caller.id, Access::Unknown, error.path});
    return true;
  });
}

/// Tells who can be told, and asks what is missing for the others as far as may be asked.
void AccessMachine::go_on(Instant now, Outputs& outputs) {
  std::erase_if(callers_, [&](const Caller& caller) {
    const Step step = next_step(caller.request, now);
    if (const auto* known = std::get_if<Known>(&step)) {
      outputs.push_back(Tell{caller.id, known->access, known->why});
      return true;
    }
    if (now >= caller.gives_up) {
      outputs.push_back(Tell{caller.id, Access::Unknown, "no answer of the API server in time"});
      return true;
    }
    const auto& question = std::get<Question>(step);
    if (is_asked(question) || !may_ask(now)) return false;
    rate_.take({RequestPriority::Review}, now);
    reviews_.push_back({++last_review_, question});
    outputs.push_back(Ask{last_review_, question});
    return false;
  });
}

bool AccessMachine::may_ask(Instant now) const {
  return reviews_.size() < limits_.reviews_max && rate_.has_token({RequestPriority::Review}, now);
}

bool AccessMachine::is_asked(const Question& question) const {
  return std::ranges::any_of(reviews_,
                             [&](const UnderWay& review) { return review.question == question; });
}

}  // namespace nlc::program
