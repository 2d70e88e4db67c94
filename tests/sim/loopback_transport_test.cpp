#include "sim/loopback_transport.h"

#include "tests/sim/apiserver/api_client.h"

namespace nlc::sim {
namespace {

using client::Request;
using client::RequestPriority;
using client::Response;

struct Outcomes {
  std::vector<std::string> told;

  client::Answer note(const std::string& name) {
    return [this, name](Result<Response> result) {
      told.push_back(
          name + " " +
          (result ? std::to_string(result->status) : std::string(name_of(result.error().fault))));
    };
  }
};

struct Told {
  std::string story;
  std::string bytes;
};

class NotingReader final : public client::StreamReader {
 public:
  explicit NotingReader(std::shared_ptr<Told> told) : told_(std::move(told)) {}
  void on_bytes(std::string_view bytes) override { pending_ += bytes; }
  std::size_t events() const override { return 0; }
  std::function<void()> take(std::optional<Instant>) override {
    if (pending_.empty()) return nullptr;
    return [told = told_, bytes = std::exchange(pending_, {})] { told->bytes += bytes; };
  }
  void on_open(std::optional<WallTime>) override { told_->story += "open "; }
  void on_end(client::StreamEnd end) override {
    if (end.refused)
      told_->story += "refused " + std::to_string(end.refused->status);
    else if (end.broken)
      told_->story += "broken";
    else
      told_->story += "closed";
  }

 private:
  std::shared_ptr<Told> told_;
  std::string pending_;
};

struct LoopbackWorld : ApiWorld {
  explicit LoopbackWorld(LoopbackOptions options = {})
      : transport({time, time, server, gate}, std::move(options)) {
    gate.open_for_ever();
  }

  static Request asking(std::string target, RequestPriority priority = RequestPriority::Read) {
    Request request;
    request.target = std::move(target);
    request.priority = priority;
    return request;
  }

  static Request creating(const std::string& name, RequestPriority priority) {
    Request request = asking(nodes, priority);
    request.method = "POST";
    request.content_type = "application/json";
    request.body = node(name).dump();
    return request;
  }

