#include "program/live_events.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "sim/virtual_time.h"
#include "tests/controller/objects.h"
#include "tests/controller/whole_path.h"
#include "tests/program/callers.h"

namespace nlc::program {
namespace {

using namespace controller::testing;
using nlohmann::json;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;
using tests::StuckExecutor;

/// What a browser has got of a stream.
struct Stream {
  int status = 0;
  std::string text;
  struct Event {
    std::string id;
    std::string kind;
    json data;
  };
  std::vector<Event> events() const {
    std::vector<Event> events;
    std::istringstream lines(text);
    Event event;
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with("id: ")) event.id = line.substr(4);
      if (line.starts_with("event: ")) event.kind = line.substr(7);
      if (line.starts_with("data: ")) event.data = json::parse(line.substr(6));
      if (line.empty()) events.push_back(std::exchange(event, {}));
    }
    return events;
  }
  std::vector<std::string> kinds() const {
    std::vector<std::string> kinds;
    for (const Event& event : events()) kinds.push_back(event.kind);
    return kinds;
  }
};

class StreamReply final : public client::Reply {
 public:
  explicit StreamReply(Stream& stream) : stream_(stream) {}
  void send(client::Response response, std::string_view) override {
    stream_.status = response.status;
    stream_.text = response.body;
  }
  void open(std::string_view content_type, std::optional<WallTime>) override {
    EXPECT_EQ(content_type, "text/event-stream");
    stream_.status = 200;
  }
  void write(std::shared_ptr<const std::string> bytes) override { stream_.text += *bytes; }
  void close() override {}

 private:
  Stream& stream_;
};

class LiveEventsTest : public ::testing::Test {
 protected:
  Subscription watch(Stream& stream, std::string last_id = {}) {
    return live.serve({.method = "GET", .target = "/v1/live", .last_event_id = std::move(last_id)},
                      std::make_unique<StreamReply>(stream));
  }

  sim::VirtualTime time{noon};
  StuckExecutor controller{time};
  int looks = 0;
  int forgotten = 0;
  bool first = true;
  LiveEvents live{{.controller = controller, .port = time, .clock = time},
                  {.look =
                       [this] {
                         ++looks;
                         LiveEvents::Change change{.at = time.wall_now()};
                         if (std::exchange(first, false))
                           change.nodes = {{.name = "a"}, {.name = "b"}};
                         if (looks == 3) change.gone = {"b"};
                         return change;
                       },
                   .forget =
                       [this] {
                         ++forgotten;
                         first = true;
                       }}};
};

TEST_F(LiveEventsTest, StreamBeginsWithASnapshotAndGoesOnWithOneChangeASecond) {
  Stream stream;
  const Subscription watching = watch(stream);
  time.run_for(2500ms);
  EXPECT_THAT(stream.kinds(), ElementsAre("snapshot", "change", "change"));
  EXPECT_THAT(stream.events()[0].data["nodes"], SizeIs(2));
  EXPECT_FALSE(stream.events()[1].data.contains("nodes"));
  EXPECT_THAT(stream.events()[2].data["gone"], ElementsAre("b"));
}

TEST_F(LiveEventsTest, NothingIsComputedWhileNobodyLooks) {
  time.run_for(10s);
  EXPECT_EQ(controller.posted, 0);
  {
    Stream stream;
    const Subscription watching = watch(stream);
    time.run_for(3s);
  }
  time.run_for(1s);
  const int until_then = looks;
  time.run_for(10min);
  EXPECT_EQ(looks, until_then);
  EXPECT_EQ(forgotten, 1);
}

TEST_F(LiveEventsTest, ManyViewersCostTheControllerWhatOneDoes) {
  std::vector<Stream> streams(100);
  std::vector<Subscription> watching;
  for (Stream& stream : streams) watching.push_back(watch(stream));
  time.run_for(9500ms);
  EXPECT_EQ(looks, 10);
  for (const Stream& stream : streams) EXPECT_EQ(stream.text, streams.front().text);
}

