#include "report/silence_book.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "report/spread.h"

namespace nlc::report {
namespace {

using Object = nlohmann::ordered_json;

/// Milliseconds with one decimal.
double rounded(Duration span) { return std::round(milliseconds(span) * 10) / 10; }

Object spread_object(const std::vector<Duration>& delays) {
  const Spread spread = spread_of(delays);
  if (spread.count == 0) return {{"count", 0}};
  return {{"count", spread.count},
          {"p50_ms", rounded(spread.p50)},
          {"p99_ms", rounded(spread.p99)},
          {"max_ms", rounded(spread.most)}};
}

}  // namespace

SilenceBook::SilenceBook(Duration grace, Write write) : grace_(grace), write_(std::move(write)) {}

void SilenceBook::on_killed(const std::string& node, const Death& death) {
  const bool is_new = open_.emplace(node, death).second;
  assert(is_new);
  ++deaths_;
  observer_.power_cut(node, death.at);
}

void SilenceBook::on_revived(const std::string& node, Instant now) {
  if (const auto death = open_.extract(node)) tell(node, death.mapped());
  observer_.power_back(node, now);
}

void SilenceBook::on(const Happening& happening) {
  const std::string& node = happening.node;
  if (const auto found = open_.find(node); found != open_.end()) {
    const Death death = found->second;
    const bool complete = std::ranges::all_of(marks, [&](Moment mark) {
      return (is_of_pods(mark) && death.pods == 0) || seen(node, death, mark);
    });
    if (complete) tell(node, open_.extract(found).mapped());
    return;
  }
  const bool has_power = observer_.of(node).power == Power::On;
  if (happening.moment != Moment::Unknown || !has_power || !false_positives_.insert(node).second)
    return;
  write_(Object{{"condemned_though_healthy", node}}.dump());
}

std::optional<Instant> SilenceBook::seen(const std::string& node, const Death& death,
                                         Moment mark) const {
  return observer_.of(node).nth(mark, is_of_pods(mark) ? death.pods : 1);
}

void SilenceBook::tell(const std::string& node, const Death& death) {
  const NodeRecord& record = observer_.of(node);
  const Instant heartbeat = record.last_heartbeat.value_or(Instant{});
  Object after = Object::object();
  for (const Moment mark : marks) {
    const std::optional<Instant> at = seen(node, death, mark);
    Object& told = after[name_of(mark)];
    if (!at) continue;
    told = rounded(*at - heartbeat - grace_);
    delays_.at(index_of(mark)).push_back(*at - heartbeat - grace_);
  }
  const Object line{{"node", node},
                    {"killed_at", rfc3339_micro(death.wall)},
                    {"heartbeat_after_kill_ms", rounded(heartbeat - death.at)},
                    {"after_grace_ms", after},
                    {"pods",
                     {{"running", death.pods},
                      {"not_ready", record.count(Moment::PodNotReady)},
                      {"deleted", record.count(Moment::PodMarked)}}}};
  write_(line.dump());
}

void SilenceBook::close() {
  for (const auto& [node, death] : std::exchange(open_, {})) tell(node, death);
}

std::string SilenceBook::summary(std::size_t gaps) const {
  Object spreads = Object::object();
  for (const Moment mark : marks) {
    spreads[name_of(mark)] = spread_object(delays_.at(index_of(mark)));
  }
  const Object whole{{"killed", deaths_},
                     {"grace_ms", rounded(grace_)},
                     {"healthy_condemned", false_positives_.size()},
                     {"watch_interruptions", gaps},
                     {"after_grace", spreads}};
  return Object{{"summary", whole}}.dump();
}

}  // namespace nlc::report
