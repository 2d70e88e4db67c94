#include "tests/election/cases/scripted_server.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/election/cases/election_case.h"

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

std::string renew_time(const yaml::Value& record) {
  if (const yaml::Value& micro = record["renewTimeMicro"]; micro.is_defined()) {
    return "2026-01-02T" + micro.text + "Z";
  }
  if (!record["renewTime"].is_defined()) return then;
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

void ScriptedServer::script(const yaml::Value& replies) {
  for (const yaml::Value& entry : replies.list) {
    for (const auto& [operation, line, reply] : entry.map) add(operation, reply);
  }
}

void ScriptedServer::add(const std::string& operation, const yaml::Value& reply) {
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
      std::ranges::find(script_, operation, &std::pair<std::string, yaml::Value>::first);
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
                                                  const yaml::Value& reply) {
  const Carrier carrier = carrier_of(request.target);
  if (reply["error"].is_defined()) return failure(reply["error"].text);
  if (reply["record"].is_defined()) {
    return client::Response{.status = 200, .body = object(carrier, reply["record"], reply["rv"])};
  }
  const std::string word = reply.text;
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

std::string ScriptedServer::object(Carrier carrier, const yaml::Value& record,
                                   const yaml::Value& version) {
  std::string& known = versions_[shown(record)];
  if (known.empty()) known = std::to_string(++last_version_);
  const LockPlace place{.carrier = carrier, .namespace_ = "foo", .name = "bar"};
  LockRecord said;
  said.holder = record["h"].text;
  if (record["d"].is_defined()) said.duration_seconds = yaml::json_of(record["d"]);
  if (record["tr"].is_defined()) said.transitions = yaml::json_of(record["tr"]);
  said.strategy = record["strategy"].text;
  said.preferred_holder = record["preferredHolder"].text;
  said.acquired = parse_rfc3339(then);
  said.renewed = parse_rfc3339(renew_time(record));
  OrderedJson body = OrderedJson::parse(encode_lock(place, said, {}));
  if (record.map.empty()) body.erase("spec");
  if (record.map.empty()) body["metadata"].erase("annotations");
  body["metadata"]["uid"] = "u1";
  body["metadata"]["resourceVersion"] = version.is_defined() ? version.text : known;
  return body.dump();
}

}  // namespace nlc::election::testing
