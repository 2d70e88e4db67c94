#include <algorithm>
#include <array>
#include <string_view>

#include "runtime/go_duration.h"
#include "sim/fuzz/story_teller.h"

namespace nlc::sim::fuzz {
namespace {

using namespace std::chrono_literals;

}  // namespace

void StoryTeller::taint_brought_back() {
  const std::string node = new_node();
  lives(new_node(), 0s, day_.ends);
  const Duration dies = time(span_.from, span_.until - 130s);
  const Duration backup = dies + draw_.time(52s, 65s);
  const Duration back = backup + draw_.time(1s, 10s);
  const Duration restore = std::min(span_.until - 5s, back + draw_.time(12s, 40s));
  lives(node, 0s, dies);
  lives(node, back, day_.ends);
  for (int count = 0; count < 4; ++count) new_pod(node);
  step(span_.from, "apply: {" + policy_words("pod-evictions-per-second: '0.05'") + "}");
  step(span_.until + 25s, "apply: {" + policy_words("pause: none") + "}");
  step(backup, "backup: {}");
  step(restore, "restore: {down: 0s, bump_revision: true}");
  step(restore - 1s, std::min(span_.until, restore + 20s),
       "fail_api: {verb: LIST, resource: [nodes, pods, leases], delay: " +
           std::string(draw_.one_of({"1500ms", "2500ms"})) + "}");
}

void StoryTeller::eviction_undone() {
  lives(new_node("elsewhere"), 0s, day_.ends);
  neighbours();
  const std::string node = new_node();
  const std::string pod = new_pod(node);
  const Duration grace = grace_period();
  const Duration dies = time(span_.from, span_.until - grace - 60s);
  const Duration back = dies + grace + draw_.time(20s, 45s);
  const Duration restore = back + draw_.time(200ms, 1500ms);
  lives(node, 0s, dies);
  lives(node, back, day_.ends);
  const std::string deletion = "before_request: {verb: DELETE, resource: pods, name: " + pod;
  step(dies, back, "times: 1, " + deletion + "}, backup: {}");
  if (draw_.chance(0.5)) {
    step(dies, span_.until,
         "fail_api: {resource: leases, name: " + std::string(lock) +
             "-probe, respond: {code: 403}}");
  }
  cut_off(back - 500ms, restore + 500ms);
  step(restore, "restore: {down: 0s}");
}

void StoryTeller::neighbours() {
  for (int count = draw_.whole(4, 9); count > 0; --count) {
    lives(new_node(), 0s, day_.ends);
  }
}

void StoryTeller::short_leases() {
  std::erase_if(day_.flags, [](const Line& flag) {
    return flag.texts.front().starts_with("leader-elect-lease-duration: ");
  });
  day_.flags.push_back({.kind = "flag: short lease",
                        .texts = {"leader-elect-lease-duration: 5s, leader-elect-renew-deadline: "
                                  "3s, leader-elect-retry-period: 1s"}});
}

void StoryTeller::exact_kubelets() {
  constexpr std::string_view jitter = ", jitter: 8s";
  for (Line& line : day_.timeline) {
    for (std::string& text : line.texts) {
      const std::size_t loss = text.find(", loss: ");
      if (loss == std::string::npos) continue;
      text.erase(loss, text.find(jitter) + jitter.size() - loss);
    }
  }
}

std::string StoryTeller::user_change(const std::string& node, const std::string& pod) {
  const std::array<std::string, 4> changes{
      "delete: {kind: Pod, name: " + pod + ", gracePeriodSeconds: 0}",
      "delete: {kind: Node, name: " + node + "}",
      "apply_patch: {kind: Node, name: " + node + ", add_taint: 'example.com/drained:NoExecute'}",
      "patch: {kind: Node, name: " + node + ", merge: {spec: {unschedulable: true}}}"};
  return changes[static_cast<std::size_t>(draw_.small(0, 3))];
}

void StoryTeller::restored_while_cut_off() {
  neighbours();
  const std::string node = new_node();
  const std::string pod = new_pod(node);
  const Duration backup = time(span_.from, span_.until - 40s);
  const Duration restore = backup + draw_.time(4s, 8s);
  const Duration heals = std::min(span_.until, restore + draw_.time(15s, 1min));
  lives(node, 0s, time(restore + 20s, span_.until));
  step(backup, "backup: {}");
  step(backup + 1s, user_change(node, pod));
  cut_off(backup + 2s, heals, std::string(draw_.one_of({"down", "silent"})));
  step(restore, "restore: {down: 0s}");
}

void StoryTeller::restored_twice() {
  neighbours();
  const std::string node = new_node();
  const std::string pod = new_pod(node);
  const Duration backup = time(span_.from, span_.until - 40s);
  const Duration first = backup + draw_.time(1s, 3s);
  const Duration between = first + draw_.time(1s, 2s);
  const Duration second = between + draw_.time(1s, 3s);
  lives(node, 0s, time(second + 20s, span_.until));
  step(backup, "backup: {}");
  step(first, "restore: {down: 0s}");
  step(between, user_change(node, pod));
  step(between, second + 12s, slow_lists());
  step(second, "restore: {down: 0s}");
}

void StoryTeller::restored_while_nobody_leads() {
  neighbours();
  const std::string node = new_node();
  const std::string pod = new_pod(node);
  const Duration backup = time(span_.from, span_.until - 50s);
  const Duration first = backup + draw_.time(500ms, 2s);
  const Duration between = first + draw_.time(2500ms, 5s);
  const Duration second = between + draw_.time(200ms, 1s);
  const Duration heals = second + (second - first) + draw_.time(500ms, 3s);
  lives(node, 0s, time(heals + 20s, span_.until));
  step(backup, "backup: {}");
  step(first, "restore: {down: 0s}");
  step(between, user_change(node, pod));
  cut_off(second - 50ms, heals);
  step(second, "restore: {down: 0s}");
}

std::string StoryTeller::slow_lists() {
  return "fail_api: {verb: LIST, resource: leases, delay: " +
         std::string(draw_.one_of({"5s", "8s"})) + "}";
}

void StoryTeller::restored_between_renewals() {
  neighbours();
  const std::string node = new_node();
  const Duration from = time(span_.from, span_.until - 50s);
  const std::string halves(draw_.one_of({"leases", "[leases, configmaps, endpoints]"}));
  const auto before_renewals = [&](const std::string& times, const char* what) {
    step(from, from + 22s,
         "times: " + times + ", before_request: {verb: PUT, resource: " + halves + ", name: [" +
             lock + ", " + lock + "-probe]}, " + what);
  };
  lives(node, 0s, time(from + 45s, span_.until));
  before_renewals("1", "backup: {}");
  before_renewals("2", "restore: {down: 0s}");
  step(from, from + 30s, slow_lists());
  for (Duration offset = 500ms; offset < 10s; offset += offset / 2) {
    step(from + offset, "delete: {kind: Pod, name: " + new_pod(node) + ", gracePeriodSeconds: 0}");
  }
}

void StoryTeller::restored_behind_a_cache() {
  neighbours();
  const std::string node = new_node();
  const std::string pod = new_pod(node);
  const Duration backup = time(span_.from + 5s, span_.until - 45s);
  const Duration restore = backup + draw_.time(1s, 6s);
  const Duration again = restore + draw_.time(500ms, 6s);
  lives(node, 0s, time(again + 20s, span_.until));
  // One after the other: arguments are drawn in the order that a compiler pleases.
  const std::string held(draw_.one_of({"leases", "nodes", "pods"}));
  const Duration lets_go = restore + draw_.time(0s, 30s);
  const Duration holds = backup - draw_.time(500ms, 5s);
  step(holds, std::min(span_.until, lets_go), "cache: {hold: " + held + "}");
  step(backup, "backup: {}");
  step(backup + 500ms, user_change(node, pod));
  step(restore, "restore: {down: 0s}");
  if (draw_.chance(0.5)) return;
  step(restore + 300ms, user_change(node, new_pod(node)));
  step(again, "restore: {down: 0s}");
}

void StoryTeller::restored_before_it_was_heard() {
  neighbours();
  const std::string node = new_node();
  const Duration grace = grace_period();
  const Duration again = time(span_.from + grace + 10s, span_.until - 15s);
  const Duration last = again - grace + draw_.time(4s, 7s);
  lives(node, last % 10s + 1ms, last + 1s);
  lives(node, again, day_.ends);
  lives(new_node(), (again - 2500ms) % 10s + 1ms, day_.ends);
  const Duration restore = again + draw_.time(200ms, 1500ms);
  step(again - 5s, "backup: {}");
  cut_off(again - 500ms, restore + 500ms);
  step(restore, "restore: {down: 0s}");
}

/// Who begins anew meanwhile takes what he lists as it is, for he knows of no restore; and while
/// nobody leads nothing is written after which a stream that breaks off could be gone on with.
void StoryTeller::restored_before_its_caches() {
  for (Line& flag : day_.flags) {
    std::string& text = flag.texts.front();
    if (text == "on-lost: exit") return;
    if (text == "standby: cold") text = "standby: warm";
  }
  short_leases();
  neighbours();
  const std::string dies_with_pod = new_node();
  const std::string pod = new_pod(dies_with_pod);
  const std::string dies = new_node();
  const Duration backup = time(span_.from, span_.until - 40s);
  const Duration restore = backup + draw_.time(2s, 5s);
  const Duration follow = restore + draw_.time(9s, 14s);
  const Duration first_death = time(follow + 2s, span_.until);
  const Duration second_death = time(follow + 2s, span_.until);
  lives(dies_with_pod, 0s, first_death);
  lives(dies, 0s, second_death);
  step(backup, "backup: {}");
  step(backup + 500ms, "delete: {kind: Pod, name: " + pod + ", gracePeriodSeconds: 0}");
  step(backup + 500ms, "delete: {kind: Node, name: " + dies + "}");
  step(restore, "restore: {down: 0s}");
  step(restore + 100ms, follow,
       "stale_reads: {verb: WATCH, resource: [nodes, pods], as_of: " +
           go_duration(restore - 500ms) + "}");
}

/// Watches fail a thousand times: where they are refused for good the rules forgive whatever was
/// lost before it was listed, for a restore may show nowhere. This one does, for its backup is
/// older than what was written last; so it is the only one of its day, and no kubelet is lossy.
void StoryTeller::restored_without_watches() {
  const bool has_another = std::ranges::any_of(day_.timeline, [](const Line& line) {
    return line.texts.front().find("backup: {}") != std::string::npos;
  });
  if (has_another) return;
  exact_kubelets();
  neighbours();
  const std::string node = new_node();
  const Duration again = time(span_.from + 45s, span_.until - 20s);
  const Duration last = again - grace_period() + draw_.time(1500ms, 4s);
  const Duration restore = again + draw_.time(100ms, 1s);
  const Duration refused = again - draw_.time(20s, 40s);
  const Duration backup = again - draw_.time(8s, 15s);
  lives(node, last % 10s + 1ms, last + 1s);
  lives(node, again, again + 1s);
  lives(node, again + draw_.time(11s, 14s), day_.ends);
  step(refused, std::min(span_.until, restore + 25s),
       "fail_api: {verb: WATCH, resource: '*', times: 1000, respond: {code: 504}}");
  step(refused + 500ms, "end_watches: {how: expired}");
  step(backup, "backup: {}");
  step(restore, "restore: {down: 0s, bump_revision: true}");
}

void StoryTeller::late_server() {
  neighbours();
  const Duration from = time(span_.from + 20s, span_.until - 100s);
  const Duration until = std::min(span_.until, from + draw_.time(100s, 150s));
  lives(new_node(), 0s, time(from, until));
  const std::string of_then = "resource: leases, as_of: " + go_duration(from - draw_.time(0s, 15s));
  const std::array<std::string, 3> streams{
      "stale_reads: {verb: WATCH, " + of_then + "}", "cache: {hold: leases}",
      "fail_api: {verb: WATCH, resource: leases, respond: {code: 503}}"};
  step(from, until, "stale_reads: {" + of_then + "}");
  step(from, until, draw_.one_of(streams));
  step(from, "end_watches: {resource: leases, how: " +
                 std::string(draw_.one_of({"closed", "cut", "expired"})) + "}");
}

void StoryTeller::ghosts_in_a_zone() {
  lives(new_node(), 0s, day_.ends);
  const std::string dead = new_node();
  const Duration at = time(span_.from, span_.until - 20s);
  lives(dead, 0s, time(span_.from, at + 10s));
  for (int count = 3; count > 0; --count) {
    const std::string ghost = "story-ghost-" + std::to_string(count);
    for (const std::string& words : ghost_words(ghost, zone_label + zone(), at)) step(words);
  }
}

void StoryTeller::free_lock_brought_back() {
  const std::string first = replica_words(replicas_[0]);
  const std::string second = replica_words(replicas_[1]);
  const Duration change = time(span_.from, span_.until - 35s);
  const Duration restore = time(change + 20s, span_.until - 15s);
  step(change, "stop: controller" + first);
  step(change, change + 12s,
       "times: 1, before_request: {verb: PUT, resource: leases, name: " + std::string(lock) +
           second + "}, backup: {}");
  step(change + 12s, "start: controller" + first);
  step(restore - 500ms, std::min(span_.until, restore + 30s),
       "link: {state: silent" + second + "}");
  step(restore, "restore: {down: 0s}");
}

void StoryTeller::late_answer_to_a_renewal() {
  const std::string first = replica_words(replicas_[0]);
  const Duration late = time(span_.from + 1s, span_.until - 30s);
  const std::string renewals =
      "fail_api: {verb: PUT, resource: leases, name: " + std::string(lock) + first;
  step(late, late + 10s, renewals + ", delay: 3s, applied: true, times: 1}");
  step(late, late + 25s, renewals + ", respond: {code: 503}}");
  step(late - 1s, late + 25s,
       "fail_api: {verb: WATCH, resource: leases" + first + ", respond: hang}");
  step(late - 500ms, "end_watches: {resource: leases, how: closed}");
}

}  // namespace nlc::sim::fuzz
