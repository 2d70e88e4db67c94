#include "program/operations_pages.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "client/text_response.h"
#include "runtime/go_duration.h"
#include "runtime/utf8.h"
#include "runtime/words.h"

namespace nlc::program {

using client::line_response;
using client::text_response;
using controller::HealthCheck;

namespace {

/// The controller's thread publishes once a second; silent for so long it is stuck.
constexpr Duration stuck_after = std::chrono::seconds(30);

/// What others wrote, such as a lease's holder: it begins no line of its own, and steers no
/// terminal.
std::string for_people(std::string_view text) {
  constexpr std::size_t bytes_max = 1024;
  return one_line(shortened(text, bytes_max));
}

/// "verbose&exclude=ping", each part with what stands behind its "=".
struct Query {
  bool verbose = false;
  std::set<std::string, std::less<>> excluded;  ///< checks that do not count
};

Query read_query(std::string_view text) {
  constexpr std::string_view exclude = "exclude=";
  Query query;
  for (const std::string_view part : split(text, '&')) {
    if (part.substr(0, part.find('=')) == "verbose") query.verbose = true;
    if (part.starts_with(exclude)) query.excluded.emplace(part.substr(exclude.size()));
  }
  return query;
}

std::string with_detail(std::string line, const HealthCheck& check) {
  if (!check.detail.empty()) line += ": " + for_people(check.detail);
  return line + "\n";
}

std::string_view state_of(const HealthCheck& check) {
  return !check.ok ? " failed" : check.warns ? " warning" : " ok";
}

/// In the form of the Kubernetes components' own health pages.
client::Response health_page(std::string_view name, const std::vector<HealthCheck>& checks,
                             Query query) {
  bool ok = true;
  std::string body;
  for (const HealthCheck& check : checks) {
    const std::string known = (check.ok ? "[+]" : "[-]") + check.name;
    if (query.excluded.erase(check.name) > 0) {
      body += "[+]" + check.name + " excluded: ok\n";
      continue;
    }
    ok = ok && check.ok;
    body += with_detail(known + std::string(state_of(check)), check);
  }
  if (ok && !query.verbose) return text_response(200, "ok");
  for (const std::string& unknown : query.excluded) {
    body += "warn: some health checks cannot be excluded: no matches for \"" + for_people(unknown) +
            "\"\n";
  }
  body += std::string(name) + " check " + (ok ? "passed" : "failed") + "\n";
  return text_response(ok ? 200 : 503, std::move(body));
}

/// `/healthz/leaderElection`.
client::Response check_page(std::string_view name, const std::vector<HealthCheck>& checks) {
  const auto check = std::ranges::find(checks, name, &HealthCheck::name);
  if (check == checks.end())
    return line_response(404, "there is no such check; ?verbose names them");
  if (check->ok && !check->warns) return text_response(200, "ok");
  return text_response(check->ok ? 200 : 503,
                       with_detail(check->name + std::string(state_of(*check)), *check));
}

}  // namespace

Subscription OperationsPages::serve(client::IncomingRequest request,
                                    std::unique_ptr<client::Reply> reply) {
  if (request.method == "GET" || request.method == "HEAD") {
    reply->send(page(request.target));
  } else {
    reply->send(line_response(405, "only GET is served here"));
  }
  return {};
}

client::Response OperationsPages::page(std::string_view target) const {
  const std::size_t path_end = std::min(target.find('?'), target.size());
  const std::string_view path = target.substr(0, path_end);
  if (path == "/metrics") {
    return {.status = 200,
            .content_type = std::string(metrics::Metrics::content_type),
            .body = metrics_.exposition()};
  }
  const std::size_t name_end = std::min(path.find('/', 1), path.size());
  const std::optional<std::vector<HealthCheck>> checks = checks_of(path.substr(0, name_end));
  if (!checks) {
    return line_response(404,
                         "pages: /metrics /healthz /livez /readyz (each health page with ?verbose, "
                         "?exclude=CHECK, or /CHECK)");
  }
  if (name_end < path.size()) return check_page(path.substr(name_end + 1), *checks);
  return health_page(path.substr(1), *checks,
                     read_query(target.substr(std::min(path_end + 1, target.size()))));
}

/// Nothing where that is no health page.
std::optional<std::vector<HealthCheck>> OperationsPages::checks_of(std::string_view page) const {
  if (page == "/livez" || page == "/healthz") return life_checks(Question::Alive);
  if (page == "/readyz") return readiness();
  return std::nullopt;
}

std::vector<HealthCheck> OperationsPages::readiness() const {
  std::vector<HealthCheck> checks = life_checks(Question::Ready);
  std::ranges::copy(*health_.checks(), std::back_inserter(checks));
  return checks;
}

std::vector<HealthCheck> OperationsPages::life_checks(Question question) const {
  std::vector<HealthCheck> checks{thread_check()};
  if (election_) checks.push_back(election_(clock_.now(), question));
  return checks;
}

HealthCheck OperationsPages::thread_check() const {
  const Duration still = clock_.now() - health_.published_at();
  if (still <= stuck_after) return {.name = "controller-thread", .ok = true, .detail = {}};
  return {.name = "controller-thread",
          .ok = false,
          .detail = "it has not run for " + go_duration(still)};
}

}  // namespace nlc::program
