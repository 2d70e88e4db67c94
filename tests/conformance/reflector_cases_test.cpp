#include <gtest/gtest.h>

#include "informer/reflector.h"
#include "sim/virtual_time.h"
#include "tests/informer/scripted_transport.h"
#include "tests/memory_log.h"

/// Cases of reflector and store that no other test proves, each under its id.
namespace nlc::informer::testing {
namespace {

using namespace std::chrono_literals;

struct World {
  std::string nodes() const {
    std::string all;
    store.each([&](Slot, const api::Node& node) { all += " " + node.name; });
    return all;
  }
  void run(Duration span = Duration{0}) { time.run_for(span); }
  void stream(const std::string& name) {
    server.say(R"({"type":"ADDED","object":{"kind":"Node","metadata":{"name":")" + name +
               R"(","resourceVersion":"3"}}})");
  }
  void bookmark(const std::string& mark) {
    server.say(
        R"({"type":"BOOKMARK","object":{"kind":"Node","metadata":{"resourceVersion":"3","annotations":{"k8s.io/initial-events-end":")" +
        mark + R"("}}}})");
  }

  sim::VirtualTime time{std::chrono::sys_days{std::chrono::year{2026} / 11 / 21} + 9h};
  ScriptedTransport server{time};
  tests::MemoryLog log;
  Store<api::Node> store;
  Reflector<api::Node> reflector{{server, time, time, log, 5}, store, {}};
};

TEST(ReflectorCase, RF_LIST_14_AnObjectThatTheServerCannotReadIsGoneAfterTheNextList) {
  World world;
  world.server.accept();
  world.stream("foo");
  world.stream("bar");
  world.bookmark("true");
  world.server.say(
      R"({"type":"ERROR","object":{"kind":"Status","code":500,"reason":"StoreReadError"}})");
  world.run(2s);
  EXPECT_EQ(world.nodes(), " foo bar") << "kept until the list is complete";
  world.server.accept();
  world.stream("foo");
  world.bookmark("true");
  world.run();
  EXPECT_EQ(world.nodes(), " foo");
}

TEST(ReflectorCase, RF_WL_09_ABookmarkIsMarkedByTheWordTrueAlone) {
  World world;
  world.server.accept();
  world.stream("foo");
  world.bookmark("false");
  world.run();
  EXPECT_FALSE(world.reflector.state().synced);
  EXPECT_EQ(world.nodes(), "");
}

TEST(ReflectorCase, RF_WATCH_04_AShorterLifeThanFiveMinutesIsNotAskedFor) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    WatchMachine machine({.watch_min = 1s}, Random(seed));
    const NextStep first = machine.start(Instant{} + 1h);
    const Duration timeout = std::get<OpenWatch>(first).timeout;
    EXPECT_GE(timeout, 300s);
    EXPECT_LE(timeout, 600s);
  }
}

TEST(StoreCase, ST_01_AKeyIsNamespaceAndNameOrTheNameAlone) {
  api::Pod pod;
  pod.namespace_ = "foo";
  pod.name = "bar";
  api::Node node;
  node.name = "bar";
  EXPECT_EQ(pod.key(), "foo/bar");
  EXPECT_EQ(node.key(), "bar");

  struct Diary final : StoreListener<api::Pod> {
    void on_stored(Slot, const api::Pod&, const api::Pod*) override {}
    void on_removed(Slot, const api::Pod& object) override { removed = object.key(); }
    void on_synced() override {}
    std::string removed;
  } diary;
  Store<api::Pod> store;
  store.set_listener(&diary);
  store.apply(pod);
  store.replace({});
  EXPECT_EQ(diary.removed, "foo/bar") << "what a list lacks is told with its last state";
}

}  // namespace
}  // namespace nlc::informer::testing
