#include "controller/why/render.h"

#include <absl/strings/str_join.h>
#include <algorithm>
#include <cassert>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "controller/why/parts.h"
#include "controller/why/question.h"
#include "controller/why/wording.h"
#include "runtime/time.h"
#include "runtime/utf8.h"

namespace nlc::controller::why {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t obstacles_max = 3;

std::string_view words_of(Action action) {
  switch (action) {
    case Action::MarkUnknown:
      return "conditions to Unknown";
    case Action::SetTaints:
      return "taints";
    case Action::SetLabels:
      return "labels";
    case Action::MarkPodNotReady:
      return "Ready to False";
    case Action::MarkForDeletion:
      return "condition DisruptionTarget";
    case Action::DeletePod:
      return "deletion";
    case Action::CancelEviction:
      return "its eviction was cancelled";
    case Action::NodeCameBack:
      return "it came back";
    case Action::UndoneByOthers:
      return "somebody undid what was written:";
    case Action::ZoneChanged:
      return "state from";
  }
  std::abort();  // unreachable: the switch is exhaustive
}

std::string_view name_of(LastHeard::By by) {
  switch (by) {
    case LastHeard::By::Nothing:
      return "nothing";
    case LastHeard::By::Lease:
      return "lease";
    case LastHeard::By::Status:
      return "status";
  }
  std::abort();  // unreachable: the switch is exhaustive
}

// --- text ---------------------------------------------------------------------------------------

class Lines {
 public:
  void title(const std::string& words) {
    end_line(whole_characters(one_line(words), line_bytes_max));
  }
  /// The end of a long one is kept: it says what counts, or until when.
  void add(std::string_view head, const std::string& words) {
    std::string line = "  ";
    line += head == last_ ? std::string_view() : head;
    line.resize(2 + 7, ' ');
    last_ = head;
    end_line(without_middle(one_line(line + words), line_bytes_max));
  }
  std::size_t left() const { return static_cast<std::size_t>(std::max(lines_max - count_, 0)); }
  std::string text() && { return std::move(text_); }

 private:
  void end_line(std::string_view line) {
    text_.append(line).append("\n");
    ++count_;
  }

  std::string text_;
  std::string last_;
  int count_ = 0;
};

std::string title_of(const Answer& answer) {
  const std::string kind(name_of(answer.about.kind));
  std::string title = kind.empty() ? "what comes next" : kind + " " + answer.about.name;
  title += ": " + answer.state;
  const bool is_zone = answer.about.kind == Question::Kind::Zone;
  if (is_zone && answer.since) title += " for " + in_words(*answer.since);
  return title;
}

std::string heard_text(const LastHeard& heard) {
  if (heard.by == LastHeard::By::Nothing) {
    return "never; that counts for " + in_words(heard.ago);
  }
  assert(heard.written);
  const std::string written = rfc3339_micro(*heard.written) + " (the kubelet's clock)";
  const bool by_lease = heard.by == LastHeard::By::Lease;
  if (!heard.seen_here) {
    return "no heartbeat since its grace began " + in_words(heard.ago) +
           " ago, outages of the API server left out; its " +
           (by_lease ? "Lease was last renewed " : "status was last posted ") + written;
  }
  return in_words(heard.ago) + " ago, by its " + (by_lease ? "Lease" : "status") + " of " + written;
}

std::string rule_text(const Answer& answer) {
  std::string text = answer.rule;
  for (const auto& [flag, value] : answer.settings) {
    if (text.find("--" + flag) == std::string::npos) continue;
    text.replace(text.find("--" + flag), flag.size() + 2, "--" + flag + "=" + value);
  }
  return text;
}

std::string zone_text(const ZonePace& zone) {
  return zone.name + ": " + zone.state + ", " + std::to_string(zone.ready) + " ready, " +
         std::to_string(zone.not_ready) + " not, " + std::to_string(zone.waiting) + " wait, " +
         rate_in_words(zone.nodes_per_second);
}

std::string obstacle_text(const Obstacle& obstacle) {
  return obstacle.what + (obstacle.ends_in ? "; that ends in " + in_words(*obstacle.ends_in) : "");
}

std::string step_text(const Step& step) {
  if (!step.in) return step.what;
  return (*step.in <= Duration{0} ? "now" : "in " + in_words(*step.in)) + ": " + step.what;
}

std::string past_text(const Past& past) {
  std::string text = in_words(past.ago) + " ago: ";
  if (!past.object.empty()) text += past.object + ", ";
  text += words_of(past.action);
  if (!past.detail.empty()) text += " " + past.detail;
  if (past.outcome == Outcome::Happened) return text;
  text += ": " + std::string(name_of(past.outcome));
  if (!past.why.empty()) text += ": " + past.why;
  return text;
}

std::string answerer_text(const Answerer& answerer) {
  std::string text = answerer.identity.empty() ? "this replica" : answerer.identity;
  text += " stands by";
  if (!answerer.leader.empty()) text += "; the leader is " + answerer.leader;
  return text;
}

void add_obstacles(const std::vector<Obstacle>& held, Lines& lines) {
  for (std::size_t i = 0; i < std::min(held.size(), obstacles_max); ++i) {
    const bool last = i + 1 == obstacles_max && held.size() > obstacles_max;
    lines.add("held",
              obstacle_text(held[i]) +
                  (last ? " (and " + std::to_string(held.size() - obstacles_max) + " more)" : ""));
  }
}

// --- JSON ---------------------------------------------------------------------------------------

double seconds_of(Duration duration) {
  return std::chrono::duration<double>(std::chrono::round<std::chrono::milliseconds>(duration))
      .count();
}

ordered_json maybe_seconds(const std::optional<Duration>& duration) {
  return duration ? ordered_json(seconds_of(*duration)) : ordered_json(nullptr);
}

ordered_json json_of(const Past& past) {
  ordered_json json{{"agoSeconds", seconds_of(past.ago)},
                    {"what", name_of(past.action)},
                    {"outcome", name_of(past.outcome)}};
  if (!past.object.empty()) json["object"] = past.object;
  if (!past.detail.empty()) json["detail"] = past.detail;
  if (!past.why.empty()) json["why"] = past.why;
  return json;
}

ordered_json json_of(const LastHeard& heard) {
  ordered_json json{{"by", name_of(heard.by)}, {"agoSeconds", seconds_of(heard.ago)}};
  json["seenHere"] = heard.seen_here;
  if (heard.written) json["written"] = rfc3339_micro(*heard.written);
  return json;
}

template <typename List, typename Make>
ordered_json list_of(const List& list, Make make) {
  ordered_json json = ordered_json::array();
  for (const auto& one : list) json.push_back(make(one));
  return json;
}

}  // namespace

