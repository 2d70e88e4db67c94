#include "tests/election/scripted_server.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "tests/election/election_case.h"

namespace nlc::election::testing {
namespace {

using OrderedJson = nlohmann::ordered_json;

client::Response refusal(int status, const std::string& reason) {
  return {.status = status,
          .content_type = "application/json",
          .body =
              OrderedJson{
                  {"kind", "Status"}, {"status", "Failure"}, {"reason", reason}, {"code", status}}
                  .dump()};
}

Result<client::Response> failure(const std::string& word) {
  if (word == "AlreadyExists") return refusal(409, word);
  if (word == "Forbidden") return refusal(403, word);
  if (word == "404") return refusal(404, "NotFound");
  if (word == "409" || word == "Conflict") return refusal(409, "Conflict");
  if (word == "timeout" || word == "hang") return Error{Fault::Timeout, "no answer"};
  return refusal(500, "InternalError");
}

const std::string then = "2026-01-02T03:04:05Z";

std::string renew_time(const YAML::Node& record) {
  if (const YAML::Node micro = record["renewTimeMicro"]) {
    return "2026-01-02T" + micro.as<std::string>() + "Z";
  }
  if (!record["renewTime"]) return then;
  const WallTime at = *parse_rfc3339(then);
  return rfc3339_micro(
      at + std::chrono::floor<std::chrono::microseconds>(duration_of(record["renewTime"])));
}

}  // namespace

Carrier carrier_of(const std::string& target) {
  if (target.find("/endpoints") != std::string::npos) return Carrier::Endpoints;
  if (target.find("/configmaps") != std::string::npos) return Carrier::ConfigMap;
  return Carrier::Lease;
}

void ScriptedServer::script(const YAML::Node& replies) {
  for (const YAML::Node& entry : replies) {
    for (const auto& one : entry) add(one.first.as<std::string>(), one.second);
  }
}

void ScriptedServer::add(const std::string& operation, const YAML::Node& reply) {
  script_.emplace_back(operation, reply);
}

std::string ScriptedServer::operation_of(const client::Request& request) const {
  std::string name = "get";
  if (request.method == "POST") name = "create";
  if (request.method == "PUT") name = "update";
  if (paired) name += carrier_of(request.target) == Carrier::Lease ? "S" : "P";
  return name;
}

void ScriptedServer::send(client::Request request, client::Answer answer) {
  const std::string operation = operation_of(request);
  requests.push_back(operation);
  const auto entry =
      std::ranges::find(script_, operation, &std::pair<std::string, YAML::Node>::first);
  Result<client::Response> response = Error{Fault::Unavailable, "not in the script: " + operation};
  if (entry != script_.end()) {
    response = reply_to(request, entry->second);
    script_.erase(entry);
  }
  executor_.post([answer = std::move(answer), response = std::move(response)]() mutable {
    answer(std::move(response));
  });
}

Result<client::Response> ScriptedServer::reply_to(const client::Request& request,
                                                  const YAML::Node& reply) {
  const Carrier carrier = carrier_of(request.target);
  if (reply.IsMap() && reply["error"]) return failure(reply["error"].as<std::string>());
  if (reply.IsMap() && reply["record"]) {
    return client::Response{.status = 200, .body = object(carrier, reply["record"], reply["rv"])};
  }
  const std::string word = reply.as<std::string>();
  if (word == "ok") return stored(request);
  if (word == "lastWritten") {
    return client::Response{.status = 200, .body = last_written_[carrier]};
  }
  return failure(word);
}

/// The server takes it, at a version of its own.
client::Response ScriptedServer::stored(const client::Request& request) {
  const Carrier carrier = carrier_of(request.target);
  OrderedJson body = OrderedJson::parse(request.body);
  body["metadata"]["uid"] = "u1";
  body["metadata"]["resourceVersion"] = std::to_string(++last_version_);
  last_written_[carrier] = body.dump();
  if (const Result<LockObject> lock = decode_lock(carrier, body.dump())) {
    written.push_back(lock->record);
  }
  return {.status = request.method == "POST" ? 201 : 200, .body = last_written_[carrier]};
}

std::string ScriptedServer::object(Carrier carrier, const YAML::Node& record,
                                   const YAML::Node& version) {
  std::string& known = versions_[shown(record)];
  if (known.empty()) known = std::to_string(++last_version_);
  const LockPlace place{.carrier = carrier, .namespace_ = "foo", .name = "bar"};
  LockRecord said;
  if (record["h"]) said.holder = record["h"].as<std::string>();
  if (record["d"]) said.duration_seconds = record["d"].as<std::int64_t>();
  if (record["tr"]) said.transitions = record["tr"].as<std::int64_t>();
  if (record["strategy"]) said.strategy = record["strategy"].as<std::string>();
  if (record["preferredHolder"])
    said.preferred_holder = record["preferredHolder"].as<std::string>();
  said.acquired = parse_rfc3339(then);
  said.renewed = parse_rfc3339(renew_time(record));
  OrderedJson body = OrderedJson::parse(encode_lock(place, said, {}));
  if (record.size() == 0) body.erase("spec");
  if (record.size() == 0) body["metadata"].erase("annotations");
  body["metadata"]["uid"] = "u1";
  body["metadata"]["resourceVersion"] = version ? version.as<std::string>() : known;
  return body.dump();
}

}  // namespace nlc::election::testing