TEST_F(LiveEventsTest, WhoReloadsThePageOverAndOverCostsTheControllerNoMore) {
  for (int i = 0; i < 100; ++i) {
    Stream stream;
    const Subscription watching = watch(stream);
    time.run_for(50ms);
  }
  EXPECT_LE(looks, 6);
}

TEST_F(LiveEventsTest, WhoComesBackGetsWhatFollowedTheLastEventHeHas) {
  Stream other;
  const Subscription staying = watch(other);
  Stream before;
  {
    const Subscription watching = watch(before);
    time.run_for(1500ms);
  }
  time.run_for(5s);
  Stream after;
  const Subscription again = watch(after, before.events().back().id);
  time.run_for(1s);
  EXPECT_THAT(after.kinds(), ::testing::Each("change"));
  EXPECT_EQ(before.text + after.text, other.text);
}

TEST_F(LiveEventsTest, WhoWasAloneIsGoneOnWithAsWell) {
  Stream before;
  {
    const Subscription watching = watch(before);
    time.run_for(1500ms);
  }
  time.run_for(20s);
  Stream after;
  const Subscription again = watch(after, before.events().back().id);
  time.run_for(500ms);
  EXPECT_THAT(after.kinds(), ElementsAre("change"));
  EXPECT_THAT(after.events()[0].data["gone"], ElementsAre("b"));
}

TEST_F(LiveEventsTest, AnIdThatIsNotHeldGetsANewSnapshot) {
  Stream first_stream;
  {
    const Subscription watching = watch(first_stream);
    time.run_for(500ms);
  }
  const std::string old = first_stream.events().front().id;
  time.run_for(2min);
  for (const std::string& id : {old, std::string("banana"), std::string("-1"), old + "9999"}) {
    Stream stream;
    const Subscription watching = watch(stream, id);
    time.run_for(1s);
    EXPECT_EQ(stream.kinds().front(), "snapshot") << id;
    EXPECT_THAT(stream.events()[0].data["nodes"], SizeIs(2)) << id;
  }
}

TEST_F(LiveEventsTest, BacklogHoldsSixtyEventsAndNoMore) {
  Stream other;
  const Subscription staying = watch(other);
  time.run_for(std::chrono::seconds(LiveEvents::events_max + 10));
  const auto told = other.events();
  Stream late;
  Stream too_late;
  const Subscription one = watch(late, told[told.size() - LiveEvents::events_max].id);
  const Subscription two = watch(too_late, told[told.size() - LiveEvents::events_max - 2].id);
  time.run_for(1s);
  EXPECT_EQ(late.kinds().front(), "change");
  EXPECT_EQ(too_late.kinds().front(), "snapshot");
}

TEST_F(LiveEventsTest, OneViewerTooManyIsToldSo) {
  std::vector<Stream> streams(LiveEvents::viewers_max + 1);
  std::vector<Subscription> watching;
  for (Stream& stream : streams) watching.push_back(watch(stream));
  EXPECT_EQ(streams.back().status, 503);
  time.run_for(1s);
  EXPECT_EQ(streams.front().status, 200);
}

TEST_F(LiveEventsTest, StuckControllerIsAskedOnceAndToldOf) {
  controller.stuck = true;
  Stream stream;
  const Subscription watching = watch(stream);
  time.run_for(LiveEvents::time_out + 1s);
  EXPECT_EQ(stream.status, 503);
  EXPECT_EQ(controller.posted, 1);
  controller.go_on();
  Stream again;
  const Subscription later = watch(again);
  time.run_for(2s);
  EXPECT_EQ(again.kinds().front(), "snapshot");
}

