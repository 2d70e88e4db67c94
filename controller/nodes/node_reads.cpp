#include "controller/nodes/node_reads.h"

#include <algorithm>

#include "api/version.h"
#include "runtime/earlier.h"
#include "runtime/planted.h"

namespace nlc::controller {

bool NodeReads::confirms(const std::string& node, Instant since, Instant now) {
  Read& read = reads_[node];
  read.wanted = now;
  if (planted("evicts-by-cached-node")) return true;
  const bool good = read.answered && *read.answered >= since && now - *read.answered <= good_for;
  read.due = !good;
  return good;
}

/// Where room is scarce the one whose last read is longest ago is first: what a node's pods wait
/// for is not taken by others that are read again and again.
std::vector<Decision> NodeReads::due(Instant now, client::Room& room) {
  std::erase_if(reads_, [now](const auto& known) {
    return now - known.second.wanted > good_for && !known.second.retry.in_flight();
  });
  std::vector<const Reads::value_type*> ready;
  for (const Reads::value_type& known : reads_) {
    if (known.second.due && known.second.retry.may_begin(now)) ready.push_back(&known);
  }
  std::ranges::stable_sort(ready, {}, [](const auto* known) { return known->second.begun; });
  std::vector<Decision> out;
  for (const auto* known : ready) {
    const auto& [name, read] = *known;
    const client::Try attempt = read.retry.is_repeated() ? client::Try::Again : client::Try::First;
    if (!room.take({client::RequestPriority::Read, attempt})) continue;
    const std::optional<Slot> slot = view_.nodes.slot_of(name);
    out.push_back(ReadNode{.node = slot ? ref_of(view_.nodes.at(*slot)) : NodeRef{.name = name},
                           .attempt = attempt});
  }
  return out;
}

void NodeReads::begun(const std::string& node, Instant now) {
  Read& read = reads_[node];
  if (read.retry.in_flight()) return;
  read.retry.begin();
  read.begun = read.wanted = now;
  read.seen = version_in_view(node);
}

std::optional<Instant> NodeReads::next_due(Instant now) const {
  std::optional<Instant> next;
  for (const auto& [name, read] : reads_) {
    if (read.due) next = earlier(next, read.retry.retry_at(now));
  }
  return next;
}

/// Empty where it has none.
std::string NodeReads::version_in_view(std::string_view node) const {
  const std::optional<Slot> slot = view_.nodes.slot_of(node);
  return slot ? view_.nodes.at(*slot).resource_version : std::string();
}

/// A node that was replaced, or that the view does not know yet, is not confirmed: the watch will
/// tell of it. Nor is one of which the view has a newer version. Where that came while it was read,
/// it is read once more.
bool NodeReads::answered(const std::string& node, const api::Node* live, Instant now) {
  const auto found = reads_.find(node);
  if (found == reads_.end() || !found->second.retry.in_flight()) return true;
  Read& read = found->second;
  const std::optional<Slot> slot = view_.nodes.slot_of(node);
  const bool same = slot ? live != nullptr && view_.nodes.has_uid(*slot, live->uid) : !live;
  if (!same) {
    failed(node, {.fault = Fault::Conflict, .path = "it was replaced"}, now);
    return true;
  }
  const auto is_older_than = [live](std::string_view seen) {
    return live != nullptr && api::older_version(live->resource_version, seen);
  };
  const bool older = is_older_than(version_in_view(node));
  if (older && is_older_than(read.seen)) {
    failed(node, {.fault = Fault::Conflict, .path = "it is older than what was seen"}, now);
    return false;
  }
  read.retry.succeeded(now);
  if (older) return true;
  read.answered = read.begun;
  read.due = false;
  return true;
}

void NodeReads::failed(const std::string& node, const Error& error, Instant now) {
  const auto found = reads_.find(node);
  if (found == reads_.end() || !found->second.retry.in_flight()) return;
  found->second.retry.failed(now, random_, error);
  last_failure_ = error.path;
}

std::optional<NodeReads::Progress> NodeReads::progress(const std::string& node, Instant now) const {
  const auto found = reads_.find(node);
  if (found == reads_.end()) return std::nullopt;
  const RetryState& retry = found->second.retry;
  return Progress{.in_flight = retry.in_flight(),
                  .failed = found->second.due && retry.is_repeated(),
                  .retry_at = retry.retry_at(now)};
}

std::size_t NodeReads::failing() const {
  return static_cast<std::size_t>(std::ranges::count_if(reads_, [](const auto& known) {
    return known.second.due && known.second.retry.is_repeated();
  }));
}

}  // namespace nlc::controller
