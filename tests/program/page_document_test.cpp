#include "program/page_document.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <regex>
#include <set>

namespace nlc::program {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(PageDocument, AsksNobodyForAnything) {
  const std::string page = page_document("{}");
  EXPECT_THAT(page, HasSubstr("default-src 'none'"));
  for (const char* asks : {"href=", "src=\"", "url(", "from \"", "\nimport ", "\nexport "}) {
    EXPECT_THAT(page, Not(HasSubstr(asks)));
  }
}

TEST(PageDocument, HoldsTheRunWhateverWordsAreInIt) {
  const std::string page = page_document(R"({"title":"</script><b>"})");
  EXPECT_THAT(page, HasSubstr(R"(id="run">{"title":"\u003c/script>\u003cb>"}</script>)"));
}

/// All modules are one there.
TEST(PageDocument, NoTwoThingsInItHaveOneName) {
  const std::string page = page_document("{}");
  const std::regex declared(R"(\n(?:const|let|class|function|async function) ([A-Za-z]+))");
  std::set<std::string> names;
  const auto end = std::sregex_iterator();
  for (auto at = std::sregex_iterator(page.begin(), page.end(), declared); at != end; ++at) {
    EXPECT_TRUE(names.insert((*at)[1]).second) << (*at)[1];
  }
  EXPECT_GT(names.size(), 50U);
}

}  // namespace
}  // namespace nlc::program
