#include "nlc/fuzz/mark_counts.h"

#include <gtest/gtest.h>

namespace nlc::workbench {
namespace {

TEST(MarkCounts, AreInColumnsTheMostOftenReachedFirst) {
  EXPECT_EQ(
      mark_counts({"pause", "restore", "kill", "stop"}, {7, 1200, 35, 8}),
      "    1200  restore                             35  kill                                 8  "
      "stop\n"
      "       7  pause\n");
}

TEST(MarkCounts, GiveALongNameThePlaceOfTwo) {
  const std::string longer(40, 'x');
  EXPECT_EQ(mark_counts({longer, "b", "c"}, {3, 2, 1}),
            "       3  " + longer + std::string(30, ' ') + "       2  b\n       1  c\n");
}

TEST(MarkCounts, LeaveOutWhatWasNeverReached) {
  EXPECT_EQ(mark_counts({"a", "b"}, {0, 1}), "       1  b\n");
  EXPECT_EQ(mark_counts({"a"}, {0}), "");
}

}  // namespace
}  // namespace nlc::workbench
