#include "audit.h"

#include <algorithm>
#include <fstream>
#include <iterator>

namespace nlc::real {
namespace {

std::string text_at(const nlohmann::json& object, const char* key) { return object.value(key, ""); }

WallTime time_at(const nlohmann::json& object, const char* key) {
  return parse_rfc3339(text_at(object, key)).value_or(WallTime{});
}

/// Of a service account's token the server writes down the id.
std::string credential_of(const nlohmann::json& user) {
  const nlohmann::json extra = user.value("extra", nlohmann::json::object());
  const nlohmann::json ids =
      extra.value("authentication.kubernetes.io/credential-id", nlohmann::json::array());
  return ids.empty() ? std::string() : ids.front().get<std::string>();
}

AuditLine understood(const nlohmann::json& event) {
  const nlohmann::json object = event.value("objectRef", nlohmann::json::object());
  const std::string resource = text_at(object, "resource");
  const std::string part = text_at(object, "subresource");
  return {
      .user = event.at("user").value("username", ""),
      .verb = text_at(event, "verb"),
      .what = resource.empty() ? text_at(event, "requestURI")
                               : resource + (part.empty() ? "" : "/" + part),
      .space = text_at(object, "namespace"),
      .name = text_at(object, "name"),
      .code = event.value("responseStatus", nlohmann::json::object()).value("code", 0),
      .at = time_at(event, "requestReceivedTimestamp"),
      .answered = time_at(event, "stageTimestamp"),
      .credential = credential_of(event.at("user")),
      .body = event.value("requestObject", nlohmann::json()),
  };
}

/// A watch is answered when it opens and again, much later, when it ends: the second time is left
/// out.
bool counts(const nlohmann::json& event) {
  const std::string stage = text_at(event, "stage");
  return stage == "ResponseStarted" ||
         (stage == "ResponseComplete" && text_at(event, "verb") != "watch") ||
         event.value("responseStatus", nlohmann::json::object()).value("code", 0) >= 400;
}

template <typename Condition>
std::vector<AuditLine> only(const std::vector<AuditLine>& lines, Condition condition) {
  std::vector<AuditLine> chosen;
  std::copy_if(lines.begin(), lines.end(), std::back_inserter(chosen), condition);
  return chosen;
}

}  // namespace

std::string AuditLine::action() const {
  return verb + " " + what + " " + (space.empty() ? name : space + "/" + name);
}

std::string audit_policy(const std::string& user) {
  return R"(apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- level: Request
  users: [")" +
         user + R"("]
  verbs: [create, update, patch, delete]
- level: Request
  namespaces: [kube-system, default]
  resources: [{group: coordination.k8s.io, resources: [leases]}]
- level: Metadata
)";
}

void AuditLog::read_into(std::vector<AuditLine>& lines) {
  std::ifstream in(file_, std::ios::binary);
  in.seekg(read_);
  for (std::string line; std::getline(in, line);) {
    if (in.eof()) break;  // being written
    read_ += static_cast<std::streamoff>(line.size() + 1);
    const nlohmann::json event = nlohmann::json::parse(line, nullptr, false);
    if (event.is_discarded()) continue;  // cut short by the server's death
    if (counts(event)) lines.push_back(understood(event));
  }
}

std::vector<AuditLine> writes_of(const std::vector<AuditLine>& lines, const std::string& user) {
  return only(lines, [&user](const AuditLine& line) {
    return line.user == user && line.verb != "get" && line.verb != "list" && line.verb != "watch";
  });
}

std::vector<AuditLine> refusals_of(const std::vector<AuditLine>& lines, const std::string& user,
                                   int code) {
  return only(lines, [&user, code](const AuditLine& line) {
    return line.user == user && line.code == code;
  });
}

std::string listed(const std::vector<AuditLine>& lines) {
  std::string text;
  for (const AuditLine& line : lines) {
    text += rfc3339_micro(line.at) + " " + line.user + ": " + line.action() + " -> " +
            std::to_string(line.code) + "\n";
  }
  return text;
}

}  // namespace nlc::real
