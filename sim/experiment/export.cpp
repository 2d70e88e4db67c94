#include "sim/experiment/export.h"

#include <cmath>
#include <nlohmann/json.hpp>

namespace nlc::sim::experiment {
namespace {

using Json = nlohmann::ordered_json;

double seconds_to_a_millisecond(Duration time) {
  return static_cast<double>(std::chrono::round<std::chrono::milliseconds>(time).count()) / 1000;
}

double rounded(double number) { return std::round(number * 1000) / 1000; }

Json json_of(const Spread& spread) {
  const auto value = [&](Duration time) {
    return spread.count == 0 ? Json(nullptr) : Json(seconds_to_a_millisecond(time));
  };
  return {{"nodes", spread.count},
          {"min", value(spread.least)},
          {"p50", value(spread.p50)},
          {"p99", value(spread.p99)},
          {"max", value(spread.most)}};
}

Json json_of(const PerMark<Spread>& spreads) {
  Json object = Json::object();
  for (const Moment moment : marks) {
    object[name_of(moment)] = json_of(spreads[index_of(moment)]);
  }
  return object;
}

Json json_of(const Tally& tally) {
  return {{"mean", rounded(tally.mean)},
          {"min", tally.least},
          {"max", tally.most},
          {"total", tally.total}};
}

Json json_of(const Row& row) {
  Json flags = Json::object();
  for (const auto& [flag, value] : row.setting) flags[flag] = value;
  const Summary& summary = row.summary;
  return {{"flags", flags},
          {"runs", summary.runs},
          {"nodes_died", summary.deaths},
          {"seconds_from_last_heartbeat", json_of(summary.since_heartbeat)},
          {"seconds_from_end_of_grace", json_of(summary.since_grace)},
          {"healthy_condemned_per_run", json_of(summary.false_positives)},
          {"evictions_per_run", json_of(summary.evictions)},
          {"pods_deleted_per_run", json_of(summary.pods_deleted)},
          {"api_writes_per_run", json_of(summary.api_writes)}};
}

/// RFC 4180: quoted where it has to be.
std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\n") == text.npos) return text;
  std::string quoted = "\"";
  for (const char letter : text) quoted += letter == '"' ? "\"\"" : std::string(1, letter);
  return quoted + "\"";
}

/// The leaves of an object as columns: "from/unknown/p50" is "from_unknown_p50".
void add_leaves(const Json& value, const std::string& name, Json& leaves) {
  if (!value.is_object()) {
    leaves[name] = value;
    return;
  }
  for (const auto& [key, inner] : value.items()) {
    add_leaves(inner, name.empty() ? key : name + "_" + key, leaves);
  }
}

std::string csv_text(const Json& value) {
  if (value.is_null()) return "";
  return csv_cell(value.is_string() ? value.get<std::string>() : value.dump());
}

}  // namespace

std::string json_of(const Results& results) {
  Json settings = Json::array();
  for (const Row& row : results.rows) settings.push_back(json_of(row));
  const Json all{{"scenario", results.id},
                 {"title", results.title},
                 {"seeds", results.seeds},
                 {"settings", settings}};
  return all.dump(2) + "\n";
}

std::string csv_of(const Results& results) {
  std::string text;
  for (const Row& row : results.rows) {
    Json values = json_of(row);
    const Json flags = values["flags"];
    values.erase("flags");
    Json leaves = flags;
    add_leaves(values, "", leaves);
    std::string heading;
    std::string line;
    for (const auto& [name, value] : leaves.items()) {
      heading += (heading.empty() ? "" : ",") + name;
      line += (line.empty() ? "" : ",") + csv_text(value);
    }
    if (text.empty()) text = heading + "\n";
    text += line + "\n";
  }
  return text;
}

}  // namespace nlc::sim::experiment
