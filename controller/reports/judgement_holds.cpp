#include "controller/reports/judgement_holds.h"

#include "runtime/go_duration.h"

namespace nlc::controller {
namespace {

constexpr Duration reminder_period = std::chrono::minutes(1);

/// What costs all nodes their judgement.
bool fails(metrics::Hold reason) {
  return reason == metrics::Hold::ServerPaused || reason == metrics::Hold::VersionRewound;
}

std::string shown(Duration duration) {
  return go_duration(std::chrono::round<std::chrono::milliseconds>(duration));
}

}  // namespace

void JudgementHolds::set(metrics::Hold reason, bool held, const std::string& detail, Instant now,
                         Voice voice) {
  Hold& known = holds_[static_cast<std::size_t>(reason)];
  const std::string name(metrics::name_of(reason));
  if (held) known.detail = detail;
  if (held && known.held && now - known.told >= reminder_period) {
    known.told = now;
    env_.log.warning(
        "judgement still held",
        {{"reason", name}, {"detail", detail}, {"held_for", shown(now - known.since)}});
  }
  if (known.held == held) return;
  const bool paused = reason == metrics::Hold::ServerPaused;
  env_.metrics.judgement_held(reason).set(held ? 1 : 0);
  if (held) {
    known = {.held = true, .since = now, .told = now, .detail = detail};
    env_.log.warning("judgement held", {{"reason", name}, {"detail", detail}});
  } else {
    known.held = false;
    env_.log.info("judgement resumed", {{"reason", name}, {"held_for", shown(now - known.since)}});
  }
  if (voice == Voice::Silent || held == paused) return;
  const bool of_pods = reason == metrics::Hold::NodeUnread;
  const std::string begin =
      of_pods ? "Pods are not evicted before their node could be read: "
      : held  ? "Silent nodes are not judged on what is seen of them: "
              : "Silent nodes were not judged for " + shown(now - known.since) + ": ";
  env_.events.record(
      env_.subject,
      {.type = "Warning", .reason = "JudgementHeld", .message = begin + known.detail});
}

HealthCheck JudgementHolds::check(Instant now) const {
  HealthCheck check{.name = "judgement", .ok = true};
  for (const metrics::Hold reason : metrics::holds) {
    const Hold& known = hold(reason);
    if (!known.held) continue;
    if (fails(reason)) check.ok = false;
    if (!check.detail.empty()) check.detail += "; ";
    check.detail += std::string(metrics::name_of(reason)) + " for " + shown(now - known.since) +
                    ": " + known.detail;
  }
  return check;
}

}  // namespace nlc::controller
