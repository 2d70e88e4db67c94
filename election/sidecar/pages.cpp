#include "election/sidecar/pages.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "client/text_response.h"

namespace nlc::election {
namespace {

using client::line_response;
using client::text_response;
using Json = nlohmann::ordered_json;

client::Response json_page(const Json& body) { return client::json_response(200, body.dump()); }

/// Rounded down, so that nobody relies on more than there is.
Json validity_of(const LeaderStatus& status, Instant now) {
  const bool leads = status.leads(now);
  const Duration left = (leads ? status.valid_until : status.leader_until) - now;
  const auto milliseconds =
      std::chrono::floor<std::chrono::milliseconds>(std::max(left, Duration{0})).count();
  Json validity{
      {"name", status.leader_at(now)}, {"isLeader", leads}, {"validMilliseconds", milliseconds}};
  if (!status.trouble.empty()) validity["trouble"] = status.trouble;
  return validity;
}

client::Response readiness_of(const LeaderStatus& status, Instant now) {
  const bool seen = now < status.leader_until;
  const std::string what = seen ? "ok" : "nobody is known to lead";
  if (!status.trouble.empty()) {
    return line_response(seen ? 200 : 503, what + ", trouble: " + status.trouble);
  }
  return seen ? text_response(200, what) : line_response(503, what);
}

}  // namespace

Subscription SidecarPages::serve(client::IncomingRequest request,
                                 std::unique_ptr<client::Reply> reply) {
  const std::string_view target = request.target;
  if (request.method == "GET" || request.method == "HEAD") {
    reply->send(page(target.substr(0, target.find('?'))));
  } else {
    reply->send(line_response(405, "only GET is served here"));
  }
  return {};
}

client::Response SidecarPages::page(std::string_view path) const {
  const std::shared_ptr<const LeaderStatus> status = board_.read();
  const Instant now = clock_.now();
  if (path == "/metrics") {
    return {.status = 200,
            .content_type = std::string(metrics::Metrics::content_type),
            .body = metrics_.exposition_of_election()};
  }
  if (path == "/healthz") return text_response(200, "ok");
  if (path == "/readyz") return readiness_of(*status, now);
  if (path == "/isLeader") return json_page({{"isLeader", status->leads(now)}});
  if (path == "/validity") return json_page(validity_of(*status, now));
  return json_page({{"name", status->leader_at(now)}});
}

}  // namespace nlc::election
