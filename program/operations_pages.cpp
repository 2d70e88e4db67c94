#include "program/operations_pages.h"

#include <algorithm>
#include <iterator>

#include "runtime/go_duration.h"
#include "runtime/utf8.h"

namespace nlc::program {

using controller::HealthCheck;

namespace {

/// The controller's thread publishes once a second; silent for so long it is stuck.
constexpr Duration stuck_after = std::chrono::seconds(30);

/// Of what others wrote, such as a lease's holder.
constexpr std::size_t detail_limit = 1024;

constexpr std::string_view plain_text = "text/plain; charset=utf-8";

client::Response text_page(int status, std::string body) {
  return {.status = status, .content_type = std::string(plain_text), .body = std::move(body)};
}

}  // namespace

Subscription OperationsPages::serve(client::IncomingRequest request,
                                    std::unique_ptr<client::Reply> reply) {
  const std::string_view target = request.target;
  const std::size_t query = target.find('?');
  const bool verbose =
      query != std::string_view::npos && target.substr(query).find("verbose") != target.npos;
  if (request.method == "GET" || request.method == "HEAD") {
    reply->send(page(target.substr(0, query), verbose));
  } else {
    reply->send(text_page(405, "only GET is served here\n"));
  }
  return {};
}

client::Response OperationsPages::page(std::string_view path, bool verbose) const {
  if (path == "/metrics") {
    return {.status = 200,
            .content_type = std::string(metrics::Metrics::content_type),
            .body = metrics_.exposition()};
  }
  if (path == "/livez" || path == "/healthz") {
    return health_page(path.substr(1), life_checks(Question::Alive), verbose);
  }
  if (path == "/readyz") {
    return health_page("readyz", readiness(), verbose);
  }
  return text_page(404,
                   "pages: /metrics /healthz /livez /readyz (each health page with ?verbose)\n");
}

std::vector<HealthCheck> OperationsPages::readiness() const {
  std::vector<HealthCheck> checks = life_checks(Question::Ready);
  std::ranges::copy(*health_.checks(), std::back_inserter(checks));
  return checks;
}

/// In the form of the Kubernetes components' own health pages.
client::Response OperationsPages::health_page(std::string_view name,
                                              std::vector<HealthCheck> checks, bool verbose) const {
  const bool ok = std::ranges::all_of(checks, &HealthCheck::ok);
  if (ok && !verbose) return text_page(200, "ok");
  std::string body;
  for (const HealthCheck& check : checks) {
    body += (check.ok ? "[+]" : "[-]") + check.name + (check.ok ? " ok" : " failed");
    if (!check.detail.empty()) body += ": " + shortened(check.detail, detail_limit);
    body += "\n";
  }
  body += std::string(name) + " check " + (ok ? "passed" : "failed") + "\n";
  return text_page(ok ? 200 : 503, std::move(body));
}

std::vector<HealthCheck> OperationsPages::life_checks(Question question) const {
  std::vector<HealthCheck> checks{thread_check()};
  if (election_) checks.push_back(election_(clock_.now(), question));
  return checks;
}

HealthCheck OperationsPages::thread_check() const {
  const Duration still = clock_.now() - health_.published_at();
  if (still <= stuck_after) return {.name = "controller-thread", .ok = true, .detail = {}};
  return {.name = "controller-thread", .ok = false, .detail = "no turn for " + go_duration(still)};
}

}  // namespace nlc::program
