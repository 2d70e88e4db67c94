#include <algorithm>

#include "sim/fuzz/story_teller.h"

namespace nlc::sim::fuzz {
namespace {

using namespace std::chrono_literals;

constexpr const char* taint_writes = "fail_api: {verb: PATCH, resource: nodes, name: 'story-*'";

}  // namespace

std::vector<std::string> StoryTeller::zone_dies(Duration at, int count) {
  for (Line& flag : day_.flags) {
    std::string& text = flag.texts.front();
    if (text.starts_with("node-eviction-rate")) text = "node-eviction-rate: 0.1";
  }
  lives(new_node("elsewhere"), 0s, day_.ends);
  std::vector<std::string> nodes;
  for (; count > 0; --count) {
    nodes.push_back(new_node());
    lives(nodes.back(), 0s, at + draw_.time(0s, 2s));
  }
  return nodes;
}

void StoryTeller::unclear_taints() {
  const Duration at = time(span_.from, span_.until - 2min);
  zone_dies(at, draw_.whole(4, 7));
  step(at + 25s, span_.until, std::string(taint_writes) + ", respond: {code: 504}, applied: true}");
}

void StoryTeller::hanging_taints() {
  const Duration at = time(span_.from, span_.until - 3min);
  zone_dies(at, draw_.whole(8, 12));
  step(at + 25s, span_.until, std::string(taint_writes) + ", respond: hang}");
}

void StoryTeller::leases_in_the_queue() {
  const Duration at = time(span_.from, span_.until - 2min);
  const std::vector<std::string> nodes = zone_dies(at, draw_.whole(4, 9));
  for (int count = draw_.whole(1, 3); count > 0; --count) {
    const std::string& which = draw_.one_of(nodes);
    step(at + draw_.time(40s, 70s), span_.until, "every: 10s, renew_lease: {node: " + which + "}");
  }
}

void StoryTeller::queue_of_who_leads_again() {
  const Duration at = time(span_.from, span_.until - 2min);
  zone_dies(at, draw_.whole(4, 9));
  const Duration from = at + draw_.time(45s, 60s);
  const Duration until = std::min(span_.until, from + draw_.time(20s, 50s));
  cut_off(from, until);
}

void StoryTeller::queue_of_who_lost_the_lock() {
  const Duration at = time(span_.from, span_.until - 2min);
  zone_dies(at, draw_.whole(5, 9));
  const Duration from = at + draw_.time(50s, 65s);
  step(from, std::min(span_.until, from + draw_.time(15s, 45s)),
       "fail_api: {verb: PUT, resource: [leases, configmaps, endpoints], name: " +
           std::string(lock) + ", respond: {code: 503}}");
}

void StoryTeller::unseen_return() {
  lives(new_node("elsewhere"), 0s, day_.ends);
  const std::string node = new_node();
  const Duration dies = time(span_.from, span_.until - 3min);
  const Duration back = dies + draw_.time(50s, 100s);
  lives(node, 0s, dies);
  if (draw_.chance(0.5)) {
    lives(node, back, day_.ends);
  } else {
    step(back, day_.ends, "every: 10s, heartbeat: {node: " + node + ", ready: 'True'}");
  }
  for (const char* seconds : {"30", "90", "90"}) new_pod(node, seconds);
  step(back - 2s, std::min(span_.until, back + draw_.time(60s, 120s)), "cache: {hold: nodes}");
}

void StoryTeller::start_after_an_outage() {
  lives(new_node("elsewhere"), 0s, day_.ends);
  const std::string node = new_node();
  const Duration dies = time(span_.from, span_.until - 150s);
  const Duration away = dies + draw_.time(70s, 100s);
  const Duration again = std::min(span_.until - 2s, away + draw_.time(20s, 40s));
  lives(node, 0s, dies);
  lives(node, away + draw_.time(1s, 10s), day_.ends);
  new_pod(node);
  new_pod(node, "30");
  for (const std::string& replica : replicas_) {
    const std::string words = replica_words(replica);
    step(dies, away,
         "times: 1, before_request: {verb: PATCH, resource: nodes, name: " + node +
             "}, kill: controller" + words);
    step(again - draw_.time(0s, 8s), "start: controller" + words);
  }
  step(away, again, "read_only: {}");
}

void StoryTeller::taint_that_goes() {
  lives(new_node("elsewhere"), 0s, day_.ends);
  const std::string node = new_node();
  const Duration dies = time(span_.from, span_.until - 2min);
  lives(node, 0s, dies);
  for (int count = draw_.whole(1, 3); count > 0; --count) {
    pod_with(node,
             "[{key: example.com/drained, operator: Exists, effect: NoExecute, "
             "tolerationSeconds: 90}, {key: node.kubernetes.io/unreachable, operator: "
             "Exists, effect: NoExecute}]",
             "unreachable for ever");
  }
  const Duration taints = dies + draw_.time(65s, 85s);
  const std::string of = "{kind: Node, name: " + node;
  step(taints, "apply_patch: " + of + ", add_taint: 'example.com/drained:NoExecute'}");
  step(taints + draw_.time(5s, 30s),
       "patch: " + of +
           ", merge: {spec: {taints: [{key: node.kubernetes.io/unreachable, effect: "
           "NoExecute}, {key: node.kubernetes.io/unreachable, effect: NoSchedule}]}}}");
}

}  // namespace nlc::sim::fuzz
