#include <gmock/gmock.h>

#include "informer/reflector.h"
#include "sim/loopback_transport.h"
#include "tests/memory_log.h"
#include "tests/sim/apiserver/api_client.h"

/// The reflector against the embedded API server, in virtual time.
namespace nlc::informer::testing {
namespace {

using namespace std::chrono_literals;
using sim::Json;
using sim::Link;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

const sim::Resource& node_resource() { return sim::core_resource("nodes"); }

struct Cluster : sim::ApiWorld {
  explicit Cluster(sim::ApiServerOptions options = {}) : ApiWorld(observed(std::move(options))) {}

  sim::ApiServerOptions observed(sim::ApiServerOptions options) {
    options.observe = [this](const sim::ServedRequest& request) {
      if (request.user_agent == "reflector") verbs.push_back(request.info.verb);
    };
    return options;
  }

  void start_watching(WatchOptions options = {}, std::uint64_t seed = 3) {
    reflector = std::make_unique<Reflector<api::Node>>(ReflectorEnv{link, time, time, log, seed},
                                                       store, options);
  }

  void touch(const std::string& name) {
    patch(sim::nodes + "/" + name,
          {{"metadata", {{"annotations", {{"n", std::to_string(++touched)}}}}}});
  }

  std::vector<std::string> on_server() const {
    std::vector<std::string> result;
    server.storage().visit(node_resource(), {}, [&](const sim::ObjectRef& object) {
      result.push_back(object->key + "@" + std::to_string(object->version));
      return true;
    });
    std::ranges::sort(result);
    return result;
  }
  std::vector<std::string> in_store() const {
    std::vector<std::string> result;
    store.each([&](Slot, const api::Node& node) {
      result.push_back(node.name + "@" + node.resource_version);
    });
    std::ranges::sort(result);
    return result;
  }
  std::size_t asked(std::string_view verb) const {
    return static_cast<std::size_t>(std::ranges::count(verbs, verb));
  }

