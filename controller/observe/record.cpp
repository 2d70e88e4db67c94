#include "controller/observe/record.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "runtime/time.h"

namespace nlc::controller::observe {
namespace {

using nlohmann::ordered_json;

double seconds_of(Duration duration) {
  return std::chrono::duration<double>(std::chrono::round<std::chrono::milliseconds>(duration))
      .count();
}

template <typename T>
void keep(std::deque<T>& last, const T& one, std::size_t most) {
  last.push_back(one);
  if (last.size() > most) last.pop_front();
}

ordered_json json_of(const Record::OfKind& kind) {
  ordered_json json;
  for (const Agreement agreement : agreements) json[name_of(agreement)] = kind.count(agreement);
  std::vector<Duration> leads(kind.leads.begin(), kind.leads.end());
  std::ranges::sort(leads);
  if (leads.empty()) return json;
  json["leadSeconds"] = {{"least", seconds_of(leads.front())},
                         {"median", seconds_of(leads[(leads.size() - 1) / 2])},
                         {"most", seconds_of(leads.back())}};
  return json;
}

/// When that was by the calendar.
std::string told(Instant when, const Record& record) {
  return rfc3339_micro(record.wall -
                       std::chrono::round<std::chrono::microseconds>(record.now - when));
}

ordered_json json_of(const Finding& finding, const Record& record) {
  ordered_json json{{"kind", name_of(finding.change.kind)}, {"object", finding.change.object}};
  if (!finding.change.value.empty()) json["value"] = finding.change.value;
  json["outcome"] = name_of(finding.agreement);
  if (finding.agreement != Agreement::Agree) json["cause"] = name_of(finding.why.cause);
  if (!finding.why.defect.empty()) json["defect"] = finding.why.defect;
  if (finding.ours) json["ours"] = told(*finding.ours, record);
  if (finding.theirs) json["theirs"] = told(*finding.theirs, record);
  if (const auto lead = finding.lead()) json["leadSeconds"] = seconds_of(*lead);
  return json;
}

}  // namespace

void Record::add(const Finding& finding) {
  OfKind& kind = kinds[static_cast<std::size_t>(finding.change.kind)];
  ++kind.counts[static_cast<std::size_t>(finding.agreement)];
  if (const auto lead = finding.lead()) keep(kind.leads, *lead, leads_max);
  if (finding.agreement != Agreement::Agree) {
    ++by_cause[static_cast<std::size_t>(finding.why.cause)];
    if (!finding.why.defect.empty()) ++by_defect[std::string(finding.why.defect)];
  }
  keep(last, finding, findings_max);
}

std::string json_of(const Record& record) {
  ordered_json json{{"observing", record.observing},
                    {"forSeconds", seconds_of(record.now - record.since)},
                    {"open", record.open},
                    {"overlooked", record.overlooked}};
  for (const ChangeKind kind : change_kinds) {
    json["kinds"][name_of(kind)] = json_of(record.of(kind));
  }
  json["causes"] = ordered_json::object();
  for (const Cause cause : causes) json["causes"][name_of(cause)] = record.count(cause);
  json["defects"] = ordered_json::object();
  for (const auto& [id, count] : record.by_defect) json["defects"][id] = count;
  json["last"] = ordered_json::array();
  for (auto finding = record.last.rbegin(); finding != record.last.rend(); ++finding) {
    json["last"].push_back(json_of(*finding, record));
  }
  return json.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace nlc::controller::observe
