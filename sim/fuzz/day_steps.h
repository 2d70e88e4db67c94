#pragma once

#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>

#include "runtime/go_duration.h"
#include "sim/fuzz/day.h"
#include "sim/fuzz/draw.h"

namespace nlc::sim::fuzz {

/// What kinds of trouble draw their steps with: when, whom, and the words that they have in common.
class DaySteps {
 public:
  DaySteps(Draw& draw, Day& day, const Names& names, Span span)
      : draw_(draw), day_(day), names_(names), span_(span) {}

 protected:
  std::string at() { return "at: " + go_duration(draw_.time(span_.from, span_.until)); }
  /// A part of the time of trouble, as long as that, less where trouble ends before.
  Span part(Duration least, Duration most) {
    const Duration from = draw_.time(span_.from, span_.until - std::chrono::seconds(5));
    return {from, std::min(span_.until, from + draw_.time(least, most))};
  }
  /// The same in words, at most so long.
  std::string lasting(Duration most) { return during(part(std::chrono::seconds(1), most)); }
  /// Just before such a request of the controller is executed, which is when it matters.
  std::string before(std::string_view verb, std::string_view resource, std::string_view name) {
    return lasting(std::chrono::minutes(4)) +
           ", times: 1, before_request: {verb: " + std::string(verb) +
           ", resource: " + std::string(resource) + ", name: " + std::string(name) + "}, ";
  }
  const std::string& any_node() { return draw_.one_of(names_.nodes); }
  const std::string& any_pod() { return draw_.one_of(names_.pods); }
  /// ", replica: a", or empty where there is one alone.
  std::string any_replica() { return replica_words(draw_.one_of(names_.replicas)); }
  /// One step of what is being added, in these words. A list, for its draws are made in its order.
  void step(std::initializer_list<std::string_view> words) {
    std::string& text = day_.timeline.back().texts.emplace_back();
    for (const std::string_view word : words) text += word;
  }

  Draw& draw_;
  Day& day_;
  const Names& names_;
  const Span span_;
};

}  // namespace nlc::sim::fuzz
