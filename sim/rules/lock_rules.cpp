#include "sim/rules/lock_rules.h"

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "runtime/go_duration.h"
#include "sim/rules/node_facts.h"

namespace nlc::sim::rules {
namespace {

/// Of what a lock says.
struct NamedHolder {
  std::string identity;  ///< empty: nobody
  Duration lasts{0};
};

/// The text behind that name, up to what cannot belong to a number or an identity. A Lease has its
/// fields itself, other locks have them as text in an annotation: there each quote has a backslash
/// before it.
std::string_view written_in(const StoredObject& lock, std::string_view field, bool annotated) {
  const std::string quote = annotated ? "\\\"" : "\"";
  const std::string name = quote + std::string(field) + quote + ":";
  const std::size_t at = lock.bytes.rfind(name);
  if (at == lock.bytes.npos) return {};
  std::string_view value = std::string_view(lock.bytes).substr(at + name.size());
  if (value.starts_with(quote)) value.remove_prefix(quote.size());
  return value.substr(0, value.find_first_of("\\\",}"));
}

NamedHolder holder_in(const StoredObject& lock, bool annotated) {
  std::int64_t seconds = 0;
  for (const char digit : written_in(lock, "leaseDurationSeconds", annotated)) {
    if (digit < '0' || digit > '9' || seconds > 1'000'000) break;
    seconds = 10 * seconds + (digit - '0');
  }
  return {.identity = std::string(written_in(lock, "holderIdentity", annotated)),
          .lasts = std::chrono::seconds(seconds)};
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
