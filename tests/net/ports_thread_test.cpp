#include <algorithm>
#include <atomic>
#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "net/loop/asio_loop.h"
#include "net/loop/system_clock.h"
#include "program/replica.h"
#include "sim/apiserver/api_server.h"
#include "sim/kubelet/hollow_cluster.h"
#include "sim/loopback_transport.h"

/// The pages of a replica are served by a thread of their own, as in the program. What the two
/// threads share shows in `make tsan`.
namespace nlc::net {
namespace {

using namespace std::chrono_literals;

/// Callers that come and go, in rounds, on the ports' thread.
class PortsThread {
 public:
  /// Brings the callers of a round; answers whether there was one.
  using Round = std::function<bool(PortsThread&)>;
  PortsThread(AsioLoop& controller, Round round)
      : loop(controller.clock()), controller_(controller), round_(std::move(round)) {}

  /// All rounds, while the controller's loop runs on the calling thread. Whether they came to their
  /// end.
  bool run() {
    go_on();
    {
      const LoopThread thread(loop);
      controller_.run_until([this] { return over_.load(); }, 60s);
    }
    callers_.clear();
    return over_;
  }

  /// One who waits for his answer, as the round does, or has left already.
  void call(client::Endpoint& pages, client::IncomingRequest request, bool stays = true) {
    Subscription caller = pages.serve(std::move(request), std::make_unique<Told>(*this, stays));
    if (stays) callers_.push_back(std::move(caller));
  }

  AsioLoop loop;
  std::map<int, int> answers;  ///< to those who stayed, by status

 private:
  class Told final : public client::Reply {
   public:
    Told(PortsThread& ports, bool stays) : ports_(ports), stays_(stays) {}
    void send(client::Response response, std::string_view) override {
      if (!stays_) return;
      ++ports_.answers[response.status];
      ++ports_.told_;
      ports_.go_on();
    }
    void open(std::string_view, std::optional<WallTime>) override { FAIL() << "no page streams"; }
    void write(std::shared_ptr<const std::string>) override {}
    void close() override {}

   private:
    PortsThread& ports_;
    const bool stays_;
  };

  void go_on() {
    loop.post([this] { next(); });
  }
  void next() {
    if (over_ || told_ < callers_.size()) return;
    callers_.clear();
    told_ = 0;
    if (round_(*this)) return;
    over_ = true;
    controller_.post([] {});  // so that it looks
  }

  AsioLoop& controller_;
  const Round round_;
  std::vector<Subscription> callers_;
  std::size_t told_ = 0;
  std::atomic<bool> over_ = false;
};

/// On the controller's thread; knows every token, and lets everybody in but the fifth.
class Reviews final : public client::Transport {
 public:
  explicit Reviews(Executor& controller) : controller_(controller) {}

  void send(client::Request request, client::Answer answer) override {
    ++open_;
    const bool whose = request.target.ends_with("/tokenreviews");
    const bool no = request.body.find(R"("user":"5")") != std::string::npos;
    const std::size_t token = request.body.find(R"("token":")");
    const std::string name = whose ? request.body.substr(token + 9, 1) : "";
    std::string body = whose ? R"({"kind":"TokenReview","status":{"authenticated":true,"user":)"
                               R"({"username":")" +
                                   name + R"("}}})"
                             : R"({"kind":"SubjectAccessReview","status":{"allowed":)" +
                                   std::string(no ? "false" : "true") + "}}";
    controller_.post([this, body = std::move(body), answer = std::move(answer)]() mutable {
      --open_;
      ++answered;
      answer(client::Response{.status = 201, .body = std::move(body)});
    });
  }
  Subscription watch(client::Request, std::unique_ptr<client::StreamReader>) override { return {}; }

  int answered = 0;

 private:
  Executor& controller_;
  int open_ = 0;
};

/// What everybody may see who was let in.
class OnePage final : public client::Endpoint {
 public:
  Subscription serve(client::IncomingRequest, std::unique_ptr<client::Reply> reply) override {
    reply->send({.status = 200, .content_type = "text/plain", .body = "page"});
    return {};
  }
};

