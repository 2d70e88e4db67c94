#include "tests/sim/apiserver/recorded_answers.h"

#include <set>
#include <stdexcept>

#include "runtime/time.h"
#include "tests/conformance/recorded.h"
#include "yaml/json.h"

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

yaml::Value entry_of(const std::string& file) {
  const yaml::Value index = yaml::read(conformance::recorded("index.yaml"));
  for (const yaml::Value& answer : index["answers"].list) {
    if (answer["file"].text == file) return answer;
  }
  throw std::runtime_error("not recorded: " + file);
}

}  // namespace

Recorded recorded_answer(const std::string& file) {
  const yaml::Value entry = entry_of(file);
  const std::string& line = entry["request"].text;
  const std::size_t space = line.find(' ');
  Recorded recorded;
  recorded.request.method = line.substr(0, space);
  recorded.request.target = line.substr(space + 1);
  recorded.request.accept = entry["accept"].text;
  recorded.request.content_type = entry["content_type"].text;
  recorded.request.body = entry["body"].text;
  recorded.status = yaml::json_of(entry["status"]);
  recorded.content_type = entry["headers"]["Content-Type"].text;
  recorded.body = conformance::recorded(file);
  return recorded;
}

std::vector<std::string> recorded_files() {
  std::vector<std::string> files;
  const yaml::Value index = yaml::read(conformance::recorded("index.yaml"));
  for (const yaml::Value& answer : index["answers"].list) {
    files.push_back(answer["file"].text);
  }
  return files;
}

std::vector<std::string> differences(const json& recorded, const json& ours) {
  std::vector<std::string> found;
  compare(recorded, ours, "", found);
  return found;
}

}  // namespace nlc::sim
