#include "report/text_table.h"

#include <gmock/gmock.h>

namespace nlc::report {
namespace {

using testing::Eq;

TEST(TextTable, GroupStandsOverItsColumnsAndHeadingsAtTheBottom) {
  EXPECT_THAT(text_table({{.heading = {"two", "lines"}, .cells = {"1", "20"}},
                          {.heading = {"a"}, .cells = {"x", "yy"}, .group = "letters"},
                          {.heading = {"b"}, .cells = {"z", ""}, .group = "letters"}}),
              Eq("         letters\n"
                 "  two\n"
                 "lines       a  b\n"
                 "    1       x  z\n"
                 "   20      yy\n"));
}

}  // namespace
}  // namespace nlc::report
