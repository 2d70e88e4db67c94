#include <algorithm>
#include <cstdlib>
#include <iostream>

#include "tests/real/rig/objects.h"
#include "tests/real/rig/stage.h"
#include "tests/real/rig/waiting.h"

/// `kubectl nlc why` in every state that somebody asks about at night, each brought about on a real
/// server. The answers are printed.
namespace nlc::real {
namespace {

using namespace std::chrono_literals;

/// Refuses what would take the pods away whose name begins with "guarded".
constexpr const char* guard = R"(apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: guard}
spec:
  failurePolicy: Ignore
  matchConstraints:
    resourceRules:
    - {apiGroups: [""], apiVersions: [v1], operations: [DELETE], resources: [pods]}
  validations:
  - expression: '!request.name.startsWith("guarded")'
    message: it is guarded
    reason: Forbidden
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: guard}
spec: {policyName: guard, validationActions: [Deny]}
)";

class Why : public Stage {
 protected:
  using Words = std::vector<std::string>;

  void TearDown() override {
    cluster_.kubectl({"delete", "--ignore-not-found", "-f", "-"}, guard);
    Stage::TearDown();
  }

  /// Ten nodes, four of which die soon after all stand.
  void begin() {
    std::filesystem::create_symlink(workbench_program(), folder_ / "kubectl-nlc");
    cluster_.must({"apply", "-f", "-"}, guard);
    start_controller({"--leader-elect=false", "--node-monitor-grace-period=18s",
                      "--status-bind-address=127.0.0.1:" + std::to_string(status_port_)});
    start_nodes({"--nodes", "10", "--pods-per-node", "1", "--zones", "1", "--toleration-seconds",
                 "120", "--node-lease-duration-seconds", "12", "--kill", "4", "--after", "2s"});
    ASSERT_TRUE(await(20s, [this] { return names_with_ready(nodes(), "True").size() == 10; }));
  }

  /// What `kubectl nlc why …` prints, with this build's plugin.
  std::string why(const Words& about) {
    const char* path = std::getenv("PATH");
    Words words = {"env", "PATH=" + folder_.string() + ":" + (path == nullptr ? "" : path),
                   asset("kubectl").string(), "nlc", "why"};
    words.insert(words.end(), about.begin(), about.end());
    words.push_back("--server=http://127.0.0.1:" + std::to_string(status_port_));
    const auto output = folder_ / ("why-" + std::to_string(calls_++));
    Process({.words = words, .output = output}).wait(10s);
    return read_text(output);
  }

  /// Asks until the answer holds all of `says`, and prints it.
  void expect_answer(const Words& about, const Words& says) {
    std::string answer;
    EXPECT_TRUE(await(30s, [&] {
      answer = why(about);
      return std::ranges::all_of(
          says, [&](const std::string& words) { return answer.find(words) != std::string::npos; });
    }));
    std::cout << "$ kubectl nlc why";
    for (const std::string& word : about) std::cout << " " << word;
    std::cout << "\n" << answer << std::endl;
  }

  /// The one of the dying nodes of which it is said.
  std::string node_of_which(const std::string& words) {
    std::string found;
    EXPECT_TRUE(await(40s, [&] {
      for (const char* name : {"hollow-0", "hollow-1", "hollow-2", "hollow-3"}) {
        const auto page =
            read_page(status_port_, "/v1/why/node/" + std::string(name) + "?output=text");
        if (page && page->text.find(words) != std::string::npos) found = name;
      }
      return !found.empty();
    })) << words;
    return found;
  }

  const int status_port_ = free_port();
  int calls_ = 0;
};

TEST_F(Why, SaysInEveryStateWhatDecidedWhatHoldsItBackAndWhatComesNext) {
  ASSERT_NO_FATAL_FAILURE(begin());
  expect_answer({"node", "hollow-9"}, {"node hollow-9: healthy", "  next   in "});
  expect_answer({"node", node_of_which(": within_grace")},
                {": within_grace", "--node-monitor-grace-period=18s"});

  const std::string third = node_of_which("place 3 of 3");
  expect_answer({"node", third}, {": queued", "held   place 3 of 3 in the queue of zone"});
  const std::string tainted = node_of_which(": tainted");
  expect_answer({"pod", "hollow/" + tainted + "-0"},
                {": counting", tainted + ", read by quorum, still has the taint"});
  cluster_.must({"create", "-f", "-"}, pod_on(tainted, "guarded", 1).dump());
  cluster_.must({"annotate", "node", third, "node-lifecycle-controller/pause=evictions"});
  expect_answer({"node", third}, {": paused", "held   paused by "});
  expect_answer({"pod", "guarded-" + tainted},
                {": due", "held   the server refused: DELETE ", "it is guarded"});

  cluster_.pause_server();
  expect_answer({"node", "hollow-9"}, {"held   server_paused for "});
  cluster_.resume_server();
}

}  // namespace
}  // namespace nlc::real
