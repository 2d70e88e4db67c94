#include "sim/kubelet/hollow_entry.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>

#include "api/decode.h"
#include "api/lease.h"
#include "client/resources.h"
#include "client/verbs.h"
#include "runtime/go_duration.h"
#include "runtime/parse_number.h"
#include "sim/kubelet/hollow_requests.h"

namespace nlc::sim {
namespace {

using Object = nlohmann::ordered_json;

/// A lease is renewed every quarter of its duration, a little later each time; longer ones than
/// that are not waited for.
constexpr Duration renewal_margin = std::chrono::seconds(3);
constexpr Duration renewal_max = std::chrono::minutes(1);

constexpr const char* reviews_path = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";

/// One thing that hollow nodes do.
struct Need {
  const char* verb;
  const char* group;
  const char* resource;
  const char* subresource = "";
  enum class Where { Cluster, Leases, Pods } where = Where::Cluster;
};

constexpr std::array node_needs{
    Need{"list", "", "nodes"},
    Need{"create", "", "nodes"},
    Need{"get", "", "nodes"},
    Need{"patch", "", "nodes"},
    Need{"patch", "", "nodes", "status"},
    Need{"delete", "", "nodes"},
    Need{"create", "coordination.k8s.io", "leases", "", Need::Where::Leases},
    Need{"get", "coordination.k8s.io", "leases", "", Need::Where::Leases},
    Need{"update", "coordination.k8s.io", "leases", "", Need::Where::Leases},
    Need{"delete", "coordination.k8s.io", "leases", "", Need::Where::Leases},
    Need{"list", "", "pods"},
    Need{"watch", "", "pods"},
};
constexpr std::array pod_needs{
    Need{"create", "", "pods", "", Need::Where::Pods},
    Need{"get", "", "pods", "", Need::Where::Pods},
    Need{"patch", "", "pods", "status", Need::Where::Pods},
    Need{"delete", "", "pods", "", Need::Where::Pods},
};

std::string namespace_of(const Need& need, const EntryRequest& request) {
  switch (need.where) {
    case Need::Where::Cluster:
      return "";
    case Need::Where::Leases:
      return "kube-node-lease";
    case Need::Where::Pods:
      return request.namespace_;
  }
  std::abort();  // unreachable: the switch is exhaustive and -Wswitch is an error
}

std::string body_of(const Need& need, const std::string& space) {
  Object attributes{{"verb", need.verb}, {"group", need.group}, {"resource", need.resource}};
  if (*need.subresource != '\0') attributes["subresource"] = need.subresource;
  if (!space.empty()) attributes["namespace"] = space;
  return Object{{"kind", "SelfSubjectAccessReview"},
                {"apiVersion", "authorization.k8s.io/v1"},
                {"spec", {{"resourceAttributes", attributes}}}}
      .dump();
}

/// "patch nodes/status", "update leases in kube-node-lease".
std::string words_of(const Need& need, const std::string& space) {
  std::string words = std::string(need.verb) + " " + need.resource;
  if (*need.subresource != '\0') words += std::string("/") + need.subresource;
  return space.empty() ? words : words + " in " + space;
}

bool denies(const std::string& review) try {
  return !nlohmann::json::parse(review).at("status").at("allowed").get<bool>();
} catch (const nlohmann::json::exception&) {
  return false;
}

/// "a, b, c and 4 more".
std::string listed(const std::vector<std::string>& words, std::size_t at_most) {
  std::string text;
  for (std::size_t at = 0; at < std::min(words.size(), at_most); ++at) {
    text += (at == 0 ? "" : ", ") + words[at];
  }
  if (words.size() > at_most) text += " and " + std::to_string(words.size() - at_most) + " more";
  return text;
}

}  // namespace

HollowEntry::HollowEntry(RetryQueue::Env env, EntryRequest request, Verdict verdict)
    : env_(env),
      request_(std::move(request)),
      verdict_(std::move(verdict)),
      requests_(env, Random(1)) {
  ask_permissions();
  requests_.when_idle([this] { forbidden_.empty() ? read_names("") : judge(); });
}

void HollowEntry::ask_permissions() {
  std::vector<Need> needs(node_needs.begin(), node_needs.end());
  if (!request_.namespace_.empty()) needs.insert(needs.end(), pod_needs.begin(), pod_needs.end());
  for (const Need& need : needs) {
    const std::string space = namespace_of(need, request_);
    requests_.add({.request = {.method = "POST",
                               .target = reviews_path,
                               .content_type = "application/json",
                               .body = body_of(need, space)},
                   .done = [this, words = words_of(need, space)](
                               const Result<client::Response>& answer, bool) {
                     if (answer && denies(answer->body)) forbidden_.push_back(words);
                   }});
  }
}

void HollowEntry::read_names(const std::string& continue_token) {
  const auto take = [this](const Result<client::Response>& answer, bool) {
    if (!answer) {
      unreadable_ = answer.error().path;
      return;
    }
    Result<api::ListPage<api::Node>> page =
        api::Decoder<api::Node>(api::encoding_of(answer->content_type)).list(answer->body);
    if (!page) {
      unreadable_ = page.error().path;
      return;
    }
    for (const api::Node& node : page->items) {
      if (is_wanted(node.name)) clashes_.push_back(node.name);
    }
    if (!page->continue_token.empty()) read_names(page->continue_token);
  };
  const std::string target =
      client::page_target(client::nodes_path, {.continue_token = continue_token});
  requests_.add({.request = {.target = target}, .done = take});
  if (continue_token.empty()) requests_.when_idle([this] { look_at(0); });
}

// The number is in the name.
bool HollowEntry::is_wanted(const std::string& node) const {
  const std::string before = request_.name_prefix + "-";
  if (!node.starts_with(before)) return false;
  const auto index = parse_number<std::uint32_t>(std::string_view(node).substr(before.size()));
  return index && *index < request_.nodes;
}

void HollowEntry::look_at(std::size_t clash) {
  if (clash == clashes_.size()) return made_.empty() ? judge() : read_leases(before_);
  const std::string name = clashes_[clash];
  requests_.add({.request = {.target = client::node_path(name)},
                 .done = [this, name](const Result<client::Response>& answer, bool) {
                   const std::optional<std::string> run =
                       answer ? maker_of(answer->body) : std::nullopt;
                   if (answer && !run) return foreign_.push_back(name);
                   made_.push_back({.node = name, .run = run.value_or("")});
                 }});
  requests_.when_idle([this, clash] { look_at(clash + 1); });
}

void HollowEntry::read_leases(Renewals& into) {
  for (const Made& made : made_) {
    requests_.add(
        {.request = {.target = client::lease_path("kube-node-lease", made.node)},
         .done = [this, &into, node = made.node](const Result<client::Response>& answer, bool) {
           if (!answer) return;  // without a lease nobody keeps it alive
           const Result<api::Lease> lease = api::decode_lease(answer->body);
           if (!lease) return;
           into[node] = lease->renewed;
           lease_seconds_ = std::max(lease_seconds_, lease->duration_seconds.value_or(0));
         }});
  }
  requests_.when_idle([this, &into] { &into == &before_ ? wait_for_renewals() : judge(); });
}

/// Clocks of other machines prove nothing: that a lease moves does.
void HollowEntry::wait_for_renewals() {
  if (before_.empty()) return judge();
  const std::chrono::seconds validity(std::min<std::int64_t>(lease_seconds_, 3600));
  const Duration wait = std::min(validity / 4 + renewal_margin, renewal_max);
  if (request_.say) {
    request_.say("there are hollow nodes of these names: " + go_duration(wait) +
                 " to see whether the run that made them lives");
  }
  renewals_ = env_.executor.run_at(env_.clock.now() + wait, [this] { read_leases(after_); });
}

void HollowEntry::judge() {
  EntryVerdict verdict;
  std::vector<std::string> alive;
  std::set<std::string> runs;
  for (const Made& made : made_) {
    verdict.inherited.push_back(made.node);
    const auto after = after_.find(made.node);
    if (after == after_.end() || before_[made.node] == after->second) continue;
    alive.push_back(made.node);
    runs.insert(made.run);
  }
  std::vector<std::string>& obstacles = verdict.obstacles;
  if (!forbidden_.empty()) {
    obstacles.push_back("the server does not allow us to " + listed(forbidden_, 20));
  }
  if (!unreadable_.empty()) obstacles.push_back(unreadable_);
  if (!foreign_.empty()) {
    obstacles.push_back(
        "there are nodes of these names already, and no hollow kubelet made them: " +
        listed(foreign_, 5) + "; --name-prefix gives other names");
  }
  if (!alive.empty()) {
    obstacles.push_back("a run that lives keeps nodes of these names (" +
                        listed({runs.begin(), runs.end()}, 3) + "): " + listed(alive, 5) +
                        "; end it, or --name-prefix gives other names");
  }
  verdict_(verdict);
}

}  // namespace nlc::sim
