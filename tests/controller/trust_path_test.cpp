#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/controller/whole_path.h"

/// No verdict from silence: streams that stall, servers that answer nothing useful, and servers
/// that went back in time.
namespace nlc::controller {
namespace {

using namespace testing;
using api::ConditionStatus;
using metrics::Hold;

/// The server in front of which clients stand; another one can take its place.
class ReplacedServer final : public client::Endpoint {
 public:
  Subscription serve(client::IncomingRequest request,
                     std::unique_ptr<client::Reply> reply) override {
    return current->serve(std::move(request), std::move(reply));
  }
  client::Endpoint* current = nullptr;
};

class TrustPath : public ClusterTest {
 protected:
  TrustPath() : ClusterTest(twelve_nodes(1)) {
    cluster.time.run_for(1min);
    cluster.start_controller(with_grace_40s());
    cluster.time.run_for(1min);
    cluster.requests.clear();
  }

  bool held(Hold reason) const { return cluster.metrics().judgement_held(reason).value() == 1; }
  HealthCheck judgement() const { return cluster.check("judgement"); }
};

TEST_F(TrustPath, StalledLeaseStreamIsNoticedToldAndReleased) {
  cluster.server.watches().freeze("leases");
  cluster.time.run_for(30s);
  EXPECT_TRUE(held(Hold::StreamStalled));
  EXPECT_THAT(judgement().detail, ::testing::HasSubstr("the watch of leases"));
  EXPECT_TRUE(judgement().ok);  // quorum reads take its place
  cluster.time.run_for(3min);
  EXPECT_EQ(cluster.log.count("judgement held reason=stream_stalled"), 1U);
  EXPECT_EQ(told("JudgementHeld"), 1);
  EXPECT_EQ(cluster.log.count("node marked unknown"), 0U);
  cluster.server.watches().thaw("leases");
  cluster.time.run_for(30s);
  EXPECT_FALSE(held(Hold::StreamStalled));
  EXPECT_EQ(cluster.log.count("judgement resumed reason=stream_stalled"), 1U);
}

TEST_F(TrustPath, HowLongAnInformerHasHeardNothingIsAMetric) {
  const auto silence = [this](std::string_view resource) {
    return cluster.metrics().resource(resource).seconds_since_progress.value();
  };
  EXPECT_LT(silence("leases"), 10);
  cluster.server.pause_for(10min);
  cluster.time.run_for(130s);
  for (const char* resource : {"nodes", "leases", "pods", "configmaps"}) {
    EXPECT_GE(silence(resource), 125) << resource;  // as of the last second
  }
  EXPECT_FALSE(judgement().ok);
}

TEST_F(TrustPath, NodeThatDiesBehindAStalledStreamIsJudgedAllTheSame) {
  cluster.server.watches().freeze("leases");
  cluster.time.run_for(1min);
  cluster.kubelets.kubelet(3).die();
  cluster.time.run_for(grace + 12s);  // leases are read every 10 s
  EXPECT_EQ(cluster.ready("hollow-3").status, ConditionStatus::Unknown);
  EXPECT_EQ(cluster.log.count("node marked unknown"), 1U);
}

TEST_F(TrustPath, StalledNodeStreamIsNoticedByOurOwnWrites) {
  cluster.server.watches().freeze("nodes");
  cluster.kubelets.kubelet(3).die();
  cluster.time.run_for(grace + 15s);
  EXPECT_EQ(cluster.ready("hollow-3").status, ConditionStatus::Unknown);
  EXPECT_TRUE(held(Hold::StreamStalled));
  EXPECT_EQ(cluster.log.count("node marked unknown"), 1U);
}

TEST_F(TrustPath, StalledPodStreamIsNoticedByOurOwnWrites) {
  cluster.server.watches().freeze("pods");
  cluster.kubelets.kubelet(3).die();
  cluster.time.run_for(grace + 15s);
  EXPECT_EQ(cluster.ready("hollow-3").status, ConditionStatus::Unknown);
  EXPECT_TRUE(held(Hold::StreamStalled));
  EXPECT_THAT(judgement().detail, ::testing::HasSubstr("the watch of pods"));
}

TEST_F(TrustPath, ListThatTakesLongerThanAStreamMayStayBehindIsReadToItsEnd) {
  cluster.kubelets.kubelet(3).die();
  cluster.time.run_for(grace - 12s);
  const sim::RequestPattern ours{.verb = "watch", .resource = "pods", .user_agent = "controller"};
  cluster.server.faults().add(sim::FaultRule::answering(ours, sim::expired_answer()).at_most(1));
  cluster.server.faults().add(sim::FaultRule::doing(ours, sim::FaultRule::Action::Delay, 20s));
  cluster.server.watches().end_all(sim::WatchHub::Ending::Cut, "pods");
  cluster.time.run_for(3min);  // meanwhile its pods are written, and the stream is held to that
  EXPECT_FALSE(cluster.pod("hollow-3-0")->ready->status == ConditionStatus::True);
  EXPECT_FALSE(held(Hold::StreamStalled));
}

TEST_F(TrustPath, PausedServerIsToldWhenItAnswersAgain) {
  cluster.server.pause_for(10min);
  cluster.time.run_for(1min);
  EXPECT_TRUE(held(Hold::ServerPaused));
  EXPECT_FALSE(judgement().ok);
  cluster.time.run_for(15min);
  EXPECT_FALSE(held(Hold::ServerPaused));
  EXPECT_TRUE(judgement().ok);
  EXPECT_EQ(cluster.log.count("node marked unknown"), 0U);
  EXPECT_EQ(cluster.log.count("judgement held"), 1U);
  EXPECT_EQ(told("JudgementHeld"), 1);
}

TEST_F(TrustPath, LeasesThatCannotBeReadHoldTheVerdictOverThatNodeOnly) {
  const auto rule = cluster.server.faults().add(sim::FaultRule::answering(
      {.resource = "leases", .user_agent = "controller"}, sim::throttled_answer(1s)));
  cluster.kubelets.kubelet(3).die();
  cluster.time.run_for(2min);
  EXPECT_EQ(cluster.ready("hollow-3").status, ConditionStatus::True);
  EXPECT_TRUE(held(Hold::ServerPaused));
  EXPECT_EQ(cluster.log.count("judgement held"), 1U);
  cluster.server.faults().remove(rule);
  cluster.time.run_for(30s);
  EXPECT_EQ(cluster.ready("hollow-3").status, ConditionStatus::Unknown);
  EXPECT_FALSE(held(Hold::ServerPaused));
  EXPECT_EQ(cluster.log.count("node marked unknown"), 1U);
}

/// A list of leases as a server may give it: these items, and where it goes on.
client::Response list_of_leases(const nlohmann::json& items, const std::string& continue_token) {
  const nlohmann::json list = {
      {"apiVersion", "coordination.k8s.io/v1"},
      {"kind", "LeaseList"},
      {"metadata", {{"resourceVersion", "opaque"}, {"continue", continue_token}}},
      {"items", items}};
  return {.status = 200, .content_type = "application/json", .body = list.dump()};
}

/// Leases can be read in one list only, and none is heard of by the watch.
class ListedLeases : public TrustPath {
 protected:
  ListedLeases() {
    cluster.server.watches().freeze("leases");
    cluster.server.faults().add(
        sim::FaultRule::answering({.verb = "get", .resource = "leases", .user_agent = "controller"},
                                  sim::status_answer(403, "Forbidden", "no")));
  }
  void answer_lists(client::Response answer) {
    cluster.server.faults().add(sim::FaultRule::answering(
        {.verb = "list", .resource = "leases", .user_agent = "controller"}, std::move(answer)));
  }
  std::ptrdiff_t lists() const {
    return std::ranges::count_if(cluster.requests, [](const sim::ServedRequest& request) {
      return request.info.verb == "list" && request.info.resource == "leases";
    });
  }
};

TEST_F(ListedLeases, WithoutAnEndCondemnNobodyAndAreNotAskedForWithoutAPause) {
  answer_lists(list_of_leases(nlohmann::json::array(), "more"));
  cluster.time.run_for(3min);
  EXPECT_EQ(cluster.log.count("node marked unknown"), 0U);
  EXPECT_GT(lists(), 1);
  EXPECT_LT(lists(), 200);
}

TEST_F(ListedLeases, ThatLackWhatWasSeenOrHoldWhatCannotBeReadCondemnNobody) {
  answer_lists(list_of_leases({{{"metadata", {{"name", "hollow-3"}}}, {"spec", 7}}}, ""));
  cluster.time.run_for(3min);
  EXPECT_EQ(cluster.log.count("node marked unknown"), 0U);
}

TEST_F(TrustPath, ServerThatAnswersSlowlyCondemnsNobody) {
  cluster.server.faults().add(sim::FaultRule::doing({}, sim::FaultRule::Action::Delay, 4s));
  cluster.time.run_for(5min);
  EXPECT_EQ(cluster.log.count("node marked unknown"), 0U);
  cluster.kubelets.kubelet(3).die();
  cluster.time.run_for(grace + 30s);
  EXPECT_EQ(cluster.ready("hollow-3").status, ConditionStatus::Unknown);
  EXPECT_EQ(cluster.log.count("node marked unknown"), 1U);
}

// --- a server restored from a backup ------------------------------------------------------------

/// Twelve nodes and a controller before a server that is replaced by one that
/// holds what was there at the time of the backup, with versions that begin anew.
class RestoredServer : public ::testing::Test {
 protected:
  RestoredServer() {
    server.current = &first;
    kubelets.emplace(sim::HollowCluster::Env{kubelet_link, time, time, kubelet_log},
                     twelve_nodes(1));
    time.run_for(1min);
    replica.emplace(replica_world(link, gate, time, log), alone(with_grace_40s()), [](int) {});
    replica->start();
  }

