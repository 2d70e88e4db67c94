#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rules.h"

namespace nlc::architecture {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

Sources tree() { return read_tree(NLC_SOURCE_DIR); }
Texts texts() { return read_texts(NLC_SOURCE_DIR); }

TEST(Architecture, TreeThatIsReadIsThisRepository) {
  const Sources sources = tree();
  EXPECT_THAT(sources, SizeIs(testing::Gt(100)));
  EXPECT_TRUE(std::ranges::any_of(
      sources, [](const Source& source) { return source.path == "client/transport.h"; }));
}

TEST(Architecture, IncludesFollowTheArrows) { EXPECT_THAT(broken_arrows(tree()), IsEmpty()); }

TEST(Architecture, ClocksThreadsSleepsLocksAndRandomnessStandAtTheEdge) {
  EXPECT_THAT(misplaced_effects(tree()), IsEmpty());
}

TEST(Architecture, HeavyHeadersStayInsideNetAndMains) {
  EXPECT_THAT(misplaced_heavy_headers(tree()), IsEmpty());
}

TEST(Architecture, SimdjsonComesInByOneHeader) {
  EXPECT_THAT(misplaced_simdjson(tree()), IsEmpty());
}

TEST(Architecture, EveryHeaderMayBeIncludedTwice) {
  EXPECT_THAT(unguarded_headers(tree()), IsEmpty());
}

TEST(Architecture, NoUnitsNeedEachOtherInACircle) { EXPECT_THAT(unit_cycles(tree()), IsEmpty()); }

TEST(Architecture, QuotedIncludesAreOursByTheirPathFromTheRoot) {
  EXPECT_THAT(unknown_includes(tree()), IsEmpty());
}

TEST(Architecture, TextsThatAreReadAreSourcesAndPagesOfThisRepository) {
  const Texts read = texts();
  for (const char* path :
       {"CONTRIBUTING.md", "CMakeLists.txt", "docs/spec/zones.md", "controller/zones/zone.h"}) {
    EXPECT_TRUE(std::ranges::any_of(read, [&](const Text& text) { return text.path == path; }))
        << path;
  }
}

TEST(Architecture, CitedPagesAndHeadingsOfTheSpecificationExist) {
  EXPECT_THAT(dead_citations(texts()), IsEmpty());
}

TEST(Architecture, QualifiedNamesInPagesAreKnownToTheCode) {
  EXPECT_THAT(unknown_names(texts(), tree()), IsEmpty());
}

}  // namespace
}  // namespace nlc::architecture
