#include "random_requests.h"

#include <fstream>
#include <utility>
#include <vector>

namespace nlc::real {
namespace {

using Json = nlohmann::json;

const std::vector<std::string> kinds{"nodes",  "nodes",  "pods",       "pods",      "pods",
                                     "leases", "leases", "configmaps", "daemonsets"};

/// "spec.taints" as a pointer. No key of the vocabulary's places has a dot in it.
Json::json_pointer pointer_to(const std::string& place) {
  std::string text = "/" + place;
  for (char& each : text) {
    if (each == '.') each = '/';
  }
  return Json::json_pointer(text);
}

Json read_vocabulary() {
  std::ifstream file(std::string(NLC_SOURCE_DIR) + "/tests/real/rig/random_requests.json");
  return Json::parse(file);
}

}  // namespace

RandomRequests::RandomRequests(std::uint64_t seed, std::string namespace_name)
    : vocabulary_(read_vocabulary()), random_(seed), namespace_name_(std::move(namespace_name)) {}

const Json& RandomRequests::one_of(const Json& values) {
  return values.at(random_.below(values.size()));
}

std::string RandomRequests::filled(std::string text) const {
  for (std::size_t at; (at = text.find("%NS%")) != std::string::npos;) {
    text.replace(at, 4, namespace_name_);
  }
  return text;
}

Edit RandomRequests::an_edit() {
  const Json& own = vocabulary_[kind_]["values"];
  const Json& from = random_.below(3) == 0 ? vocabulary_["any"] : own;
  auto chosen = from.begin();
  std::advance(chosen, static_cast<std::ptrdiff_t>(random_.below(from.size())));
  return {pointer_to(chosen.key()), one_of(*chosen)};
}

Json RandomRequests::a_patch(const Edit& edit, std::string& content_type) {
  const std::uint64_t form = random_.below(3);
  if (form == 0) {
    content_type = "application/json-patch+json";
    const bool takes_away = edit.value.is_null();
    Json step{{"op", takes_away              ? "remove"
                     : random_.below(2) == 0 ? "add"
                                             : "replace"},
              {"path", edit.at.to_string()}};
    if (!takes_away) step["value"] = edit.value;
    return Json::array({step});
  }
  content_type =
      form == 1 ? "application/merge-patch+json" : "application/strategic-merge-patch+json";
  Json patch;
  patch[edit.at] = edit.value;
  return patch;
}

RandomRequest RandomRequests::next(const std::function<bool(const std::string& object)>& usable) {
  RandomRequest request;
  std::string name;
  do {
    kind_ = kinds[random_.below(kinds.size())];
    name = namespace_name_ + "-" + kind_ + "-" + std::to_string(random_.below(12));
    request.object = filled(vocabulary_[kind_]["path"]) + "/" + name;
  } while (!usable(request.object));
  const std::string list = request.object.substr(0, request.object.rfind('/'));
  const std::string query = one_of(vocabulary_["queries"]);
  const std::string status = random_.below(4) == 0 ? "/status" : "";
  const Edit edit = an_edit();
  request.content_type = "application/json";
  request.target = request.object + status + (query.empty() ? "" : "?" + query);
  switch (random_.below(10)) {
    case 0:
    case 1:
    case 2:
      request.method = "POST";
      request.target = list + (query.empty() ? "" : "?" + query);
      request.body = Json::parse(filled(vocabulary_[kind_]["object"].dump()));
      request.body["metadata"]["name"] = name;
      // What is wrong in every second one would leave nothing to write to.
      if (random_.below(2) == 0) request.body[edit.at] = edit.value;
      return request;
    case 3:
    case 4:
      request.method = "PUT";
      request.edit = edit;
      return request;
    case 5:
    case 6:
    case 7:
      request.method = "PATCH";
      request.body = a_patch(edit, request.content_type);
      return request;
    case 8:
      request.method = "DELETE";
      request.target = request.object;
      request.body = one_of(vocabulary_["deletions"]);
      return request;
    default:
      request.method = "GET";
      request.object = list;
      request.target = list + "?" + one_of(vocabulary_["lists"]).get<std::string>();
      if (const std::size_t at = request.target.find("%NAME%"); at != std::string::npos)
        request.target.replace(at, 6, name);
      return request;
  }
}

}  // namespace nlc::real
