#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "controller/insight.h"
#include "controller/why/answer.h"

/// Private to this folder and `live`: what answers of several kinds have in common.
namespace nlc::controller::why {

Answer explain_node(const Question& question, const Insight& insight);
Answer explain_pod(const Question& question, const Insight& insight);
Answer explain_zone(const Question& question, const Insight& insight);
Answer explain_next(const Question& question, const Insight& insight);

/// Why a zone evicts at that pace, by the flags that say so.
std::string zone_rule(const Zone& zone, const Insight& insight);
std::vector<Setting> zone_settings(const Insight& insight);
ZonePace pace_of(const Zone& zone);
nlohmann::ordered_json json_of(const ZonePace& zone);

/// What comes next, and what holds it back.
struct Coming {
  Step step;
  std::vector<Obstacle> held;
};
void add(Coming coming, Answer& answer);
/// When all of that is over it comes, no sooner: what is due and held by something whose end nobody
/// knows has no time.
void wait_for(const std::vector<Obstacle>& held, Step& step);
/// The same of a step whose time runs for nobody while something holds it.
void stand_behind(const std::vector<Obstacle>& held, Step& step);

/// "refused: …" with the server's last words, as far as they are remembered.
std::string last_words(const Insight& insight, const std::string& object, Action action);
void add_past(const Insight& insight, const std::string& object, Answer& answer);

LastHeard last_heard(Slot node, const Insight& insight);

}  // namespace nlc::controller::why
