#include "controller/pause/label_selector.h"

#include <gtest/gtest.h>

namespace nlc::controller {
namespace {

bool selects(const std::string& selector, const api::Labels& labels) {
  Result<LabelSelector> read = LabelSelector::read(selector);
  EXPECT_TRUE(read) << read.error().path;
  return read && read->matches(labels);
}

TEST(LabelSelector, ReadsWhatKubectlReads) {
  const api::Labels labels{{"pool", "gpu"}, {"example.com/tier", ""}};
  EXPECT_TRUE(selects("pool=gpu", labels));
  EXPECT_TRUE(selects("pool==gpu", labels));
  EXPECT_FALSE(selects("pool=cpu", labels));
  EXPECT_TRUE(selects("pool!=cpu", labels));
  EXPECT_TRUE(selects("other!=cpu", labels)) << "a label that is missing has no value";
  EXPECT_TRUE(selects("pool in (cpu, gpu)", labels));
  EXPECT_FALSE(selects("pool notin (cpu,gpu)", labels));
  EXPECT_TRUE(selects("other notin (cpu)", labels));
  EXPECT_TRUE(selects("pool", labels));
  EXPECT_FALSE(selects("!pool", labels));
  EXPECT_TRUE(selects("!other", labels));
  EXPECT_TRUE(selects("example.com/tier=", labels));
  EXPECT_TRUE(selects("pool=gpu,!other,pool in (gpu)", labels));
  EXPECT_FALSE(selects("pool=gpu,other", labels));
  EXPECT_TRUE(selects("zAZ09=aAZ0z", {{"zAZ09", "aAZ0z"}}));
  EXPECT_FALSE(selects("pool in (cpu),other", labels));
}

TEST(LabelSelector, RefusesWhatIsNone) {
  for (const char* wrong : {"", ",", "a,", "=b", "a b", "a in b", "a in (b", "a on (b)", "a=b=c",
                            "/a", "a/", "a=b c", "!", "a in (b),", "a!b"}) {
    EXPECT_FALSE(LabelSelector::read(wrong)) << wrong;
  }
}

/// A pause that is about no node would be taken for one.
TEST(LabelSelector, RefusesKeysThatNoLabelCanHave) {
  const std::string long_name(64, 'a');
  const std::string long_prefix(254, 'a');
  for (const std::string& key :
       {std::string("-pool"), std::string("pool."), std::string("."), std::string("_x"),
        std::string("Foo.Bar/zone"), std::string("A.b/zone"), std::string("Z.b/zone"),
        std::string("foo_bar/zone"), std::string("foo..bar/zone"), std::string("-foo/zone"),
        std::string("foo-/zone"), std::string("a/b/c"), "example.com/" + long_name, long_name,
        long_prefix + "/x"}) {
    for (const char* rest : {"=x", "!=x", " in (x)", ""}) {
      EXPECT_FALSE(LabelSelector::read(key + rest)) << key << rest;
    }
    EXPECT_FALSE(LabelSelector::read("!" + key)) << key;
  }
  for (const std::string& key : {std::string("Pool_1.x-y"), std::string("a.b-c.d0/Z"),
                                 std::string(63, 'a'), std::string(253, 'a') + "/x"}) {
    EXPECT_TRUE(LabelSelector::read(key + "=x")) << key;
  }
}

}  // namespace
}  // namespace nlc::controller
