#include <gmock/gmock.h>

#include "election/sidecar/flags.h"
#include "election/sidecar/pages.h"
#include "tests/election/election_world.h"

namespace nlc::election::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

SidecarCommandLine line(const std::vector<std::string>& arguments) {
  return read_sidecar_command_line(arguments);
}

TEST(SidecarFlags, DefaultsAreThoseOfTheOldOneSaveLockAndId) {
  const SidecarCommandLine given = line({"--election=x"});
  ASSERT_TRUE(given.flags) << given.text;
  const ElectionOptions options = election_options(*given.flags, "host-1");
  EXPECT_EQ(options.identity, "host-1");
  EXPECT_EQ(options.lease_namespace, "default");
  EXPECT_EQ(options.lease_name, "x");
  EXPECT_EQ(options.lease_duration, 10s);
  EXPECT_EQ(options.renew_deadline, 5s);
  EXPECT_EQ(options.retry_period, 2500ms);
  EXPECT_EQ(options.lock, LockKind::Leases);
  EXPECT_EQ(given.flags->http, "");
  EXPECT_FALSE(given.flags->use_cluster_credentials);
}

TEST(SidecarFlags, AreTaken) {
  const SidecarCommandLine given =
      line({"--election=x", "--id=me", "--election-namespace", "apps", "--ttl=4s",
            "--http=localhost:4040", "--use-cluster-credentials", "--kubeconfig=/k",
            "--lock=endpoints"});
  ASSERT_TRUE(given.flags) << given.text;
  EXPECT_EQ(given.flags->id, "me");
  EXPECT_EQ(given.flags->election_namespace, "apps");
  EXPECT_EQ(given.flags->ttl, 4s);
  EXPECT_EQ(given.flags->http, "localhost:4040");
  EXPECT_TRUE(given.flags->use_cluster_credentials);
  EXPECT_EQ(given.flags->kubeconfig, "/k");
  EXPECT_EQ(given.flags->lock, LockKind::Endpoints);
  EXPECT_FALSE(
      line({"--election=x", "--use-cluster-credentials=false"}).flags->use_cluster_credentials);
}

TEST(SidecarFlags, GivenTwiceHaveTheirLastValue) {
  const SidecarCommandLine given =
      line({"--election=x", "--election=y", "--use-cluster-credentials",
            "--use-cluster-credentials=false", "--ttl=4s", "--ttl=6s"});
  ASSERT_TRUE(given.flags) << given.text;
  EXPECT_EQ(given.flags->election, "y");
  EXPECT_FALSE(given.flags->use_cluster_credentials);
  EXPECT_EQ(given.flags->ttl, 6s);
}

TEST(SidecarFlags, AMistakeIsOneLineThatNamesFlagValueAndWhatIsAllowed) {
  const auto refused = [](const std::vector<std::string>& arguments, const std::string& words) {
    const SidecarCommandLine given = line(arguments);
    EXPECT_FALSE(given.flags);
    EXPECT_EQ(given.exit_code, 2);
    EXPECT_THAT(given.text, HasSubstr(words));
    EXPECT_EQ(std::ranges::count(given.text, '\n'), 1);
  };
  refused({}, "--election");
  refused({"--election=x", "--ttl=500ms"}, "\"500ms\" for --ttl: must be whole seconds");
  refused({"--election=x", "--ttl=banana"}, "--ttl");
  refused({"--election=x", "--lock=pods"}, "endpointsleases");
  refused({"--election=x", "--id=a b"}, "--id");
  refused({"--election=x", "--what"}, "--what");
}

TEST(SidecarFlags, LocksOfKubernetesAreRefused) {
  for (const std::string name :
       {"kube-controller-manager", "kube-scheduler", "cloud-controller-manager"}) {
    const SidecarCommandLine given =
        line({"--election=" + name, "--election-namespace=kube-system"});
    EXPECT_EQ(given.exit_code, 2);
    EXPECT_FALSE(given.flags);
    EXPECT_THAT(given.text, HasSubstr("\"" + name + "\" for --election: is the lock of " + name));
    EXPECT_TRUE(line({"--election=" + name}).flags) << "of the namespace default";
  }
  EXPECT_TRUE(line({"--election=example", "--election-namespace=kube-system"}).flags);
}

struct Sidecar {
  Sidecar(ElectionWorld& in, const std::string& name, std::uint64_t seed)
      : world(in), contender(in, name, seed), pages(contender.board, contender.metrics, in.time) {}