  void back_up() {
    for (const char* plural : {"namespaces", "serviceaccounts", "nodes", "pods"}) keep("", plural);
    keep("coordination.k8s.io", "leases");
  }

  void restore() {
    second.emplace(time, time, sim::ApiServerOptions{});
    for (const nlohmann::json& object : backup) second->load(object);
    for (sim::LoopbackTransport* each : {&link, &kubelet_link}) {
      each->set_link(sim::Link::Refused);
    }
    server.current = &*second;
    time.run_for(1s);
    for (sim::LoopbackTransport* each : {&link, &kubelet_link}) each->set_link(sim::Link::Up);
  }

  ConditionStatus ready(const std::string& name) {
    const auto& resource = sim::core_resource("nodes");
    const api::Node node =
        *api::Decoder<api::Node>().object(second->storage().find(resource, name)->bytes);
    return node.condition(api::condition::ready)->status;
  }

  sim::VirtualTime time{noon};
  client::Gate gate;
  OpenGate open_gate;
  tests::MemoryLog log;
  tests::MemoryLog kubelet_log;
  sim::ApiServer first{time, time, {}};
  std::optional<sim::ApiServer> second;
  ReplacedServer server;
  sim::LoopbackTransport link{{time, time, server, gate}, {.user_agent = "controller"}};
  sim::LoopbackTransport kubelet_link{{time, time, server, open_gate}, {.user_agent = "kubelet"}};
  std::optional<sim::HollowCluster> kubelets;
  std::optional<program::Replica> replica;

