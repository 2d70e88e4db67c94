#include "api/version.h"

#include <gtest/gtest.h>

namespace nlc::api {
namespace {

TEST(OlderVersion, NumbersAreComparedAsNumbersWhateverTheirLength) {
  EXPECT_TRUE(older_version("9", "10"));
  EXPECT_FALSE(older_version("10", "9"));
  EXPECT_TRUE(older_version("199", "200"));
  EXPECT_TRUE(older_version("18446744073709551615", "18446744073709551616"));
}

TEST(OlderVersion, AVersionIsNotOlderThanItself) { EXPECT_FALSE(older_version("77", "77")); }

TEST(OlderVersion, NoVersionIsOlderThanAnyOther) {
  EXPECT_TRUE(older_version("", "1"));
  EXPECT_FALSE(older_version("1", ""));
}

TEST(OlderVersion, OfVersionsThatAreNoNumbersNeitherIsOlder) {
  for (const auto& [left, right] :
       {std::pair("a", "b"), std::pair("1", "b"), std::pair("a", "22"), std::pair("007", "8"),
        std::pair("-1", "2"), std::pair("1.5", "200"), std::pair("1 ", "200")}) {
    EXPECT_FALSE(older_version(left, right)) << left << " " << right;
    EXPECT_FALSE(older_version(right, left)) << left << " " << right;
  }
}

}  // namespace
}  // namespace nlc::api