  client::Response get(const std::string& path, const std::string& method = "GET") {
    auto heard = std::make_shared<sim::Heard>();
    (void)pages.serve({.method = method, .target = path},
                      std::make_unique<sim::RecordingReply>(heard));
    return *heard->response;
  }

  ElectionWorld& world;
  Contender contender;
  SidecarPages pages;
};

TEST(SidecarPages, EachCandidateNamesTheLeaderAndOnlyTheLeaderSaysThatItIs) {
  ElectionWorld world;
  Sidecar a(world, "a", 1);
  EXPECT_EQ(a.get("/").body, R"({"name":""})");
  EXPECT_EQ(a.get("/readyz").status, 503);
  world.time.run_for(1s);
  Sidecar b(world, "b", 2);
  world.time.run_for(1s);

  for (Sidecar* one : {&a, &b}) {
    EXPECT_EQ(one->get("/").body, R"({"name":"a"})");
    EXPECT_EQ(one->get("/whatever?x=y").body, R"({"name":"a"})");
    EXPECT_EQ(one->get("/healthz").status, 200);
    EXPECT_EQ(one->get("/readyz").status, 200);
  }
  EXPECT_EQ(a.get("/isLeader").body, R"({"isLeader":true})");
  EXPECT_EQ(b.get("/isLeader").body, R"({"isLeader":false})");
  EXPECT_THAT(a.get("/metrics").body,
              AllOf(HasSubstr("leader_election_master_status"), HasSubstr("process_open_fds"),
                    Not(HasSubstr("node_collector_")), Not(HasSubstr("nlc_build_info"))));
  EXPECT_EQ(a.get("/", "HEAD").status, 200);
  EXPECT_EQ(a.get("/", "POST").status, 405);
}

TEST(SidecarPages, TheValidityShrinksWithTimeAndIsRoundedDown) {
  ElectionWorld world;
  Sidecar a(world, "a", 1);
  world.time.run_for(10ms);
  a.contender.link.set_link(Link::Silent);
  const Instant end = a.contender.gate.end();
  world.time.run_for(end - world.time.now() - 1500us);
  EXPECT_THAT(a.get("/validity").body,
              StartsWith(R"({"name":"a","isLeader":true,"validMilliseconds":1,"trouble":"PUT )"));
  world.time.run_for(1500us);
  EXPECT_EQ(a.get("/readyz").status, 503);
  EXPECT_THAT(a.get("/validity").body,
              StartsWith(R"({"name":"","isLeader":false,"validMilliseconds":0,)"));
}

TEST(SidecarPages, TroubleOfTheElectionIsSaidAndNothingWhenAllIsWell) {
  ElectionWorld world;
  Sidecar a(world, "a", 1);
  world.time.run_for(1s);
  EXPECT_EQ(a.get("/readyz").body, "ok");
  EXPECT_THAT(a.get("/validity").body, Not(HasSubstr("trouble")));

  a.contender.link.set_link(Link::Refused);
  world.time.run_for(5s);
  EXPECT_EQ(a.get("/readyz").status, 200) << "it still leads";
  EXPECT_THAT(a.get("/readyz").body, StartsWith("ok, trouble: PUT /apis/coordination"));
  world.time.run_for(15s);
  EXPECT_EQ(a.get("/readyz").status, 503);
  EXPECT_THAT(a.get("/readyz").body, StartsWith("nobody is known to lead, trouble: GET "));

  a.contender.link.set_link(Link::Up);
  world.time.run_for(15s + 6s);
  EXPECT_EQ(a.get("/readyz").body, "ok") << "a lease and three periods after it could read again";
}

TEST(SidecarPages, AfterTheLeadersDeathItsNameGoesAndTheNextOneComes) {
  ElectionWorld world;
  Sidecar a(world, "a", 1);
  world.time.run_for(1s);
  Sidecar b(world, "b", 2);
  world.time.run_for(10s);
  a.contender.elector.reset();
  std::vector<std::string> names;
  world.watch_for(20s, 10ms, [&] {
    const std::string body = b.get("/").body;
    if (names.empty() || names.back() != body) names.push_back(body);
  });

  EXPECT_EQ(names.front(), R"({"name":"a"})");
  EXPECT_EQ(names.back(), R"({"name":"b"})");
}

}  // namespace
}  // namespace nlc::election::testing
