#include "runtime/callback_scope.h"

#include <functional>
#include <gtest/gtest.h>
#include <optional>

namespace nlc {
namespace {

TEST(CallbackScope, GuardedCallbackIsCalledAsLongAsItsScopeLives) {
  int sum = 0;
  std::optional<CallbackScope> scope(std::in_place);
  const std::function<void(int)> add = scope->guard([&sum](int more) { sum += more; });
  add(1);
  add(2);
  scope.reset();
  add(4);
  EXPECT_EQ(sum, 3);
}

TEST(CallbackScope, RestartSilencesWhatWasGuardedBeforeAndNothingElse) {
  int sum = 0;
  CallbackScope scope;
  const std::function<void()> before = scope.guard([&sum] { sum += 1; });
  scope.restart();
  const std::function<void()> after = scope.guard([&sum] { sum += 2; });
  before();
  after();
  EXPECT_EQ(sum, 2);
}

TEST(CallbackScope, MayEndInsideOneOfItsCallbacks) {
  bool went_on = false;
  std::optional<CallbackScope> scope(std::in_place);
  const std::function<void()> end = scope->guard([&] {
    scope.reset();
    went_on = true;
  });
  end();
  EXPECT_TRUE(went_on);
}

}  // namespace
}  // namespace nlc