  client::Gate gate;
  Outcomes outcomes;
  LoopbackTransport transport;
};

TEST(LoopbackTransport, AnswersOnceLaterAndAfterBothWays) {
  LoopbackWorld world({.latency = 5ms});
  world.transport.send(LoopbackWorld::asking(nodes), world.outcomes.note("list"));
  world.time.run_for(10ms - 1ns);
  EXPECT_TRUE(world.outcomes.told.empty());
  world.time.run_for(1h);
  EXPECT_EQ(world.outcomes.told, (std::vector<std::string>{"list 200"}));
}

TEST(LoopbackTransport, AClosedGateKeepsGatedPrioritiesAtHome) {
  LoopbackWorld world;
  world.gate.close();
  world.transport.send(LoopbackWorld::creating("a", RequestPriority::NodeWrite),
                       world.outcomes.note("write"));
  EXPECT_TRUE(world.outcomes.told.empty());
  world.transport.send(LoopbackWorld::asking(nodes), world.outcomes.note("read"));
  world.time.run_for(1s);
  EXPECT_EQ(world.outcomes.told, (std::vector<std::string>{"write not_leading", "read 200"}));
  EXPECT_EQ(world.get(nodes + "/a").status(), 404);
}

TEST(LoopbackTransport, AGatedRequestMayNotOutlastTheLeadership) {
  LoopbackWorld world;
  world.server.faults().add(
      FaultRule::doing({.verb = "create"}, FaultRule::Action::DelayResponse, 10s));
  world.gate.open_until(world.time.now() + 2s);
  world.transport.send(LoopbackWorld::creating("a", RequestPriority::NodeWrite),
                       world.outcomes.note("write"));
  world.time.run_for(2s);
  EXPECT_EQ(world.outcomes.told, (std::vector<std::string>{"write timeout"}));
}

TEST(LoopbackTransport, ARequestEndsAtItsTimeoutAndTheServerForgetsIt) {
  LoopbackWorld world;
  world.server.faults().add(FaultRule::doing({.verb = "create"}, FaultRule::Action::Delay, 10s));
  Request request = LoopbackWorld::creating("a", RequestPriority::Event);
  request.timeout = 3s;
  world.transport.send(std::move(request), world.outcomes.note("write"));
  world.time.run_for(20s);
  EXPECT_EQ(world.outcomes.told, (std::vector<std::string>{"write timeout"}));
  EXPECT_EQ(world.get(nodes + "/a").status(), 404);
}

TEST(LoopbackTransport, ABrokenConnectionIsUnavailable) {
  LoopbackWorld world;
  world.server.faults().add(FaultRule::doing({}, FaultRule::Action::Drop));
  world.transport.send(LoopbackWorld::asking(nodes), world.outcomes.note("list"));
  world.time.run_for(1s);
  EXPECT_EQ(world.outcomes.told, (std::vector<std::string>{"list unavailable"}));
}

TEST(LoopbackTransport, ARefusedLinkFailsAtOnceASilentOneAtTheTimeout) {
  LoopbackWorld world;
  world.transport.set_link(Link::Refused);
  world.transport.send(LoopbackWorld::asking(nodes), world.outcomes.note("refused"));
  world.time.run_for(1s);
  world.transport.set_link(Link::Silent);
  world.transport.send(LoopbackWorld::asking(nodes), world.outcomes.note("silent"));
  world.time.run_for(9s);
  EXPECT_EQ(world.outcomes.told, (std::vector<std::string>{"refused unavailable"}));
  world.time.run_for(1s);
  EXPECT_EQ(world.outcomes.told.back(), "silent timeout");
}

TEST(LoopbackTransport, AWriteThatLeftBeforeTheLinkFellSilentHappens) {
  LoopbackWorld world({.latency = 5ms});
  world.transport.send(LoopbackWorld::creating("a", RequestPriority::NodeWrite),
                       world.outcomes.note("write"));
  world.time.run_for(1ms);
  world.transport.set_link(Link::Silent);
  world.time.run_for(1min);
  EXPECT_EQ(world.outcomes.told, (std::vector<std::string>{"write timeout"}));
  EXPECT_EQ(world.get(nodes + "/a").status(), 200);
}

TEST(LoopbackTransport, AStreamOpensDeliversAndCloses) {
  LoopbackWorld world;
  const auto told = std::make_shared<Told>();
  const Subscription stream =
      world.transport.watch(LoopbackWorld::asking(nodes + "?watch=1&timeoutSeconds=10"),
                            std::make_unique<NotingReader>(told));
  world.time.run_for(1s);
  EXPECT_EQ(told->story, "open ");
  world.post(nodes, node("a"));
  world.time.run_for(1s);
  EXPECT_NE(told->bytes.find("ADDED"), std::string::npos);
  world.time.run_for(10s);
  EXPECT_EQ(told->story, "open closed");
}

TEST(LoopbackTransport, ARefusedWatchBringsTheAnswer) {
  LoopbackWorld world;
  const auto told = std::make_shared<Told>();
  const Subscription stream = world.transport.watch(
      LoopbackWorld::asking("/api/v1/nonsense?watch=1"), std::make_unique<NotingReader>(told));
  world.time.run_for(1s);
  EXPECT_EQ(told->story, "refused 404");
}

TEST(LoopbackTransport, AnEndedStreamIsSilentEvenWhenBytesWereUnderWay) {
  LoopbackWorld world({.latency = 5ms});
  const auto told = std::make_shared<Told>();
  Subscription stream = world.transport.watch(LoopbackWorld::asking(nodes + "?watch=1"),
                                              std::make_unique<NotingReader>(told));
  world.time.run_for(1s);
  world.post(nodes, node("a"));
  stream.end();
  world.time.run_for(1s);
  EXPECT_EQ(told->story, "open ");
  EXPECT_TRUE(told->bytes.empty());
  EXPECT_EQ(world.server.watch_count(), 0U);
}

TEST(LoopbackTransport, AStreamOverASilentLinkGoesOnWhenTheLinkIsBack) {
  LoopbackWorld world;
  const auto told = std::make_shared<Told>();
  const Subscription stream = world.transport.watch(LoopbackWorld::asking(nodes + "?watch=1"),
                                                    std::make_unique<NotingReader>(told));
  world.time.run_for(1s);
  world.transport.set_link(Link::Silent);
  world.post(nodes, node("a"));
  world.time.run_for(1min);
  EXPECT_TRUE(told->bytes.empty());
  world.transport.set_link(Link::Up);
  world.time.run_for(1s);
  EXPECT_NE(told->bytes.find("ADDED"), std::string::npos);
}

TEST(LoopbackTransport, ARefusedLinkBreaksItsStreams) {
  LoopbackWorld world;
  const auto told = std::make_shared<Told>();
  const Subscription stream = world.transport.watch(LoopbackWorld::asking(nodes + "?watch=1"),
                                                    std::make_unique<NotingReader>(told));
  world.time.run_for(1s);
  world.transport.set_link(Link::Refused);
  world.time.run_for(1s);
  EXPECT_EQ(told->story, "open broken");
  EXPECT_EQ(world.server.watch_count(), 0U);
}

TEST(LoopbackTransport, AStreamAskedForOverASilentLinkWaitsForIt) {
  LoopbackWorld world;
  world.transport.set_link(Link::Silent);
  const auto told = std::make_shared<Told>();
  const Subscription stream = world.transport.watch(LoopbackWorld::asking(nodes + "?watch=1"),
                                                    std::make_unique<NotingReader>(told));
  world.time.run_for(1min);
  EXPECT_EQ(told->story, "");
  world.transport.set_link(Link::Up);
  world.time.run_for(1s);
  EXPECT_EQ(told->story, "open ");
}

TEST(LoopbackTransport, NothingIsHeardFromATransportThatIsGone) {
  LoopbackWorld world;
  auto transport = std::make_unique<LoopbackTransport>(
      LoopbackTransport::Env{world.time, world.time, world.server, world.gate}, LoopbackOptions{});
  const auto told = std::make_shared<Told>();
  Subscription stream = transport->watch(LoopbackWorld::asking(nodes + "?watch=1"),
                                         std::make_unique<NotingReader>(told));
  transport->send(LoopbackWorld::asking(nodes), world.outcomes.note("list"));
  world.time.run_for(1ms);
  transport.reset();
  world.time.run_for(1min);
  stream.end();
  EXPECT_TRUE(world.outcomes.told.empty());
  EXPECT_EQ(told->story, "");
}

}  // namespace
}  // namespace nlc::sim
