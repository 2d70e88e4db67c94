#include "tests/sim/apiserver/recorded_answers.h"

#include <set>
#include <stdexcept>
#include <yaml-cpp/yaml.h>

#include "runtime/time.h"
#include "tests/conformance/recorded.h"

namespace nlc::sim {
namespace {

using nlohmann::json;

const std::set<std::string, std::less<>> set_aside = {"uid", "resourceVersion", "managedFields",
                                                      "continue"};

bool is_moment(const json& value) {
  return value.is_string() && parse_rfc3339(value.get_ref<const std::string&>()).has_value();
}

void compare(const json& recorded, const json& ours, const std::string& path,
             std::vector<std::string>& found) {
  if (is_moment(recorded) && is_moment(ours)) return;
  if (recorded.is_object() && ours.is_object()) {
    for (const auto& [key, value] : recorded.items()) {
      if (set_aside.contains(key)) continue;
      if (!ours.contains(key))
        found.push_back(path + "." + key + " is missing");
      else
        compare(value, ours[key], path + "." + key, found);
    }
    for (const auto& [key, value] : ours.items()) {
      if (!set_aside.contains(key) && !recorded.contains(key))
        found.push_back(path + "." + key + " is not recorded");
    }
    return;
  }
  if (recorded.is_array() && ours.is_array() && recorded.size() == ours.size()) {
    for (std::size_t i = 0; i < ours.size(); ++i) {
      compare(recorded[i], ours[i], path + "[" + std::to_string(i) + "]", found);
    }
    return;
  }
  if (recorded != ours)
    found.push_back(path + ": recorded " + recorded.dump() + ", ours " + ours.dump());
}

YAML::Node entry_of(const std::string& file) {
  const YAML::Node index = YAML::Load(conformance::recorded("index.yaml"));
  for (const YAML::Node& answer : index["answers"]) {
    if (answer["file"].as<std::string>() == file) return answer;
  }
  throw std::runtime_error("not recorded: " + file);
}

}  // namespace

Recorded recorded_answer(const std::string& file) {
  const YAML::Node entry = entry_of(file);
  const auto line = entry["request"].as<std::string>();
  const std::size_t space = line.find(' ');
  Recorded recorded;
  recorded.request.method = line.substr(0, space);
  recorded.request.target = line.substr(space + 1);
  recorded.request.accept = entry["accept"].as<std::string>("");
  recorded.request.content_type = entry["content_type"].as<std::string>("");
  recorded.request.body = entry["body"].as<std::string>("");
  recorded.status = entry["status"].as<int>();
  recorded.content_type = entry["headers"]["Content-Type"].as<std::string>("");
  recorded.body = conformance::recorded(file);
  return recorded;
}

std::vector<std::string> recorded_files() {
  std::vector<std::string> files;
  for (const YAML::Node& answer : YAML::Load(conformance::recorded("index.yaml"))["answers"]) {
    files.push_back(answer["file"].as<std::string>());
  }
  return files;
}

std::vector<std::string> differences(const json& recorded, const json& ours) {
  std::vector<std::string> found;
  compare(recorded, ours, "", found);
  return found;
}

}  // namespace nlc::sim
