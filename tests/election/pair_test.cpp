#include <gmock/gmock.h>

#include "tests/election/election_world.h"

/// The locks that are annotations, and the pairs that lead from them to leases.
namespace nlc::election::testing {
namespace {

using ::testing::ElementsAre;

const std::string endpoints_path =
    "/api/v1/namespaces/kube-system/endpoints/node-lifecycle-controller";
const std::string configmap_path =
    "/api/v1/namespaces/kube-system/configmaps/node-lifecycle-controller";

Json annotated(ElectionWorld& world, const std::string& path) {
  const Json object = world.get(path).json();
  return Json::parse(
      object["metadata"]["annotations"][std::string(record_annotation)].get<std::string>());
}

TEST(AnnotationLock, IsHeldRenewedAndReleasedLikeALease) {
  for (const LockKind kind : {LockKind::Endpoints, LockKind::ConfigMaps}) {
    const std::string& path = kind == LockKind::Endpoints ? endpoints_path : configmap_path;
    ElectionWorld world;
    Contender a(world, "a", 1, {.lock = kind});
    world.time.run_for(5s);
    Contender b(world, "b", 2, {.lock = kind});
    world.time.run_for(10s);
    EXPECT_TRUE(a.may_write());
    EXPECT_EQ(annotated(world, path)["holderIdentity"], "a");

    a.stop();
    world.time.run_for(20ms);
    EXPECT_FALSE(b.may_write()) << "before it has looked at the other locks once more";
    world.time.run_for(2s);
    EXPECT_TRUE(b.may_write());
    EXPECT_EQ(annotated(world, path)["holderIdentity"], "b");
    EXPECT_EQ(annotated(world, path)["leaderTransitions"], 1);
    EXPECT_NE(world.get(lock_path).status(), 200);
    EXPECT_EQ(b.written_version, "") << "there is no Lease";
  }
}

TEST(AnnotationLock, AnObjectThatIsThereIsUsedAndKeepsWhatItHas) {
  ElectionWorld world;
  world.server.load(
      {{"apiVersion", "v1"},
       {"kind", "ConfigMap"},
       {"metadata", {{"name", "node-lifecycle-controller"}, {"namespace", "kube-system"}}},
       {"data", {{"key", "value"}}}});
  Contender a(world, "a", 1, {.lock = LockKind::ConfigMaps});
  world.time.run_for(5s);

  EXPECT_TRUE(a.may_write());
  EXPECT_EQ(world.get(configmap_path).json()["data"]["key"], "value");
  EXPECT_EQ(annotated(world, configmap_path)["leaderTransitions"], 1);
}

TEST(AnnotationLock, NonsenseIsNeverOverwrittenAndNeverLed) {
  ElectionWorld world;
  world.server.load({{"apiVersion", "v1"},
                     {"kind", "ConfigMap"},
                     {"metadata",
                      {{"name", "node-lifecycle-controller"},
                       {"namespace", "kube-system"},
                       {"annotations", {{std::string(record_annotation), "nonsense"}}}}}});
  Contender a(world, "a", 1, {.lock = LockKind::ConfigMaps});
  world.time.run_for(1min);

  EXPECT_FALSE(a.may_write());
  EXPECT_THAT(a.told, ::testing::IsEmpty());
}

TEST(PairLock, BothHalvesNameTheLeader) {
  ElectionWorld world;
  Contender a(world, "a", 1, {.lock = LockKind::EndpointsLeases});
  world.time.run_for(100ms);
  EXPECT_TRUE(a.may_write());
  EXPECT_THAT(world.resources,
              ElementsAre("get endpoints", "get configmaps", "create endpoints", "create leases"));
  world.take_requests();
  world.time.run_for(2s);

  EXPECT_THAT(world.resources, ElementsAre("update endpoints", "get leases", "update leases"));
  EXPECT_EQ(annotated(world, endpoints_path)["holderIdentity"], "a");
  EXPECT_EQ(world.lock().holder, "a");
  EXPECT_EQ(a.written_version, world.lock().resource_version);
}

/// `fault` is about leases alone, and their watches tell nothing of the other half.
TEST(PairLock, WritesThatItsLeaseDoesNotTakeAreNotTold) {
  ElectionWorld world;
  for (const char* name : {"a", "b"}) {
    for (const char* resource : {"leases", "endpoints"}) {
      world.server.faults().add(FaultRule::doing(
          {.verb = "watch", .resource = resource, .user_agent = name}, FaultAction::Hang));
    }
  }
  Contender a(world, "a", 1, {.lock = LockKind::EndpointsLeases});
  world.time.run_for(1s);
  Contender b(world, "b", 2, {.lock = LockKind::EndpointsLeases});
  world.time.run_for(20s);
  EXPECT_GE(b.lock_writes, 5);
  world.fault("a", "update", FaultAction::Hang);
  world.fault("b", "update", FaultAction::Hang);
  world.time.run_for(5s);
  const int before = a.lock_writes + b.lock_writes;
  const std::string lease = world.lock().resource_version;
  world.take_requests();
  world.time.run_for(1min);

  EXPECT_THAT(world.resources, ::testing::Contains("update endpoints"));
  EXPECT_EQ(world.lock().resource_version, lease);
  EXPECT_EQ(a.lock_writes + b.lock_writes, before);
}

TEST(PairLock, AReleaseEmptiesBothAndIsTakenOverInMilliseconds) {
  ElectionWorld world;
  Contender a(world, "a", 1, {.lock = LockKind::ConfigMapsLeases});
  world.time.run_for(5s);
  Contender b(world, "b", 2, {.lock = LockKind::ConfigMapsLeases});
  world.time.run_for(5s);
  a.stop();
  world.time.run_for(100ms);

  EXPECT_TRUE(b.may_write());
  EXPECT_EQ(annotated(world, configmap_path)["holderIdentity"], "b");
  EXPECT_EQ(world.lock().holder, "b");
}

TEST(PairLock, AHalfThatVanishedIsMadeAnewWithoutAGapInWhichBothLead) {
  for (const std::string& half : {endpoints_path, lock_path}) {
    ElectionWorld world;
    Contender a(world, "a", 1, {.lock = LockKind::EndpointsLeases});
    world.time.run_for(5s);
    Contender b(world, "b", 2, {.lock = LockKind::EndpointsLeases});
    world.time.run_for(5s);
    world.remove(half);
    bool both = false;
    world.watch_for(40s, 10ms, [&] { both = both || (a.may_write() && b.may_write()); });

    EXPECT_FALSE(both);
    EXPECT_EQ(a.may_write() + b.may_write(), 1);
    EXPECT_EQ(annotated(world, endpoints_path)["holderIdentity"], world.lock().holder);
  }
}

TEST(PairLock, WhileTheHalvesNameDifferentHoldersNobodyTakesThem) {
  ElectionWorld world;
  Contender a(world, "a", 1, {.lock = LockKind::EndpointsLeases});
  world.time.run_for(1s);
  a.elector.reset();
  world.seize("qux");
  Contender b(world, "b", 2, {.lock = LockKind::EndpointsLeases});
  world.time.run_for(14s);
  EXPECT_FALSE(b.may_write());
  EXPECT_THAT(b.leaders, ElementsAre(Lock::unknown_holder));

  world.time.run_for(5s);
  EXPECT_TRUE(b.may_write()) << "neither moved for a lease";
}

TEST(PairLock, TheLongerLeaseOfItsTwoHoldersCounts) {
  ElectionWorld world;
  Contender a(world, "a", 1, {.lease_duration = 60s});
  world.time.run_for(1s);
  a.elector.reset();
  Contender b(world, "b", 2, {.lock = LockKind::EndpointsLeases});
  world.time.run_for(55s);
  EXPECT_FALSE(b.may_write());

  world.time.run_for(15s);
  EXPECT_TRUE(b.may_write());
}

/// Candidates of two neighbouring kinds, as in the middle of a rolling update.
struct Step {
  LockKind from;
  LockKind to;
};

class MigrationStep : public ::testing::TestWithParam<Step> {};

TEST_P(MigrationStep, NeverHasTwoLeadersWhoeverStopsAndFails) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    ElectionWorld world;
    std::vector<std::unique_ptr<Contender>> rivals;
    for (int i = 0; i < 4; ++i) {
      rivals.push_back(std::make_unique<Contender>(
          world, std::string(1, static_cast<char>('a' + i)), seed * 10 + i,
          ElectionOptions{.lock = i < 2 ? GetParam().from : GetParam().to}));
    }
    Random random(seed);
    bool two = false;
    for (int round = 0; round < 12; ++round) {
      Contender& victim = *rivals[random.below(rivals.size())];
      const std::uint64_t action = random.below(5);
      if (action == 0) victim.link.set_link(Link::Silent);
      if (action == 1) victim.run(random.next());
      if (action == 2) world.fault(victim.identity, "update", FaultAction::LoseResponse, {}, 1);
      if (action == 3) world.fault(victim.identity, "update", FaultAction::DelayResponse, 3s, 2);
      if (action == 4) victim.link.set_link(Link::Up);
      world.watch_for(random.between(1s, 20s), 20ms, [&] {
        const auto open = std::ranges::count_if(rivals, [](auto& r) { return r->may_write(); });
        two = two || open > 1;
      });
      ASSERT_FALSE(two) << "seed " << seed << " round " << round;
    }
    for (const auto& rival : rivals) rival->link.set_link(Link::Up);
    world.server.faults().clear();
    world.time.run_for(1min);
    EXPECT_EQ(std::ranges::count_if(rivals, [](auto& r) { return r->may_write(); }), 1);
  }
}

INSTANTIATE_TEST_SUITE_P(Each, MigrationStep,
                         ::testing::Values(Step{LockKind::Endpoints, LockKind::EndpointsLeases},
                                           Step{LockKind::EndpointsLeases, LockKind::Leases},
                                           Step{LockKind::ConfigMaps, LockKind::ConfigMapsLeases},
                                           Step{LockKind::ConfigMapsLeases, LockKind::Leases}));

}  // namespace
}  // namespace nlc::election::testing
