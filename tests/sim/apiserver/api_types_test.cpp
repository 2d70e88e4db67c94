#include "sim/apiserver/types/quantity.h"
#include "tests/sim/apiserver/api_client.h"

/// Objects are what Go's types make of them, whoever writes them and however.
namespace nlc::sim {
namespace {

const std::string daemonsets = "/apis/apps/v1/namespaces/default/daemonsets";

Json daemonset(const std::string& name) {
  return {{"apiVersion", "apps/v1"},
          {"kind", "DaemonSet"},
          {"metadata", {{"name", name}}},
          {"spec",
           {{"selector", {{"matchLabels", {{"x", "y"}}}}},
            {"template",
             {{"metadata", {{"labels", {{"x", "y"}}}}},
              {"spec", {{"containers", {{{"name", "c"}, {"image", "i:1"}}}}}}}}}}};
}

TEST(ApiTypes, AQuantityHasOneSpelling) {
  EXPECT_EQ(canonical_quantity("1000m"), "1");
  EXPECT_EQ(canonical_quantity("0.5"), "500m");
  EXPECT_EQ(canonical_quantity("1024Mi"), "1Gi");
  EXPECT_EQ(canonical_quantity("1500Mi"), "1500Mi");
  EXPECT_EQ(canonical_quantity("1e3"), "1e3");
  EXPECT_EQ(canonical_quantity("0"), "0");
  EXPECT_EQ(canonical_quantity("x"), std::nullopt);
  EXPECT_EQ(canonical_quantity("1.2.3"), std::nullopt);
}

TEST(ApiTypes, AValueOfAnotherTypeIsRefusedAndNotStored) {
  ApiWorld world;
  Json wrong = node("a");
  wrong["metadata"]["labels"] = {{"k", 1}};
  EXPECT_EQ(world.post(nodes, wrong).status(), 400);
  world.post(nodes, node("a"));
  const Heard patched = world.patch(nodes + "/a", {{"spec", {{"unschedulable", "yes"}}}});
  EXPECT_EQ(patched.status(), 422);
  EXPECT_EQ(patched.message(),
            " \"\" is invalid: patch: Invalid value: \"map[spec:map[unschedulable:yes]]\": "
            "unrecognized type: bool");
  Json owned = pod("p");
  owned["metadata"]["ownerReferences"] = Json::array({"someone"});
  EXPECT_EQ(world.post(pods, owned).status(), 400);
  Json timed = pod("p");
  timed["spec"]["terminationGracePeriodSeconds"] = "x";
  EXPECT_EQ(world.post(pods, timed).status(), 400);
  timed["spec"]["terminationGracePeriodSeconds"] = 18446744073709551615U;
  EXPECT_EQ(world.post(pods, timed).status(), 400);
  timed["spec"]["terminationGracePeriodSeconds"] = 30;
  timed["spec"]["priority"] = 4294967295U;
  EXPECT_EQ(world.post(pods, timed).status(), 400);
}

TEST(ApiTypes, ATimeOfALeaseHasSixDigits) {
  ApiWorld world;
  const Heard refused = world.post(leases, lease("a", "2026-11-21T09:00:00Z"));
  EXPECT_EQ(refused.status(), 400);
  EXPECT_NE(refused.message().find("cannot parse \"Z\" as \".000000\""), std::string::npos);
  const Heard east = world.post(leases, lease("a", "2026-11-21T11:00:00.000000+02:00"));
  EXPECT_EQ(east.json()["spec"]["renewTime"], "2026-11-21T09:00:00.000000Z");
}

TEST(ApiTypes, TheSameInAnotherSpellingIsNoChange) {
  ApiWorld world;
  Json object = node("a");
  object["status"]["capacity"] = {{"cpu", "1"}, {"memory", "1Gi"}};
  const Json made = world.post(nodes, object).json();
  const Heard same = world.patch(
      nodes + "/a/status", {{"status", {{"capacity", {{"cpu", "1000m"}, {"memory", "1024Mi"}}}}}});
  EXPECT_EQ(version_of(same), version_of(made));
}

TEST(ApiTypes, DefaultsComeAtEveryWrite) {
  ApiWorld world;
  const Json made = world.post(daemonsets, daemonset("d")).json();
  Json bare = daemonset("d");
  bare["metadata"]["resourceVersion"] = made["metadata"]["resourceVersion"];
  const Json again = world.put(daemonsets + "/d", bare).json();
  EXPECT_EQ(again["spec"], made["spec"]);
  EXPECT_EQ(version_of(again), version_of(made));
  EXPECT_EQ(again["metadata"]["generation"], 1);
}

TEST(ApiTypes, APodThatIsWrittenWithoutItsDefaultTolerationsGetsThemAgain) {
  ApiWorld world;
  Json changed = world.post(pods, pod("p")).json();
  const Json tolerations = changed["spec"]["tolerations"];
  ASSERT_EQ(tolerations.size(), 2U);
  changed["spec"].erase("tolerations");
  changed["metadata"]["labels"] = {{"a", "b"}};
  const Heard written = world.put(pods + "/p", changed);
  EXPECT_EQ(written.status(), 200) << written.message();
  EXPECT_EQ(written.json()["spec"]["tolerations"], tolerations);
}

TEST(ApiTypes, WhatIsForOneAddressAndForSeveralIsWrittenInBothPlaces) {
  ApiWorld world;
  Json object = node("a");
  object["spec"]["podCIDR"] = "10.1.0.0/24";
  EXPECT_EQ(world.post(nodes, object).json()["spec"]["podCIDRs"], Json::array({"10.1.0.0/24"}));
  EXPECT_EQ(
      world.patch(nodes + "/a", {{"spec", {{"podCIDR", "10.2.0.0/24"}, {"podCIDRs", nullptr}}}})
          .status(),
      422);
}

TEST(ApiTypes, ADefaultPriorityClassIsKnownAndAnotherIsRefused) {
  ApiWorld world;
  Json critical = pod("p");
  critical["spec"]["priorityClassName"] = "system-node-critical";
  EXPECT_EQ(world.post(pods, critical).json()["spec"]["priority"], 2'000'001'000);
  Json odd = pod("q");
  odd["spec"]["priorityClassName"] = "nosuch";
  EXPECT_EQ(world.post(pods, odd).status(), 403);
}

}  // namespace
}  // namespace nlc::sim