 private:
  void keep(std::string_view group, std::string_view plural) {
    const sim::Resource& resource = *sim::find_resource(group, "v1", plural);
    first.storage().visit(resource, {}, [&](const sim::ObjectRef& object) {
      nlohmann::json json = nlohmann::json::parse(object->bytes);
      json["kind"] = std::string(resource.kind);
      json["apiVersion"] = group.empty() ? "v1" : std::string(group) + "/v1";
      backup.push_back(std::move(json));
      return true;
    });
  }
  std::vector<nlohmann::json> backup;
};

TEST_F(RestoredServer, CondemnsNobodyAndIsSeenAnew) {
  time.run_for(1min);
  back_up();
  time.run_for(10min);
  restore();
  const Instant restored = time.now();
  while (replica->metrics().judgement_held(Hold::VersionRewound).value() == 0) {
    time.run_for(10ms);
    ASSERT_LT(time.now(), restored + 10s) << "nobody noticed";
  }
  time.run_for(5min);
  EXPECT_EQ(replica->metrics().judgement_held(Hold::VersionRewound).value(), 0);
  EXPECT_EQ(log.count("judgement held reason=version_rewound"), 1U);
  EXPECT_EQ(log.count("node marked unknown"), 0U);
  EXPECT_EQ(log.count("pod evicted"), 0U);
}

TEST_F(RestoredServer, PodsOfNodesThatWereDeadInTheBackupAndLiveNowStay) {
  time.run_for(1min);
  kubelets->kubelet(3).die();
  time.run_for(grace + 30s);  // tainted, its pods have half a minute left
  back_up();
  kubelets->kubelet(3).revive();
  time.run_for(10min);
  restore();
  log.lines.clear();
  time.run_for(5min);
  EXPECT_EQ(ready("hollow-3"), ConditionStatus::True);
  EXPECT_EQ(log.count("pod evicted"), 0U);
  EXPECT_EQ(log.count("node marked unknown"), 0U);
}

TEST_F(RestoredServer, NodeThatIsReallyDeadIsJudgedAtItsDeadline) {
  time.run_for(1min);
  back_up();
  time.run_for(10min);
  kubelets->kubelet(3).die();
  time.run_for(10s);
  restore();
  time.run_for(grace + 5s);
  EXPECT_EQ(ready("hollow-3"), ConditionStatus::Unknown);
  EXPECT_EQ(log.count("node marked unknown"), 1U);
}

}  // namespace
}  // namespace nlc::controller
