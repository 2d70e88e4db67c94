#include <algorithm>
#include <cctype>
#include <gmock/gmock.h>
#include <iomanip>
#include <iostream>
#include <regex>
#include <set>
#include <sstream>
#include <utility>

#include "tests/real/rig/objects.h"
#include "tests/real/rig/replicas.h"
#include "tests/real/rig/waiting.h"

/// manifests/monitoring as Prometheus understands it: a Debian prometheus scrapes two replicas and
/// evaluates the rules as a real API server hands them out; promtool tries each alert; the queries
/// of the dashboard are asked of what was scraped while nodes died.
namespace nlc::real {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

std::string percent_encoded(const std::string& text) {
  std::ostringstream encoded;
  encoded << std::hex << std::uppercase << std::setfill('0');
  for (const unsigned char byte : text) {
    if (std::isalnum(byte) != 0) {
      encoded << byte;
    } else {
      encoded << '%' << std::setw(2) << int{byte};
    }
  }
  return encoded.str();
}

class Monitoring : public Replicas {
 protected:
  /// The rules, in Prometheus' own form, as `rules.json` in this story's folder.
  nlohmann::json apply_rules() {
    cluster_.must(
        {"apply", "-f", std::string(NLC_SOURCE_DIR) + "/tests/real/monitoring-crds.yaml"});
    cluster_.must({"wait", "--for=condition=Established", "crd", "--all", "--timeout=20s"});
    EXPECT_TRUE(await(10s, [this] {
      return cluster_.kubectl({"apply", "-k", manifests + "/monitoring"}).exit_code == 0;
    }));
    const nlohmann::json rule =
        cluster_.get({"prometheusrule", "-n", "kube-system", "node-lifecycle-controller"});
    write_text(folder_ / "rules.json", rule.at("spec").dump());
    return rule.at("spec");
  }

  /// What promtool says; its exit code must be 0.
  std::string promtool(std::vector<std::string> arguments,
                       const std::filesystem::path& input = "/dev/null") {
    arguments.insert(arguments.begin(), "promtool");
    const auto output = folder_ / ("promtool-" + std::to_string(calls_++));
    Process program({.words = arguments, .output = output, .input = input});
    EXPECT_EQ(program.wait(30s), 0)
        << read_text(output) << "(tests/real/prometheus.sh tells where promtool is)";
    return read_text(output);
  }

  /// Scrapes what the ServiceMonitor names, in every replica; more often, for stories are short.
  void start_prometheus() {
    nlohmann::json targets = nlohmann::json::array();
    for (const Replica& one : replicas_) targets.push_back(one.program->address());
    const nlohmann::json config = {
        {"global", {{"scrape_interval", "1s"}, {"evaluation_interval", "1s"}}},
        {"rule_files", {(folder_ / "rules.json").string()}},
        {"scrape_configs",
         {{{"job_name", "node-lifecycle-controller"},
           {"static_configs", {{{"targets", targets}}}}}}}};
    write_text(folder_ / "prometheus.json", config.dump());
    promtool({"check", "config", (folder_ / "prometheus.json").string()});
    port_ = free_port();
    prometheus_.emplace(
        Command{.words = {"prometheus", "--config.file", (folder_ / "prometheus.json").string(),
                          "--storage.tsdb.path", (folder_ / "tsdb").string(),
                          "--web.listen-address", "127.0.0.1:" + std::to_string(port_)},
                .output = folder_ / "prometheus.log"});
  }

  /// The `data` of an answer of Prometheus' own interface.
  nlohmann::json asked(const std::string& path) {
    const Page page = read_page(port_, "/api/v1/" + path).value_or(Page{});
    const nlohmann::json answer = nlohmann::json::parse(page.text, nullptr, false);
    return answer.is_object() ? answer.value("data", nlohmann::json()) : nlohmann::json();
  }

  /// The series that a query finds; none as well when it is wrong.
  nlohmann::json series(const std::string& query) {
    const nlohmann::json data = asked("query?query=" + percent_encoded(query));
    return data.is_object() ? data.at("result") : nlohmann::json::array();
  }

  /// The value of the first of them.
  std::optional<std::string> value(const std::string& query) {
    const nlohmann::json found = series(query);
    if (found.empty()) return std::nullopt;
    return found.at(0).at("value").at(1).get<std::string>();
  }

  /// Of the panel `title`: the query has an answer, and its zones can be read.
  void expect_answer(const std::string& title, const std::string& query) {
    const auto is_known = [this, &query] {
      return std::ranges::any_of(
          series(query), [](const nlohmann::json& one) { return one.at("value").at(1) != "NaN"; });
    };
    EXPECT_TRUE(await(10s, is_known)) << title << ": " << query;
    const nlohmann::json found = series(query);
    std::cout << title << ": " << query << "\n";
    for (const nlohmann::json& one : found) {
      const std::string zone = one.at("metric").value("zone", "/");
      EXPECT_THAT(zone, ::testing::ContainsRegex("^[^:]*/[^:]*$")) << query;
      std::cout << "  " << one.at("metric").dump() << " " << one.at("value").at(1) << "\n";
    }
  }

