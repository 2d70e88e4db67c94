#include "compared_server.h"

#include <regex>
#include <sstream>
#include <utility>

namespace nlc::real {
namespace {

using Json = nlohmann::json;

/// An answer that is no object says something all the same.
Json parsed(const std::string& text) {
  Json body = Json::parse(text, nullptr, false);
  return body.is_object() ? body : Json{{"message", text}};
}

/// The vocabulary's own times are of 2020.
bool is_present_time(const std::string& text) {
  static const std::regex form("20(2[1-9]|[3-9][0-9])-[0-9]{2}-[0-9]{2}T[0-9:.]+Z");
  return std::regex_match(text, form);
}

void replace_all(std::string& text, const std::string& word, const std::string& by) {
  for (std::size_t at = 0; (at = text.find(word, at)) != std::string::npos; at += by.size()) {
    text.replace(at, word.size(), by);
  }
}

}  // namespace

Told ComparedServer::ask(const RandomRequest& asked) {
  const Known known = known_[asked.object];
  client::Request request;
  request.method = asked.method;
  request.target = asked.target;
  Json body = filled(asked.body, known);
  if (asked.edit) {
    body = known.object;
    try {
      body[asked.edit->at] = filled(asked.edit->value, known);
    } catch (const Json::exception&) {
      body = Json::object();  // there is no such place in what the object is now
    }
  }
  if (!body.is_null()) {
    request.body = body.dump();
    request.content_type = asked.content_type;
  }
  const client::Response response = carrier_(request);
  remember(asked, response);
  return {response.status, in_common_words(parsed(response.body))};
}

Json ComparedServer::filled(Json value, const Known& known) const {
  const Json metadata = known.object.value("metadata", Json::object());
  std::string text = value.dump();
  replace_all(text, "%RV%", metadata.value("resourceVersion", "1"));
  replace_all(text, "%UID%", metadata.value("uid", "00000000-none"));
  replace_all(text, "%OLD%", known.first_version.empty() ? "2" : known.first_version);
  return Json::parse(text);
}

void ComparedServer::remember(const RandomRequest& request, const client::Response& response) {
  if (response.status >= 300 || request.target.find("dryRun") != std::string::npos) return;
  const Json object = parsed(response.body);
  if (object.value("kind", "Status") == "Status" || object.contains("items")) return;
  Known& known = known_[request.object];
  known.object = object;
  if (known.first_version.empty())
    known.first_version = object.at("metadata").value("resourceVersion", "");
}

std::string ComparedServer::symbol(const std::string& object, const std::string& field,
                                   const std::string& value) {
  const std::string of = field + " of " + object;
  const auto [at, added] = symbols_.emplace(of + " " + value, "");
  if (added) at->second = of + ", number " + std::to_string(++symbol_count_[of]);
  return at->second;
}

Json ComparedServer::in_common_words(Json value) {
  if (value.is_string() && is_present_time(value.get<std::string>())) return "now";
  if (value.is_array()) {
    for (Json& each : value) each = in_common_words(std::move(each));
  }
  if (!value.is_object()) return value;
  value.erase("managedFields");
  // A list is as new as its server, and a page goes on where that says.
  if (value.contains("items") && value.contains("metadata")) {
    value["metadata"].erase("resourceVersion");
    if (value["metadata"].contains("continue")) value["metadata"]["continue"] = "there is more";
  }
  const Json called = value.value("name", Json());
  const std::string name = called.is_string() ? called.get<std::string>() : "";
  for (auto& [key, each] : value.items()) {
    const bool own = (key == "uid" || key == "resourceVersion") && each.is_string();
    each =
        own ? Json(symbol(name, key, each.get<std::string>())) : in_common_words(std::move(each));
  }
  return value;
}

std::string ComparedServer::version_of(const std::string& path) {
  const Json list = parsed(carrier_({.target = path + "?limit=1"}).body);
  return list.at("metadata").at("resourceVersion");
}

std::map<std::string, Json> ComparedServer::events_of(const std::string& path,
                                                      const std::string& version) {
  const client::Response response =
      carrier_({.target = path + "?watch=true&timeoutSeconds=1&resourceVersion=" + version});
  std::map<std::string, Json> events;
  std::istringstream lines(response.body);
  for (std::string line; std::getline(lines, line);) {
    const Json event = parsed(line);
    const Json object = event.value("object", Json::object());
    Json& of_object = events[object.value("metadata", Json::object()).value("name", "")];
    of_object.push_back({event.value("type", ""), in_common_words(object)});
  }
  return events;
}

}  // namespace nlc::real