ordered_json json_of(const ZonePace& zone) {
  ordered_json json{{"name", zone.name},
                    {"state", zone.state},
                    {"ready", zone.ready},
                    {"notReady", zone.not_ready},
                    {"nodesPerSecond", zone.nodes_per_second},
                    {"waiting", zone.waiting}};
  if (zone.place) json["place"] = *zone.place;
  return json;
}

std::string text_of(const Answer& answer) {
  Lines lines;
  lines.title(title_of(answer));
  if (!answer.answerer.leads) lines.add("by", answerer_text(answer.answerer));
  lines.add("is", answer.is);
  if (!answer.near.empty()) lines.add("near", absl::StrJoin(answer.near, ", "));
  if (answer.heard) lines.add("heard", heard_text(*answer.heard));
  if (!answer.rule.empty()) lines.add("rule", rule_text(answer));
  if (answer.zone && answer.about.kind == Question::Kind::Node)
    lines.add("zone", zone_text(*answer.zone));
  add_obstacles(answer.held, lines);
  for (const Step& step : answer.next) {
    if (lines.left() > 1) lines.add("next", step_text(step));
  }
  for (const Past& past : answer.past) {
    if (lines.left() > 0) lines.add("last", past_text(past));
  }
  return std::move(lines).text();
}

std::string json_of(const Answer& answer) {
  ordered_json json;
  json["about"] = {
      {"kind", answer.about.kind == Question::Kind::Next ? "next"
                                                         : std::string(name_of(answer.about.kind))},
      {"name", answer.about.name}};
  json["known"] = answer.known;
  json["answeredBy"] = {{"identity", answer.answerer.identity},
                        {"leads", answer.answerer.leads},
                        {"leader", answer.answerer.leader},
                        {"synced", answer.answerer.synced}};
  json["state"] = answer.state;
  json["is"] = answer.is;
  json["forSeconds"] = maybe_seconds(answer.since);
  if (answer.heard) json["heard"] = json_of(*answer.heard);
  json["rule"] = answer.rule;
  json["flags"] = ordered_json::object();
  for (const auto& [flag, value] : answer.settings) json["flags"][flag] = value;
  if (answer.zone) json["zone"] = json_of(*answer.zone);
  json["held"] = list_of(answer.held, [](const Obstacle& obstacle) {
    return ordered_json{{"kind", obstacle.kind},
                        {"what", obstacle.what},
                        {"endsInSeconds", maybe_seconds(obstacle.ends_in)}};
  });
  json["next"] = list_of(answer.next, [](const Step& step) {
    return ordered_json{{"what", step.what}, {"inSeconds", maybe_seconds(step.in)}};
  });
  json["last"] = list_of(answer.past, [](const Past& past) { return json_of(past); });
  if (!answer.near.empty()) json["near"] = answer.near;
  return json.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace nlc::controller::why
