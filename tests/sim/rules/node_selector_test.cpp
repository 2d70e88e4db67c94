#include "sim/rules/node_selector.h"

#include <gtest/gtest.h>
#include <string>

#include "sim/rules/node_facts.h"

namespace nlc::sim::rules {
namespace {

api::Node node_with(api::Labels labels) {
  api::Node node;
  node.labels = std::move(labels);
  return node;
}

api::Node node_in(const std::string& region, const std::string& zone) {
  api::Labels labels;
  if (!region.empty()) labels.emplace_back(api::label::region, region);
  if (!zone.empty()) labels.emplace_back(api::label::zone, zone);
  return node_with(std::move(labels));
}

TEST(NodeSelector, ZoneIsNamedByRegionAndZoneOrEitherOfThem) {
  for (const char* name : {"eu/b", "eu", "b"}) {
    EXPECT_TRUE(zone_named(name).value()(node_in("eu", "b"))) << name;
    EXPECT_FALSE(zone_named(name).value()(node_in("us", "a"))) << name;
  }
  EXPECT_FALSE(zone_named("eu/b").value()(node_in("eu", "a")));
  EXPECT_FALSE(zone_named("eu/b").value()(node_in("", "b")));
}

TEST(NodeSelector, DashNamesALabelThatANodeDoesNotHave) {
  for (const char* name : {"-", "-/-"}) {
    EXPECT_TRUE(zone_named(name).value()(node_in("", ""))) << name;
    EXPECT_FALSE(zone_named(name).value()(node_in("", "b"))) << name;
    EXPECT_FALSE(zone_named(name).value()(node_in("eu", ""))) << name;
  }
  EXPECT_TRUE(zone_named("-/b").value()(node_in("", "b")));
  EXPECT_FALSE(zone_named("-/b").value()(node_in("eu", "b")));
  EXPECT_TRUE(zone_named("eu/-").value()(node_in("eu", "")));
}

TEST(NodeSelector, ZoneThatNoLabelsCanNameCannotBeRead) {
  for (const char* name : {"", "/b", "eu/", "eu/b/c", "*", "\"b\"", "b,", "a b", "-b", "b-"}) {
    EXPECT_FALSE(zone_named(name)) << name;
  }
}

TEST(NodeSelector, ZoneOfANodeIsSaidByItsBetaLabelsFirst) {
  EXPECT_EQ(zone_of(node_with({{std::string(api::label::zone), "new"},
                               {std::string(api::label::zone_beta), "old"},
                               {std::string(api::label::region), "eu"}})),
            "eu/old");
}

TEST(NodeSelector, LabelsAreNamedAsBehindKubectl) {
  const api::Node node = node_with({{"pool", "gpu"}, {"example.com/tier", "web"}, {"spot", ""}});
  for (const char* all : {"pool", "pool=gpu", "pool == gpu", "pool!=cpu", "none!=gpu",
                          "pool in (cpu, gpu)", "pool notin (cpu)", "none notin (gpu)", "!none",
                          "pool=gpu,example.com/tier in (db,web),!none", "spot=", "spot in ()"}) {
    EXPECT_TRUE(labels_named(all).value()(node)) << all;
  }
  for (const char* other :
       {"none", "pool=cpu", "pool!=gpu", "none=gpu", "pool in (cpu)", "pool notin (cpu,gpu)",
        "! pool", "pool=gpu,example.com/tier notin (db,web)", "pool,none"}) {
    EXPECT_FALSE(labels_named(other).value()(node)) << other;
  }
}

TEST(NodeSelector, SelectorThatKubectlRefusesCannotBeRead) {
  for (const char* wrong : {"", "pool=gpu,", "pool in gpu", "pool in (gpu", "pool within (gpu)",
                            "pool=\"gpu\"", "pool=*", "a b", "/pool", "Example/pool", "pool>1"}) {
    EXPECT_FALSE(labels_named(wrong)) << wrong;
  }
}

}  // namespace
}  // namespace nlc::sim::rules
