#include "controller/why/explain.h"

#include <algorithm>

#include "controller/why/parts.h"

namespace nlc::controller::why {
namespace {

Answer answer_to(const Question& question, const Insight& insight) {
  switch (question.kind) {
    case Question::Kind::Next:
      return explain_next(question, insight);
    case Question::Kind::Node:
      return explain_node(question, insight);
    case Question::Kind::Pod:
      return explain_pod(question, insight);
    case Question::Kind::Zone:
      return explain_zone(question, insight);
  }
  std::abort();  // unreachable: the switch is exhaustive
}

/// What is due now and is held back comes when all of that is over.
void wait_for_obstacles(Answer& answer) {
  for (Step& step : answer.next) {
    if (!step.waits || !step.in) continue;
    const bool due = *step.in <= Duration{0};
    for (const Obstacle& obstacle : answer.held) {
      if (!obstacle.ends_in && due) step.in.reset();
      if (obstacle.ends_in && step.in) step.in = std::max(*step.in, *obstacle.ends_in);
    }
    if (!step.in) step.what += ", once nothing holds it back";
  }
}

}  // namespace

Answer explain(const Question& question, const Insight& insight) {
  Answer answer;
  if (insight.synced) {
    answer = answer_to(question, insight);
    wait_for_obstacles(answer);
  } else {
    answer.about = question;
    answer.state = "not_synced";
    answer.is = "the first lists of nodes, leases and pods are not complete yet";
    answer.held.push_back({.kind = "not_synced",
                           .what = "before it has seen all of them it decides nothing",
                           .ends_in = {}});
  }
  answer.answerer.leads = insight.leading;
  answer.answerer.synced = insight.synced;
  return answer;
}

}  // namespace nlc::controller::why
