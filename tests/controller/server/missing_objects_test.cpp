#include "controller/server/missing_objects.h"

#include <gtest/gtest.h>

#include "tests/controller/objects.h"

namespace nlc::controller {
namespace {

using namespace testing;

TEST(MissingObjects, ObjectIsMissingWhenItsDeletionHasNotShownWithinFiveSeconds) {
  MissingObjects missing;
  EXPECT_FALSE(missing.not_found("u", start));
  EXPECT_FALSE(missing.not_found("u", start + 5s - 1ns));
  EXPECT_FALSE(missing.not_found("another", start + 5s)) << "each counts for itself";
  EXPECT_TRUE(missing.not_found("u", start + 5s));
  EXPECT_FALSE(missing.not_found("u", start + 65s - 1ns)) << "the list may show it again";
  EXPECT_FALSE(missing.not_found("u", start + 65s));
  EXPECT_TRUE(missing.not_found("u", start + 70s));
}

TEST(MissingObjects, ThatItWasNotFoundOnceCountsForTwoMinutes) {
  MissingObjects missing;
  EXPECT_FALSE(missing.not_found("u", start));
  EXPECT_TRUE(missing.not_found("u", start + 2min));
  EXPECT_FALSE(missing.not_found("u", start + 1h));
  EXPECT_FALSE(missing.not_found("u", start + 1h + 2min + 1ns));
}

}  // namespace
}  // namespace nlc::controller
