#include <algorithm>
#include <iostream>
#include <memory>

#include "tests/real/rig/stage.h"
#include "tests/real/rig/waiting.h"

/// The side-car as the programs beside it see it: what curl prints.
namespace nlc::real {
namespace {

using namespace std::chrono_literals;

class SidecarElection : public Stage {
 protected:
  struct Sidecar {
    std::string id;
    int port;
    std::unique_ptr<Process> process;
    bool leads() const {
      return read_page(port, "/isLeader").value_or(Page{}).text == R"({"isLeader":true})";
    }
  };

  Sidecar sidecar(const std::string& id) {
    const int port = free_port();
    Command command{.words = {sidecar_program().string(), "--election=example", "--id=" + id,
                              "--ttl=4s", "--http=127.0.0.1:" + std::to_string(port),
                              "--kubeconfig=" + cluster_.admin_file().string()},
                    .output = folder_ / (id + ".log")};
    return {id, port, std::make_unique<Process>(std::move(command))};
  }

  /// What `curl -s 127.0.0.1:PORT/` prints.
  std::string curl(const Sidecar& one) {
    const auto output = folder_ / ("curl-" + std::to_string(calls_++));
    Process program(
        {.words = {"curl", "-s", "127.0.0.1:" + std::to_string(one.port) + "/"}, .output = output});
    program.wait(10s);
    return read_text(output);
  }

  std::vector<std::string> answers(const std::vector<Sidecar>& all) {
    std::vector<std::string> texts;
    for (const Sidecar& one : all) texts.push_back(curl(one));
    return texts;
  }

  int calls_ = 0;
};

TEST_F(SidecarElection, EachOfThreeNamesTheLeaderBeforeAndAfterItDies) {
  std::vector<Sidecar> all;
  for (const char* id : {"a", "b", "c"}) all.push_back(sidecar(id));
  ASSERT_TRUE(await(20s, [&] { return std::ranges::count_if(all, &Sidecar::leads) == 1; }));
  const auto dead = std::ranges::find_if(all, &Sidecar::leads);
  const std::string before = R"({"name":")" + dead->id + R"("})";
  EXPECT_TRUE(await(5s, [&] { return answers(all) == std::vector(3, before); })) << before;
  std::cout << "curl, three side-cars: " << before << "\n";

  dead->process->kill();
  all.erase(dead);
  const auto next_leads = [&] { return std::ranges::any_of(all, &Sidecar::leads); };
  const auto took = await(20s, next_leads, 5ms);
  ASSERT_TRUE(took);
  const std::string after =
      R"({"name":")" + std::ranges::find_if(all, &Sidecar::leads)->id + R"("})";
  EXPECT_TRUE(await(
      2s, [&] { return answers(all) == std::vector(2, after); }, 20ms))
      << after;
  std::cout << "leader killed; " << std::chrono::round<std::chrono::milliseconds>(*took).count()
            << " ms later curl, both others: " << after << std::endl;
  // The lease, a quarter of it until a claim that was read counts, and the requests in between.
  EXPECT_LE(*took, 4s + 1s + 1s);
}

}  // namespace
}  // namespace nlc::real