TEST(PortsThread, CallersOfTheSecurePortComeAndGoWhileTheControllersThreadReviewsThem) {
  const SystemClock clock;
  AsioLoop controller(clock);
  Reviews server(controller);
  SilentLog log;
  OnePage page;
  program::GuardedPages* guarded = nullptr;
  int rounds = 0;
  PortsThread ports(controller, [&](PortsThread& self) {
    if (rounds == 30) return false;
    for (int caller = 0; caller < 9; ++caller) {
      self.call(*guarded,
                {.method = "GET",
                 .target = "/metrics",
                 .authorization = "Bearer " + std::to_string(caller)},
                (caller + rounds) % 3 != 0);
    }
    ++rounds;
    return true;
  });
  program::GuardedPages pages({.transport = server,
                               .controller = controller,
                               .port = ports.loop,
                               .clock = clock,
                               .log = log},
                              page);
  guarded = &pages;
  ASSERT_TRUE(ports.run());
  EXPECT_EQ(server.answered, 18) << "each token once, and each user, whoever has left meanwhile";
  EXPECT_EQ(ports.answers, (std::map<int, int>{{200, 160}, {403, 20}}));
}

/// Fifty nodes that live, and their API server.
struct LivingCluster {
  LivingCluster(const Clock& clock, Executor& executor, Log& log)
      : server(clock, executor, {}),
        from_kubelets({.executor = executor, .clock = clock, .endpoint = server, .gate = open}, {}),
        kubelets({from_kubelets, clock, executor, log}, {.nodes = 50, .boot_span = 500ms}) {
    open.open_for_ever();
  }

  client::Gate open;
  sim::ApiServer server;
  sim::LoopbackTransport from_kubelets;
  sim::HollowCluster kubelets;
};

void ask_for_open_pages(PortsThread& ports, program::Replica& replica) {
  for (const char* page : {"/metrics", "/readyz?verbose", "/livez"}) {
    ports.call(replica.pages(), {.method = "GET", .target = page});
  }
  for (const char* page : {"/v1/why", "/v1/why/node/hollow-0"}) {
    ports.call(replica.status(), {.method = "GET", .target = page, .host = "127.0.0.1:10291"});
  }
}

void ask_for_guarded_page(PortsThread& ports, program::Replica& replica) {
  ports.call(replica.guarded_pages(),
             {.method = "GET", .target = "/metrics", .authorization = "Bearer t"});
}

TEST(PortsThread, AsksAReplicaForItsPagesWhileItWorks) {
  const SystemClock clock;
  AsioLoop controller(clock);
  SilentLog log;
  LivingCluster cluster(clock, controller, log);
  client::Gate gate;
  sim::LoopbackTransport from_replica(
      {.executor = controller, .clock = clock, .endpoint = cluster.server, .gate = gate}, {});
  program::Replica* asked = nullptr;
  int rounds = 0;
  PortsThread ports(controller, [&](PortsThread& self) {
    if (rounds == 100) return false;
    ask_for_open_pages(self, *asked);
    if (rounds % 10 == 0) ask_for_guarded_page(self, *asked);
    // Before it leads and sees the cluster it has less to say.
    if (std::ranges::all_of(asked->readiness(), &controller::HealthCheck::ok)) ++rounds;
    return true;
  });
  program::Replica replica({.transport = from_replica,
                            .gate = gate,
                            .clock = clock,
                            .executor = controller,
                            .log = log,
                            .server = "embedded",
                            .identity = "only",
                            .ports_executor = &ports.loop},
                           {}, [](int) {});
  asked = &replica;
  replica.start();
  ASSERT_TRUE(ports.run());
  EXPECT_GE(ports.answers[200], 4 * 100);
  EXPECT_GE(ports.answers[503], 10) << "this server knows no reviews";
}

}  // namespace
}  // namespace nlc::net