  void expect_all_rules_evaluate() {
    const auto healthy = [this] {
      const nlohmann::json data = asked("rules");
      if (!data.is_object() || data.at("groups").empty()) return false;
      const nlohmann::json& rules = data.at("groups").at(0).at("rules");
      return std::all_of(rules.begin(), rules.end(), [](const nlohmann::json& rule) {
        return rule.at("health") == "ok" && rule.at("state") == "inactive";
      });
    };
    EXPECT_TRUE(await(15s, healthy)) << asked("rules").dump(1);
  }

  std::optional<Process> prometheus_;
  int port_ = 0;
  int calls_ = 0;
};

/// Names of the metrics that the rules ask for.
std::set<std::string> metrics_in(const nlohmann::json& rules) {
  std::set<std::string> names;
  const std::regex name("(nlc|node_collector|leader_election|rest_client)_[a-z_]+");
  for (const nlohmann::json& rule : rules.at("groups").at(0).at("rules")) {
    const std::string expression = rule.at("expr");
    for (std::sregex_iterator at(expression.begin(), expression.end(), name), end; at != end; ++at)
      names.insert(at->str());
  }
  return names;
}

void replace_all(std::string& text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != text.npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
}

/// Each query with its panel's title, as Grafana asks it: with its variables' values.
std::vector<std::pair<std::string, std::string>> queries_of(const nlohmann::json& dashboard) {
  std::vector<std::pair<std::string, std::string>> queries;
  for (const nlohmann::json& panel : dashboard.at("panels")) {
    for (const nlohmann::json& target : panel.value("targets", nlohmann::json::array())) {
      std::string query = target.at("expr");
      replace_all(query, "$job", "node-lifecycle-controller");
      replace_all(query, "$__rate_interval", "1m");
      queries.emplace_back(panel.at("title"), query);
    }
  }
  return queries;
}

TEST_F(Monitoring, EachAlertFiresInItsTimeAndNotBefore) {
  apply_rules();
  EXPECT_THAT(promtool({"check", "rules", (folder_ / "rules.json").string()}),
              HasSubstr("SUCCESS"));
  std::filesystem::copy(std::string(NLC_SOURCE_DIR) + "/tests/real/alerts_test.yaml", folder_);
  EXPECT_THAT(promtool({"test", "rules", (folder_ / "alerts_test.yaml").string()}),
              HasSubstr("SUCCESS"));
}

TEST_F(Monitoring, PrometheusScrapesEveryReplicaAndFindsAllThatTheAlertsAskFor) {
  const nlohmann::json rules = apply_rules();
  start_nodes({"--nodes", "6", "--pods-per-node", "1", "--zones", "2"});
  ASSERT_NO_FATAL_FAILURE(start_replicas(2, {}));
  ASSERT_TRUE(await(20s, [this] { return names_with_ready(nodes(), "True").size() == 6; }));
  write_text(folder_ / "metrics", replicas_[0].program->page("/metrics").text);
  promtool({"check", "metrics"}, folder_ / "metrics");

  start_prometheus();
  EXPECT_TRUE(await(20s, [this] { return value("sum(up)") == "2"; })) << asked("targets").dump(1);
  EXPECT_EQ(value("sum(leader_election_master_status)"), "1");
  for (const std::string& name : metrics_in(rules)) {
    EXPECT_TRUE(await(5s, [&] { return value("count(" + name + ")").has_value(); })) << name;
  }
  expect_all_rules_evaluate();
  std::cout << "prometheus scrapes 2 replicas; " << metrics_in(rules).size() << " metrics of "
            << rules.at("groups").at(0).at("rules").size() << " alerts are there" << std::endl;
}

TEST_F(Monitoring, EachQueryOfTheDashboardHasAnAnswerAfterNodesHaveDied) {
  apply_rules();
  const nlohmann::json map =
      cluster_.get({"configmap", "-n", "kube-system", "node-lifecycle-controller-dashboard"});
  const auto queries = queries_of(nlohmann::json::parse(
      map.at("data").at("node-lifecycle-controller.json").get<std::string>()));
  start_nodes({"--nodes", "12", "--pods-per-node", "2", "--zones", "2", "--toleration-seconds", "2",
               "--node-lease-duration-seconds", "6", "--kill", "4", "--after", "15s"});
  ASSERT_NO_FATAL_FAILURE(
      start_replicas(2, {"--node-monitor-grace-period=6s", "--node-eviction-rate=1"}));
  start_prometheus();
  ASSERT_TRUE(await(
      60s, [this] { return value("sum(taint_eviction_controller_pod_deletions_total)") == "8"; }));
  for (const auto& [title, query] : queries) expect_answer(title, query);
  std::cout << queries.size() << " queries of the dashboard have an answer" << std::endl;
}

}  // namespace
}  // namespace nlc::real
