#include "sim/rules/lock_rules.h"

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "api/simdjson.h"
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
  constexpr const char* annotation =
      "/metadata/annotations/control-plane.alpha.kubernetes.io~1leader";
  thread_local simdjson::dom::parser parser;
  auto record = parser.parse(lock.bytes).at_pointer(annotated ? annotation : "/spec");
  if (std::string_view text; annotated && !record.get(text)) {
    record = parser.parse(std::string(text));
  }
  NamedHolder named;
  if (std::string_view identity; !record["holderIdentity"].get(identity)) {
    named.identity = identity;
  }
  constexpr std::int64_t longest = 10'000'000;  // any more would overflow an Instant in the end
  if (std::int64_t seconds = 0; !record["leaseDurationSeconds"].get(seconds)) {
    named.lasts = std::chrono::seconds(std::clamp<std::int64_t>(seconds, 0, longest));
  }
  return named;
}

}  // namespace

void LockRules::changed(const HistoryEvent& event, bool by_replica) {
  const bool gone = event.change == Change::Deleted;
  if (gone || !by_replica) overturned_ = event.at;
  if (gone) return;
  const NamedHolder named = holder_in(*event.object, is_annotated());
  for (auto& [identity, held] : held_) {
    if (identity == named.identity || held.committed <= overturned_) continue;
    held.until = std::min(held.until, event.at + exact_enough);
  }
  if (named.identity.empty()) return;
  // The record has whole seconds, cut off.
  const Instant until = event.at + named.lasts + std::chrono::seconds(1);
  Held& held = held_[named.identity];
  const bool is_claim = event.at > held.until;
  held = {.committed = event.at, .until = until};
  if (is_claim) looked_.clear();
}

void LockRules::begin_anew(Instant now, const ObjectRef& lock) {
  overturned_ = now;
  if (lock && !holder_in(*lock, is_annotated()).identity.empty()) return;
  for (const auto& [identity, held] : held_) {
    if (held.until > now) freed_.push_back({identity, held.until, looked_});
  }
}

bool LockRules::may_not_know(const std::string& one, const std::string& other, Instant now) const {
  return std::ranges::any_of(freed_, [&](const Freed& freed) {
    const bool is_one = freed.holder == one && !freed.knew.contains(other);
    const bool is_other = freed.holder == other && !freed.knew.contains(one);
    return now <= freed.until && (is_one || is_other);
  });
}

bool LockRules::is_annotated() const { return inputs_.lock->resource != &leases(); }

bool LockRules::is_of_the_lock(const Asked& request) const {
  const std::string& key = inputs_.lock->key;
  return request.resource == inputs_.lock->resource->plural &&
         request.what.ends_with(key.substr(key.find('/')));
}

void LockRules::judge(const Asked& request) {
  if (!inputs_.lock || request.identity.empty()) return;
  if (is_of_the_lock(request)) looked_.insert(request.identity);
  if (!request.writes_to_nodes_or_pods()) return;
  const auto held = held_.find(request.identity);
  if (held != held_.end() && request.at <= held->second.until) return;
  const std::string since = held == held_.end()
                                ? ", and the lock has never named it"
                                : " " + go_duration(request.at - held->second.until) +
                                      " after the lock was its own for the last time";
  breach_.note("lock", request.identity + " sent " + request.what + since);
}

}  // namespace nlc::sim::rules