  std::vector<std::string> verbs;
  client::Gate gate;
  sim::LoopbackTransport link{{time, time, server, gate}, {.user_agent = "reflector"}};
  tests::MemoryLog log;
  Store<api::Node> store;
  std::unique_ptr<Reflector<api::Node>> reflector;
  int touched = 0;
};

void make_nodes(Cluster& cluster, int count) {
  for (int i = 0; i < count; ++i) cluster.post(sim::nodes, sim::node("n" + std::to_string(i)));
}

TEST(ReflectorOnServer, BothKindsOfListGiveTheSameStore) {
  for (const bool stream_lists : {true, false}) {
    Cluster cluster;
    make_nodes(cluster, 25);
    cluster.start_watching({.stream_lists = stream_lists, .page_limit = 10});
    cluster.time.run_for(1s);

    EXPECT_EQ(cluster.in_store(), cluster.on_server());
    EXPECT_EQ(cluster.asked("list"), stream_lists ? 0U : 3U);
    EXPECT_EQ(cluster.asked("watch"), 1U);
    EXPECT_THAT(cluster.log.lines, IsEmpty());
  }
}

TEST(ReflectorOnServer, WhatChangesBetweenTwoPagesIsNotLost) {
  Cluster cluster;
  make_nodes(cluster, 6);
  cluster.start_watching({.stream_lists = false, .page_limit = 2});
  for (int step = 0; step < 8; ++step) {
    cluster.time.run_for(1ms);
    cluster.touch("n" + std::to_string(step % 6));
    if (step == 3) cluster.remove(sim::nodes + "/n0");
  }
  cluster.time.run_for(1s);

  EXPECT_EQ(cluster.in_store(), cluster.on_server());
}

TEST(ReflectorOnServer, AnObjectDeletedBeforeTheListEndedDoesNotStay) {
  Cluster cluster;
  make_nodes(cluster, 3);
  cluster.start_watching();
  cluster.time.run_for(1500us);  // the stream is open, nothing has come back yet
  cluster.remove(sim::nodes + "/n1");
  cluster.time.run_for(1s);

  EXPECT_EQ(cluster.in_store(), cluster.on_server());
  EXPECT_FALSE(cluster.store.find("n1"));
}

TEST(ReflectorOnServer, AQuietCollectionSurvivesTheCompactionOfHistory) {
  Cluster cluster({.history = {.age = 75s}});
  make_nodes(cluster, 3);
  cluster.start_watching();
  for (int second = 0; second < 1200; ++second) {
    cluster.time.run_for(1s);
    if (second % 10 == 0) cluster.post(sim::pods, sim::pod("p" + std::to_string(second)));
    if (second % 60 == 0) cluster.get(sim::nodes);  // a consistent read moves everybody's bookmark
  }
  cluster.touch("n1");
  cluster.time.run_for(1s);

  EXPECT_EQ(cluster.in_store(), cluster.on_server());
  EXPECT_EQ(cluster.asked("list"), 0U);
  EXPECT_THAT(cluster.log.lines, IsEmpty());
}

TEST(ReflectorOnServer, AVersionThatWasCompactedAwayWhileTheLinkWasDownIsListedAnew) {
  Cluster cluster;
  make_nodes(cluster, 3);
  cluster.start_watching();
  cluster.time.run_for(1s);

  cluster.link.set_link(Link::Refused);
  cluster.remove(sim::nodes + "/n0");
  cluster.touch("n1");
  cluster.server.compact_history();
  cluster.time.run_for(20s);
  EXPECT_TRUE(cluster.store.find("n0")) << "the last known state stands while blind";
  cluster.link.set_link(Link::Up);
  cluster.time.run_for(2min);

  EXPECT_EQ(cluster.in_store(), cluster.on_server());
  EXPECT_EQ(cluster.reflector->state().trouble, "");
}

TEST(ReflectorOnServer, AStreamThatFellSilentIsReplacedWithinThreeMinutes) {
  Cluster cluster;
  make_nodes(cluster, 3);
  cluster.start_watching();
  cluster.time.run_for(1s);
  cluster.server.watches().freeze("nodes");
  cluster.touch("n1");
  cluster.time.run_for(60s);
  cluster.server.watches().end_all(sim::WatchHub::Ending::Orderly, "pods");  // not ours
  cluster.server.watches().thaw("pods");
  EXPECT_NE(cluster.in_store(), cluster.on_server());

  cluster.server.watches().thaw("nodes");
  cluster.time.run_for(140s);

  EXPECT_EQ(cluster.in_store(), cluster.on_server());
}

TEST(ReflectorOnServer, AServerThatNeverEndsItsInitialEventsIsReadByPages) {
  Cluster cluster;
  make_nodes(cluster, 3);
  cluster.server.watches().initial_events_end_never(true);
  cluster.start_watching();
  cluster.time.run_for(60s);

  EXPECT_TRUE(cluster.store.synced());
  EXPECT_EQ(cluster.in_store(), cluster.on_server());
}

TEST(ReflectorOnServer, APausedServerIsWaitedForAndThenBelieved) {
  Cluster cluster;
  make_nodes(cluster, 3);
  cluster.start_watching();
  cluster.time.run_for(1s);

  cluster.server.pause_for(10min);
  cluster.time.run_for(10min);
  cluster.touch("n2");
  cluster.time.run_for(2min);

  EXPECT_EQ(cluster.in_store(), cluster.on_server());
  EXPECT_LT(cluster.asked("watch"), 15U);
}

TEST(ReflectorOnServer, AServerThatCutsEachStreamAfterItsFirstEventIsNotFlooded) {
  Cluster cluster;
  make_nodes(cluster, 1);
  cluster.start_watching();
  cluster.time.run_for(1s);
  const std::size_t before = cluster.asked("watch");
  for (int step = 0; step < 6000; ++step) {
    cluster.touch("n0");
    cluster.time.run_for(10ms);
    cluster.server.watches().end_all(sim::WatchHub::Ending::Orderly);
  }

  EXPECT_LE(cluster.asked("watch") - before, 66U) << "in one minute";
  cluster.time.run_for(1min);
  EXPECT_EQ(cluster.in_store(), cluster.on_server());
}

TEST(ReflectorOnServer, AForbiddenWatchIsSaidOnceAMinuteAndAskedForSlowly) {
  bool allowed = false;
  Cluster cluster({.allows = [&](const std::string&, const sim::RequestInfo&) { return allowed; }});
  cluster.start_watching();
  cluster.time.run_for(10min);
  EXPECT_LT(cluster.verbs.size(), 40U);
  EXPECT_LE(cluster.log.count(" resource \"nodes\""), 10U);
  EXPECT_GE(cluster.log.count(" resource \"nodes\""), 7U);
  EXPECT_GE(cluster.log.count("cannot watch resource \"nodes\""), 1U) << "and listed in turn";
  EXPECT_FALSE(cluster.store.synced());

  allowed = true;
  cluster.time.run_for(31s);
  EXPECT_TRUE(cluster.store.synced());
  EXPECT_EQ(cluster.log.count("watch resumed"), 1U);
}

// --- recovery begins when the server is back -----------------------------------------------------

/// The server is heard elsewhere every two seconds, as by the renewals of a leader's lease.
void run_hurried(Cluster& cluster, Duration span) {
  const Instant end = cluster.time.now() + span;
  while (cluster.time.now() < end) {
    cluster.time.run_for(std::min<Duration>(2s, end - cluster.time.now()));
    cluster.reflector->hurry();
  }
}

TEST(ReflectorOnServer, NodesAreWatchedTwoSecondsAfterRightsThatWereGoneAreBack) {
  for (const bool synced : {true, false}) {
    for (const Duration outage : {Duration(5s), Duration(25s), Duration(10min)}) {
      bool allowed = synced;
      Cluster cluster(
          {.allows = [&](const std::string&, const sim::RequestInfo&) { return allowed; }});
      cluster.start_watching();
      cluster.time.run_for(1s);
      ASSERT_EQ(cluster.reflector->state().streaming, synced);

      allowed = false;
      cluster.server.watches().end_all(sim::WatchHub::Ending::Cut);
      const std::size_t before = cluster.verbs.size();
      run_hurried(cluster, outage);
      EXPECT_FALSE(cluster.reflector->state().streaming);
      EXPECT_LE(cluster.verbs.size() - before, static_cast<std::size_t>(outage / 2s) + 3);
      allowed = true;
      run_hurried(cluster, 2100ms);
      EXPECT_TRUE(cluster.reflector->state().streaming);
    }
  }
}

TEST(ReflectorOnServer, NodesAreWatchedTwoSecondsAfterConnectionsAreNoLongerReset) {
  Cluster cluster;
  cluster.start_watching();
  cluster.time.run_for(1s);
  for (int second = 0; second < 40; ++second) {
    run_hurried(cluster, 1s);
    cluster.server.watches().end_all(sim::WatchHub::Ending::Cut);
  }
  run_hurried(cluster, 2100ms);
  EXPECT_TRUE(cluster.reflector->state().streaming);
}

/// One thing that goes wrong, or a change of the cluster, drawn by lot.
class Mischief {
 public:
  Mischief(Cluster& cluster, std::uint64_t seed) : cluster_(cluster), random_(seed) {}

