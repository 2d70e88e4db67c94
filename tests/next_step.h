#pragma once

#include <gtest/gtest.h>
#include <variant>

namespace nlc::tests {

/// What a machine wants to do next, one of the steps that `Steps` may hold: to be asked for.
template <typename Steps>
struct WantedStep {
  Steps next;

  /// The step, which it has to be.
  template <typename Step>
  const Step& wants() const {
    const Step* step = std::get_if<Step>(&next);
    EXPECT_NE(step, nullptr) << "another step, number " << next.index();
    static const Step none{};
    return step == nullptr ? none : *step;
  }
  template <typename Step>
  bool would() const {
    return std::holds_alternative<Step>(next);
  }
};

}  // namespace nlc::tests
