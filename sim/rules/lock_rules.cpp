#include "sim/rules/lock_rules.h"

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>

#include "runtime/go_duration.h"
#include "sim/rules/node_facts.h"

namespace nlc::sim::rules {
namespace {

/// Of what a lock says.
struct NamedHolder {
  std::string identity;  ///< empty: nobody
  Duration lasts{0};
};

/// A Lease has its fields itself, other locks have them as text in an annotation.
NamedHolder holder_in(const StoredObject& lock, bool annotated) {
  using Json = nlohmann::json;
  static const Json::json_pointer text(
      "/metadata/annotations/control-plane.alpha.kubernetes.io~1leader");
  static const Json::json_pointer spec("/spec");
  const Json whole = Json::parse(lock.bytes);
  const Json record =
      annotated ? Json::parse(whole.value(text, ""), nullptr, false) : whole.value(spec, Json());
  NamedHolder named;
  if (!record.is_object()) return named;
  const auto identity = record.find("holderIdentity");
  if (identity != record.end() && identity->is_string()) named.identity = *identity;
  const auto seconds = record.find("leaseDurationSeconds");
  constexpr std::int64_t longest = 10'000'000;  // any more would overflow an Instant in the end
  if (seconds != record.end() && seconds->is_number_integer()) {
    named.lasts = std::chrono::seconds(std::clamp<std::int64_t>(*seconds, 0, longest));
  }
  return named;
}

}  // namespace

void LockRules::changed(const HistoryEvent& event, bool by_replica) {
  const bool gone = event.change == Change::Deleted;
  if (gone || !by_replica) overturned_ = event.at;
  if (gone) return;
  const NamedHolder named = holder_in(*event.object, inputs_.lock->resource != &leases());
  for (auto& [identity, held] : held_) {
    if (identity == named.identity || held.committed <= overturned_) continue;
    held.until = std::min(held.until, event.at + exact_enough);
  }
  if (named.identity.empty()) return;
  // The record has whole seconds, cut off.
  const Instant until = event.at + named.lasts + std::chrono::seconds(1);
  held_[named.identity] = {.committed = event.at, .until = until};
}

void LockRules::judge(const Asked& request) {
  if (!inputs_.lock || request.identity.empty() || !request.writes_to_nodes_or_pods()) return;
  const auto held = held_.find(request.identity);
  if (held != held_.end() && request.at <= held->second.until) return;
  const std::string since = held == held_.end()
                                ? ", and the lock has never named it"
                                : " " + go_duration(request.at - held->second.until) +
                                      " after the lock was its own for the last time";
  breach_.note("lock", request.identity + " sent " + request.what + since);
}

}  // namespace nlc::sim::rules
