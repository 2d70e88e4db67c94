#include "sim/kubelet/hollow_entry.h"

#include <gmock/gmock.h>

#include "hollow_world.h"

namespace nlc::sim {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

std::optional<EntryVerdict> verdict_of(HollowWorld& world, std::uint32_t nodes = 3,
                                       Duration timeout = 5s) {
  std::optional<EntryVerdict> heard;
  const HollowEntry entry(world.world(),
                          {.name_prefix = "hollow", .nodes = nodes, .namespace_ = "hollow"},
                          [&heard](const EntryVerdict& verdict) { heard = verdict; });
  world.time.run_for(timeout);
  return heard;
}

nlohmann::json node(const std::string& name, const std::string& run = "") {
  nlohmann::json node{{"kind", "Node"},
                      {"apiVersion", "v1"},
                      {"metadata", {{"name", name}}},
                      {"spec", nlohmann::json::object()},
                      {"status", {{"conditions", nlohmann::json::array()}}}};
  if (!run.empty()) node["metadata"]["annotations"] = {{run_annotation, run}};
  return node;
}

/// The embedded server knows no access reviews: these are answers of kube-apiserver.
void answer_reviews(HollowWorld& world, bool allowed) {
  world.server.faults().add(FaultRule::answering(
      {.verb = "create", .resource = "selfsubjectaccessreviews"},
      {.status = 201,
       .content_type = "application/json",
       .body =
           nlohmann::json{{"kind", "SelfSubjectAccessReview"}, {"status", {{"allowed", allowed}}}}
               .dump()}));
}

TEST(HollowEntry, IsFreeOnAnEmptyServerThatKnowsNoAccessReviews) {
  HollowWorld world;
  const auto verdict = verdict_of(world);
  ASSERT_TRUE(verdict);
  EXPECT_THAT(verdict->obstacles, IsEmpty());
  EXPECT_THAT(verdict->inherited, IsEmpty());
}

TEST(HollowEntry, TellsEverythingThatIsForbiddenAtOnce) {
  HollowWorld world;
  answer_reviews(world, false);
  const auto verdict = verdict_of(world);
  ASSERT_TRUE(verdict);
  ASSERT_THAT(verdict->obstacles, SizeIs(1));
  EXPECT_THAT(verdict->obstacles[0], HasSubstr("create nodes, "));
  EXPECT_THAT(verdict->obstacles[0], HasSubstr("patch nodes/status"));
  EXPECT_THAT(verdict->obstacles[0], HasSubstr("update leases in kube-node-lease"));
  EXPECT_THAT(verdict->obstacles[0], HasSubstr("delete pods in hollow"));
}

TEST(HollowEntry, WritesNothing) {
  HollowWorld world;
  verdict_of(world);
  ASSERT_FALSE(world.served.empty());
  for (const ServedRequest& request : world.served) {
    EXPECT_TRUE(request.info.verb == "list" || request.info.verb == "get" ||
                request.info.resource == "selfsubjectaccessreviews")
        << request.info.verb << " " << request.info.resource;
  }
}

TEST(HollowEntry, NamesThatOthersUseAreAnObstacle) {
  HollowWorld world;
  for (const char* name : {"hollow-1", "hollow-3", "hollow-x", "hollow", "other-0"}) {
    world.server.load(node(name));
  }
  const auto verdict = verdict_of(world, 3);
  ASSERT_TRUE(verdict);
  EXPECT_THAT(verdict->obstacles, ElementsAre(HasSubstr("no hollow kubelet made them: hollow-1;")));
}

TEST(HollowEntry, NodesThatAnEarlierRunLeftAreNone) {
  HollowWorld world;
  world.server.load(node("hollow-0", "41-yesterday"));
  world.server.load(node("hollow-2", "41-yesterday"));
  const auto verdict = verdict_of(world);
  ASSERT_TRUE(verdict);
  EXPECT_THAT(verdict->obstacles, IsEmpty());
  EXPECT_THAT(verdict->inherited, ElementsAre("hollow-0", "hollow-2"));
}

/// Three nodes of a run that was not told to end, whether it lives or was killed.
struct OtherRun : HollowWorld {
  explicit OtherRun(HollowClusterOptions options = {}) {
    options.nodes = 3;
    options.workload.run = "41-today";
    cluster = std::make_unique<HollowCluster>(world(), std::move(options));
    time.run_for(30s);
  }
  std::unique_ptr<HollowCluster> cluster;
};

TEST(HollowEntry, NodesOfARunThatLivesAreAnObstacleEvenIfOnlyOneOfItsMachinesHasPower) {
  OtherRun world;
  world.cluster->kill(2);
  const auto verdict = verdict_of(world, 3, 20s);
  ASSERT_TRUE(verdict);
  EXPECT_THAT(verdict->obstacles,
              ElementsAre("a run that lives keeps nodes of these names (41-today): hollow-2; end "
                          "it, or --name-prefix gives other names"));
}

TEST(HollowEntry, NodesOfARunThatLivesAreAnObstacleWhereLeasesAreLongToo) {
  HollowClusterOptions options;
  options.kubelet.lease_duration = 200s;
  OtherRun world(std::move(options));
  const auto verdict = verdict_of(world, 3, 70s);
  ASSERT_TRUE(verdict);
  EXPECT_THAT(verdict->obstacles, SizeIs(1));
}

TEST(HollowEntry, NodesOfARunThatWasKilledAreTakenOverHoweverFreshTheirLeases) {
  OtherRun world;
  world.cluster.reset();
  const auto verdict = verdict_of(world, 3, 20s);
  ASSERT_TRUE(verdict);
  EXPECT_THAT(verdict->obstacles, IsEmpty());
  EXPECT_THAT(verdict->inherited, ElementsAre("hollow-0", "hollow-1", "hollow-2"));
}

TEST(HollowEntry, LeasesThatCannotBeReadKeepNobodyAlive) {
  OtherRun world;
  world.server.faults().add(FaultRule::answering(
      {.verb = "get", .resource = "leases"},
      {.status = 200,
       .content_type = "application/json",
       .body = R"({"kind":"Lease","metadata":{"name":"x"},"spec":{"renewTime":7}})"}));
  const auto verdict = verdict_of(world, 3, 70s);
  ASSERT_TRUE(verdict);
  EXPECT_THAT(verdict->obstacles, IsEmpty());
}

TEST(HollowEntry, WaitsForAServerThatDoesNotAnswer) {
  HollowWorld world;
  world.transport.set_link(Link::Refused);
  std::optional<EntryVerdict> heard;
  const HollowEntry entry(world.world(), {.name_prefix = "hollow", .nodes = 1},
                          [&heard](const EntryVerdict& verdict) { heard = verdict; });
  world.time.run_for(20s);
  EXPECT_FALSE(heard);
  EXPECT_NE(entry.trouble(), "");
  world.transport.set_link(Link::Up);
  world.time.run_for(10s);
  ASSERT_TRUE(heard);
  EXPECT_THAT(heard->obstacles, IsEmpty());
}

}  // namespace
}  // namespace nlc::sim
