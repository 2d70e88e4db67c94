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

std::string text_of(metrics::Hold reason) { return std::string(metrics::name_of(reason)); }

}  // namespace

void JudgementHolds::set(metrics::Hold reason, const std::string& why, Instant now, Voice voice) {
  Hold& known = holds_[static_cast<std::size_t>(reason)];
  const bool held = !why.empty();
  if (held) known.detail = why;
  if (held == known.held) return remind(reason, known, now);
  held ? begin(reason, known, now) : end(reason, known, now);
  const bool told_now = (reason == metrics::Hold::ServerPaused) != held;
  if (told_now && voice == Voice::Events) record(reason, known, now);
}

void JudgementHolds::forget(metrics::Hold reason) {
  holds_[static_cast<std::size_t>(reason)] = {};
  env_.metrics.judgement_held(reason).set(0);
}

void JudgementHolds::begin(metrics::Hold reason, Hold& known, Instant now) {
  known.held = true;
  known.since = known.told = now;
  env_.metrics.judgement_held(reason).set(1);
  env_.log.warning("judgement held", {{"reason", text_of(reason)}, {"detail", known.detail}});
}

void JudgementHolds::remind(metrics::Hold reason, Hold& known, Instant now) {
  if (!known.held || now - known.told < reminder_period) return;
  known.told = now;
  env_.log.warning("judgement still held", {{"reason", text_of(reason)},
                                            {"detail", known.detail},
                                            {"held_for", shown(now - known.since)}});
}

void JudgementHolds::end(metrics::Hold reason, Hold& known, Instant now) {
  known.held = false;
  env_.metrics.judgement_held(reason).set(0);
  env_.log.info("judgement resumed",
                {{"reason", text_of(reason)}, {"held_for", shown(now - known.since)}});
}

void JudgementHolds::record(metrics::Hold reason, const Hold& known, Instant now) {
  const bool of_pods = reason == metrics::Hold::NodeUnread;
  const std::string opening =
      of_pods      ? "Pods are not evicted before their node could be read: "
      : known.held ? "Silent nodes are not judged on what is seen of them: "
                   : "Silent nodes were not judged for " + shown(now - known.since) + ": ";
  env_.events.record(
      env_.subject,
      {.type = "Warning", .reason = "JudgementHeld", .message = opening + known.detail});
}

HealthCheck JudgementHolds::check(Instant now) const {
  HealthCheck check{.name = "judgement", .ok = true};
  for (const metrics::Hold reason : metrics::holds) {
    const Hold& known = hold(reason);
    if (!known.held) continue;
    if (fails(reason)) check.ok = false;
    if (!check.detail.empty()) check.detail += "; ";
    check.detail += text_of(reason) + " for " + shown(now - known.since) + ": " + known.detail;
  }
  return check;
}

}  // namespace nlc::controller
