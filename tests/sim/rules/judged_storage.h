#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>

#include "sim/rules/node_facts.h"
#include "sim/rules/rules.h"
#include "sim/virtual_time.h"

namespace nlc::sim::rules {

using namespace std::chrono_literals;
using Json = nlohmann::json;

inline constexpr WallTime noon{std::chrono::sys_days{std::chrono::year{2026} / 1 / 1} + 12h};

/// A storage that everybody writes into at will, under the eyes of the rules.
class RulesTest : public ::testing::Test {
 protected:
  RulesTest() {
    put_node("a", "True");
    put_node("b", "True");
    put_pod("a", Json::array());
    begin({});
  }

  void begin(RuleInputs inputs, Duration grace = 40s) {
    inputs.grace = grace;
    rules_.emplace(storage_, time_, std::move(inputs));
  }

  static Json taint(const std::string& key, const std::string& effect) {
    return {{"key", key}, {"effect", effect}};
  }

  void put_node(const std::string& name, const std::string& ready, const Json& taints = {}) {
    Json node{{"metadata", {{"name", name}, {"uid", "uid-" + name}}},
              {"spec", Json::object()},
              {"status", {{"conditions", {{{"type", "Ready"}, {"status", ready}}}}}}};
    if (taints.is_array()) node["spec"]["taints"] = taints;
    storage_.put(core_resource("nodes"), name, std::move(node));
  }

  void put_pod(const std::string& node, const Json& tolerations, const std::string& uid = "uid-p") {
    storage_.put(core_resource("pods"), "default/p",
                 {{"metadata", {{"name", "p"}, {"namespace", "default"}, {"uid", uid}}},
                  {"spec", {{"nodeName", node}, {"tolerations", tolerations}}}});
  }

  void say(const Json& data) {
    storage_.put(
        core_resource("configmaps"), std::string(OperatorPolicy::key),
        {{"metadata", {{"name", "node-lifecycle-controller-policy"}, {"namespace", "kube-system"}}},
         {"data", data}});
    rules_->catch_up(Rules::Author::SomebodyElse);
  }

  void restore(const Storage::Snapshot& backup) {
    storage_.restore(backup, storage_.version());
    rules_->begin_anew();
  }

  /// A replica sends that now. The rule that is broken then.
  std::string send(Asked request) {
    request.at = time_.now();
    rules_->asked(request);
    return rules_->broken() ? rules_->broken()->rule : "";
  }

  void others_put_node(const std::string& name, const std::string& ready, const Json& taints = {}) {
    put_node(name, ready, taints);
    rules_->catch_up(Rules::Author::SomebodyElse);
  }

  void delete_pod() { storage_.erase(core_resource("pods"), "default/p"); }

  void renew(const std::string& node) {
    storage_.put(
        leases_, "kube-node-lease/" + node,
        {{"metadata", {{"name", node}, {"namespace", "kube-node-lease"}}},
         {"spec",
          {{"renewTime", "2026-01-01T12:00:" + std::to_string(10 + renewals_++) + ".000000Z"}}}});
    rules_->catch_up(Rules::Author::SomebodyElse);
  }

  /// Of a, which is Ready.
  void begin_with_a_heartbeat(RuleInputs inputs, Duration grace = 40s) {
    put_node("a", "True");
    begin(std::move(inputs), grace);
    renew("a");
  }

  void delete_lease(const std::string& node) {
    storage_.erase(leases_, "kube-node-lease/" + node);
    rules_->catch_up(Rules::Author::SomebodyElse);
  }

  /// What is broken when all that was written is that author's.
  std::string by(Rules::Author author) {
    rules_->catch_up(author);
    return rules_->broken() ? rules_->broken()->rule : "";
  }
  std::string by_controller() { return by(Rules::Author::Controller); }
  std::string by_others() { return by(Rules::Author::SomebodyElse); }
  /// When the controller marks that node Unknown.
  std::string broken_by_mark(const std::string& node, const Json& taints = {}) {
    put_node(node, "Unknown", taints);
    return by_controller();
  }
  /// When the controller deletes the pod.
  std::string broken_by_deletion() {
    delete_pod();
    return by_controller();
  }

  const Json unreachable = taint("node.kubernetes.io/unreachable", "NoExecute");
  const Resource& leases_ = *find_resource("coordination.k8s.io", "v1", "leases");
  VirtualTime time_{noon};
  Storage storage_{time_, {}};
  std::optional<Rules> rules_;
  int renewals_ = 0;
};

}  // namespace nlc::sim::rules