/// The port of a whole replica, over a whole cluster in virtual time.
class LivePage : public ::testing::Test {
 protected:
  LivePage() {
    cluster.time.run_for(5s);
    cluster.start_controller(with_grace_40s());
    cluster.time.run_for(30s);
  }
  Subscription ask(Stream& stream, std::string target, std::string host = "localhost:10291",
                   std::string method = "GET") {
    return cluster.replica->status().serve(
        {.method = std::move(method), .target = std::move(target), .host = std::move(host)},
        std::make_unique<StreamReply>(stream));
  }
  /// Node by node, what they are at the end of the stream.
  static std::map<std::string, std::string> statuses(const Stream& stream) {
    std::map<std::string, std::string> statuses;
    for (const Stream::Event& event : stream.events()) {
      for (const json& node : event.data.value("nodes", json::array())) {
        statuses[node[0]] = node[2];
      }
    }
    return statuses;
  }

  Cluster cluster{sim::HollowClusterOptions{.nodes = 6}};
};

TEST_F(LivePage, IsServedWithAllItsFiles) {
  for (const char* file : {"/", "/page.js", "/state.js", "/grid.js", "/player.js", "/strip.js",
                           "/why.js", "/page.css", "/icon.svg"}) {
    Stream stream;
    const Subscription asking = ask(stream, file);
    EXPECT_EQ(stream.status, 200) << file;
    EXPECT_THAT(stream.text, ::testing::Not(::testing::ContainsRegex("https?://[^w]"))) << file;
  }
}

TEST_F(LivePage, ForeignHostAndEveryMethodButReadingAreRefused) {
  for (const char* target : {"/", "/v1/live"}) {
    Stream foreign;
    const Subscription asking = ask(foreign, target, "evil.example:10291");
    EXPECT_EQ(foreign.status, 403);
    Stream writes;
    const Subscription writing = ask(writes, target, "localhost", "POST");
    EXPECT_EQ(writes.status, 405);
  }
}

TEST_F(LivePage, ShowsANodeFromReadyToEvictingAndBack) {
  Stream stream;
  const Subscription watching = ask(stream, "/v1/live");
  cluster.time.run_for(1s);
  EXPECT_THAT(statuses(stream), SizeIs(6));
  EXPECT_THAT(statuses(stream), Contains(Pair("hollow-0", "ready")));
  const json begun = stream.events()[0].data;
  EXPECT_EQ(begun["replica"]["role"], "leads");
  EXPECT_EQ(begun["zones"][0]["state"], "Normal");
  EXPECT_FALSE(begun["next"].empty());

  cluster.kubelets.kill(1);
  cluster.time.run_for(grace + 15s);
  EXPECT_THAT(statuses(stream), Contains(Pair("hollow-0", "evicting")));
  EXPECT_THAT(statuses(stream), Contains(Pair("hollow-1", "ready")));
  cluster.kubelets.revive(1);
  cluster.time.run_for(30s);
  EXPECT_THAT(statuses(stream), Contains(Pair("hollow-0", "ready")));
}

TEST_F(LivePage, SecondWithoutNewsCostsLessThanAHundredBytes) {
  Stream stream;
  const Subscription watching = ask(stream, "/v1/live");
  cluster.time.run_for(500ms);
  const std::size_t begun = stream.text.size();
  cluster.time.run_for(10s);
  const auto events = stream.events();
  const auto quiet = std::ranges::count_if(
      events, [](const Stream::Event& event) { return event.data.size() == 2; });
  EXPECT_GE(quiet, 3);
  EXPECT_LT(stream.text.size() - begun, 5000);
}

TEST_F(LivePage, ReplicaWhoseListsAreNotCompleteSaysSo) {
  cluster.stop_controller();
  cluster.start_controller(with_grace_40s());
  Stream stream;
  const Subscription watching = ask(stream, "/v1/live");
  cluster.time.run_for(1ms);
  const auto events = stream.events();
  ASSERT_FALSE(events.empty());
  EXPECT_EQ(events[0].data["replica"]["state"], "not_synced");
  EXPECT_FALSE(events[0].data.contains("nodes"));
  cluster.time.run_for(5s);
  EXPECT_THAT(statuses(stream), SizeIs(6));
}

}  // namespace
}  // namespace nlc::program
