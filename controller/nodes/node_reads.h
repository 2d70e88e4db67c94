#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/objects.h"
#include "client/limits/room.h"
#include "controller/rules/decision.h"
#include "controller/rules/view.h"
#include "controller/writes/retry_state.h"
#include "runtime/random.h"
#include "runtime/result.h"

namespace nlc::controller {

/// Nodes that are read by quorum before pods are deleted for what was last seen of them: a delete
/// has no version that would be refused if its node had come back unseen.
///
/// One read of a node stands for all of its pods, if it began after they were due and not longer
/// ago than `good_for`. What it found is in the view by then, and is decided on as anything seen.
/// Reads that fail are repeated with back-off for as long as somebody asks.
///
/// Pure, on one thread.
class NodeReads {
 public:
  NodeReads(View view, std::uint64_t seed) : view_(view), random_(seed) {}

  static constexpr Duration good_for = std::chrono::seconds(10);

  /// Whether what the view has of that node is what the server had, read since `since`. If it is
  /// not, the node is read.
  bool confirms(const std::string& node, Instant since, Instant now);

  /// The reads to begin now.
  std::vector<Decision> due(Instant now, client::Room& room);
  std::optional<Instant> next_due(Instant now) const;

  /// A read of that node is on its way, whoever asked for it.
  void begun(const std::string& node, Instant now);
  /// What was found, which the view has been told of; nothing where there is no such node. False:
  /// it is older than what had been seen when the read began, so what was seen is not what the
  /// server has. It went back in time, or a watch told of a time before it did.
  bool answered(const std::string& node, const api::Node* live, Instant now);
  void failed(const std::string& node, const Error& error, Instant now);

  /// Of a node that somebody wants read: whether it is being read, or when it is tried again.
  struct Progress {
    bool in_flight = false;
    bool failed = false;
    std::optional<Instant> retry_at;
  };
  std::optional<Progress> progress(const std::string& node, Instant now) const;

  /// Nodes that could not be read; the last failure of any of them.
  std::size_t failing() const;
  const std::string& last_failure() const { return last_failure_; }

 private:
  struct Read {
    RetryState retry;
    Instant begun = Instant::min();   ///< of the read in flight, or the last one
    std::string seen;                 ///< the version that the view had then
    std::optional<Instant> answered;  ///< when the last one that was answered began
    Instant wanted;                   ///< by the last who asked
    bool due = false;
  };

  using Reads = std::map<std::string, Read, std::less<>>;

  std::string version_in_view(std::string_view node) const;

  const View view_;
  Random random_;
  Reads reads_;
  std::string last_failure_;
};

}  // namespace nlc::controller
