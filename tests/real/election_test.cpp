#include <algorithm>
#include <csignal>
#include <iostream>
#include <memory>

#include "loopback.h"
#include "stage.h"
#include "timeline.h"
#include "waiting.h"

/// Replicas of the controller, and of the side-car, that end in every way, against a real server.
namespace nlc::real {
namespace {

using namespace std::chrono_literals;

constexpr Duration lease = 4s;
constexpr Duration retry = 1s;

const std::vector<std::string> short_lease = {"--leader-elect-lease-duration=4s",
                                              "--leader-elect-renew-deadline=3s",
                                              "--leader-elect-retry-period=1s"};

class Election : public Stage {
 protected:
  void start_replicas(std::size_t count) {
    kubeconfig_ = write_kubeconfig(cluster_.folder() / "controller.kubeconfig",
                                   cluster_.controller_account_config());
    while (replicas_.size() < count) replicas_.push_back(replica());
    ASSERT_TRUE(await(30s, [this] { return leaders() == 1; }));
  }

  std::unique_ptr<Controller> replica() {
    const std::string log = "replica-" + std::to_string(started_++) + ".log";
    return std::make_unique<Controller>(Controller::Options{
        .kubeconfig = kubeconfig_, .log = cluster_.folder() / log, .flags = short_lease});
  }

  static bool leads(const Controller& one) {
    const std::string line =
        "leader_election_master_status{name=\"node-lifecycle-controller\"} 1\n";
    return one.page("/metrics").text.find(line) != std::string::npos;
  }
  std::ptrdiff_t leaders() const {
    return std::ranges::count_if(replicas_, [](const auto& one) { return leads(*one); });
  }
  std::unique_ptr<Controller>& leader() {
    return *std::ranges::find_if(replicas_, [](const auto& one) { return leads(*one); });
  }
  /// Until one of the others leads.
  std::optional<Duration> takeover(const Controller* from, Duration limit) {
    return await(
        limit,
        [&] {
          return std::ranges::any_of(
              replicas_, [&](const auto& one) { return one.get() != from && leads(*one); });
        },
        5ms);
  }

  std::filesystem::path kubeconfig_;
  std::vector<std::unique_ptr<Controller>> replicas_;
  int started_ = 0;
};

void print(const std::string& what, const std::optional<Duration>& took) {
  if (!took) return;
  std::cout << what << ": " << std::chrono::duration_cast<std::chrono::milliseconds>(*took).count()
            << " ms\n";
}

TEST_F(Election, AKilledLeaderIsReplacedWithinLeaseAndRetry) {
  ASSERT_NO_FATAL_FAILURE(start_replicas(3));
  for (int round = 0; round < 5; ++round) {
    std::unique_ptr<Controller>& killed = leader();
    killed->process().kill();
    const auto took = takeover(killed.get(), 20s);
    print("kill -9, next leader after", took);
    ASSERT_TRUE(took);
    EXPECT_LE(*took, lease + retry + 200ms);
    killed = replica();
    ASSERT_TRUE(await(20s, [&] { return killed->readiness() == 200; }));
  }
  expect_only_rightful_requests(cluster_.audit_lines());
}

TEST_F(Election, ALeaderThatIsAskedToEndHandsOverInMilliseconds) {
  ASSERT_NO_FATAL_FAILURE(start_replicas(3));
  std::unique_ptr<Controller>& ended = leader();
  ended->process().send_signal(SIGTERM);
  const auto took = takeover(ended.get(), 10s);
  print("SIGTERM, next leader after", took);
  ASSERT_TRUE(took);
  EXPECT_LE(*took, 500ms);
  EXPECT_EQ(ended->process().wait(5s), 0);
  expect_only_rightful_requests(cluster_.audit_lines());
}

TEST_F(Election, ALeaderThatWasStoppedAndGoesOnKnowsThatItsReignIsOver) {
  ASSERT_NO_FATAL_FAILURE(start_replicas(3));
  std::unique_ptr<Controller>& stopped = leader();
  stopped->process().send_signal(SIGSTOP);
  const auto took = takeover(stopped.get(), 20s);
  print("SIGSTOP, next leader after", took);
  ASSERT_TRUE(took);
  EXPECT_LE(*took, lease + retry + 200ms);
  stopped->process().send_signal(SIGCONT);
  EXPECT_TRUE(await(5s, [&] { return stopped->said({"ceased to lead"}); }));
  EXPECT_TRUE(stays(5s, [this] { return leaders() == 1; }));
  EXPECT_FALSE(leads(*stopped));
  expect_only_rightful_requests(cluster_.audit_lines());
}

class SidecarElection : public Stage {
 protected:
  struct Sidecar {
    int port;
    std::unique_ptr<Process> process;
    std::string name() const { return read_page(port, "/").value_or(Page{}).text; }
    bool leads() const {
      return read_page(port, "/isLeader").value_or(Page{}).text == R"({"isLeader":true})";
    }
  };

  Sidecar sidecar(const std::string& id) {
    const int port = free_port();
    Command command{.words = {sidecar_program().string(), "--election=example", "--id=" + id,
                              "--ttl=4s", "--http=127.0.0.1:" + std::to_string(port),
                              "--kubeconfig=" + cluster_.admin_file().string()},
                    .output = cluster_.folder() / (id + ".log")};
    return {port, std::make_unique<Process>(std::move(command))};
  }
};

TEST_F(SidecarElection, EachOfThreeNamesTheLeaderBeforeAndAfterItDies) {
  std::vector<Sidecar> all;
  for (const char* id : {"a", "b", "c"}) all.push_back(sidecar(id));
  ASSERT_TRUE(await(20s, [&] { return std::ranges::count_if(all, &Sidecar::leads) == 1; }));
  const auto dead = std::ranges::find_if(all, &Sidecar::leads);
  const std::string before = dead->name();
  const auto all_say = [&](const std::string& answer, bool same) {
    return std::ranges::all_of(all, [&](const Sidecar& one) {
      return &one == &*dead || ((one.name() == answer) == same && one.name() != R"({"name":""})");
    });
  };
  EXPECT_TRUE(await(5s, [&] { return all_say(before, true); })) << before;

  dead->process->kill();
  const auto took = await(
      20s, [&] { return all_say(before, false); }, 20ms);
  print("side-car killed, both others name the next after", took);
  ASSERT_TRUE(took);
  EXPECT_LE(*took, 4s + 1s + 300ms);
}

}  // namespace
}  // namespace nlc::real
