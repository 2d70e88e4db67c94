#include "controller/nodes/node_reads.h"

#include <algorithm>

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

std::vector<Decision> NodeReads::due(Instant now, client::Room& room) {
  std::vector<Decision> out;
  for (auto next = reads_.begin(); next != reads_.end();) {
    auto& [name, read] = *next;
    const bool forgotten = now - read.wanted > good_for && !read.retry.in_flight();
    if (forgotten) {
      next = reads_.erase(next);
      continue;
    }
    ++next;
    if (!read.due || !read.retry.may_begin(now)) continue;
    const client::Try attempt = read.retry.is_repeated() ? client::Try::Again : client::Try::First;
    if (!room.take(client::RequestPriority::Read, attempt)) continue;
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
}

std::optional<Instant> NodeReads::next_due(Instant now) const {
  std::optional<Instant> next;
  for (const auto& [name, read] : reads_) {
    const std::optional<Instant> retry = read.due ? read.retry.retry_at(now) : std::nullopt;
    if (retry && (!next || *retry < *next)) next = retry;
  }
  return next;
}

/// A node that was replaced, or that the view does not know yet, is not confirmed: the watch will
/// tell of it.
void NodeReads::answered(const std::string& node, std::string_view uid, Instant now) {
  const auto found = reads_.find(node);
  if (found == reads_.end() || !found->second.retry.in_flight()) return;
  Read& read = found->second;
  const std::optional<Slot> slot = view_.nodes.slot_of(node);
  const bool as_seen = slot ? view_.nodes.has_uid(*slot, uid) : uid.empty();
  if (!as_seen) return failed(node, {.fault = Fault::Conflict, .path = "it was replaced"}, now);
  read.retry.succeeded(now);
  read.answered = read.begun;
  read.due = false;
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
