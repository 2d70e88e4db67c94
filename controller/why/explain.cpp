#include "controller/why/explain.h"

#include <cstdlib>

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

}  // namespace

Answer explain(const Question& question, const Insight& insight) {
  Answer answer;
  if (insight.synced) {
    answer = answer_to(question, insight);
    for (Step& step : answer.next) wait_for(answer.held, step);
  } else {
    answer.about = question;
    answer.state = "not_synced";
    answer.is = "the first lists of nodes, leases and pods are not complete yet";
    answer.held.push_back(
        {.kind = "not_synced", .what = "before it has seen all of them it decides nothing"});
  }
  answer.answerer.leads = insight.leading;
  answer.answerer.synced = insight.synced;
  return answer;
}

}  // namespace nlc::controller::why