  void change() {
    const std::string name = "n" + std::to_string(random_.below(12));
    switch (random_.below(3)) {
      case 0:
        cluster_.post(sim::nodes, sim::node(name));
        return;
      case 1:
        cluster_.touch(name);
        return;
      default:
        cluster_.remove(sim::nodes + "/" + name);
        return;
    }
  }

  void disturb() {
    using Ending = sim::WatchHub::Ending;
    switch (random_.below(9)) {
      case 0:
        return cluster_.link.set_link(Link::Refused);
      case 1:
        return cluster_.link.set_link(Link::Silent);
      case 2:
        return cluster_.server.watches().end_all(Ending::Cut);
      case 3:
        return cluster_.server.watches().end_all(Ending::Orderly);
      case 4:
        return cluster_.server.compact_history();
      case 5:
        if (!cluster_.server.is_paused()) cluster_.server.pause_for(short_time());
        return;
      case 6:
        return answer(sim::throttled_answer(1s));
      case 7:
        return answer(sim::expired_answer());
      default:
        return cluster_.link.set_link(Link::Up);
    }
  }

  Duration short_time() { return random_.between(1ms, 40s); }

 private:
  void answer(client::Response response) {
    cluster_.server.faults().add(
        sim::FaultRule::answering({.resource = "nodes", .user_agent = "reflector"},
                                  std::move(response))
            .at_most(1 + random_.below(3)));
  }

  Cluster& cluster_;
  Random random_;
};

TEST(ReflectorOnServer, WhateverHappensTheStoreEndsEqualToTheServer) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Cluster cluster;
    Mischief mischief(cluster, seed);
    make_nodes(cluster, 6);
    cluster.start_watching({.stream_lists = seed % 2 == 0, .page_limit = 3}, seed);
    for (int step = 0; step < 40; ++step) {
      mischief.disturb();
      for (int change = 0; change < 5; ++change) {
        mischief.change();
        cluster.time.run_for(mischief.short_time() / 10);
      }
    }

    cluster.link.set_link(Link::Up);
    cluster.server.faults().clear();
    cluster.time.run_for(5min);
    ASSERT_EQ(cluster.in_store(), cluster.on_server()) << "seed " << seed;
    ASSERT_TRUE(cluster.reflector->state().streaming) << "seed " << seed;
  }
}

}  // namespace
}  // namespace nlc::informer::testing
