#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sim/kubelet/retry_queue.h"

namespace nlc::sim {

/// What hollow nodes are going to be.
struct EntryRequest {
  std::string name_prefix;
  std::uint32_t nodes = 0;
  std::string namespace_;  ///< of the pods; empty: there will be none
  /// Hears why it takes a while; may be empty.
  std::function<void(const std::string&)> say = {};
};

struct EntryVerdict {
  std::vector<std::string> obstacles;  ///< a line for each; none: come in
  std::vector<std::string> inherited;  ///< nodes that an earlier run left under these names
};

/// Asks a server whether hollow nodes may come: whether we may do there what they do, at the end
/// remove them again, and whether their names are free. Nodes that an earlier run left are no
/// obstacle, unless that run lives: one of their leases is renewed while we look, for as long as a
/// renewal takes. Nothing is written.
///
/// A server that does not answer is asked again, for ever; one that knows no access reviews is
/// taken to allow everything. On the executor's thread.
class HollowEntry {
 public:
  using Verdict = std::function<void(const EntryVerdict& verdict)>;

  HollowEntry(RetryQueue::Env env, EntryRequest request, Verdict verdict);
  HollowEntry(const HollowEntry&) = delete;
  HollowEntry& operator=(const HollowEntry&) = delete;

  /// Why there is no verdict yet.
  const std::string& trouble() const { return requests_.trouble(); }

 private:
  void ask_permissions();
  void read_names(const std::string& continue_token);
  bool is_wanted(const std::string& node) const;
  void look_at(std::size_t clash);
  /// Renewals of the leases of nodes that some run made.
  using Renewals = std::map<std::string, std::optional<WallTime>>;
  void read_leases(Renewals& into);
  void wait_for_renewals();
  void judge();

  /// Of a node that some run of ours made.
  struct Made {
    std::string node;
    std::string run;
  };

  const RetryQueue::Env env_;
  EntryRequest request_;
  Verdict verdict_;
  RetryQueue requests_;
  std::vector<std::string> forbidden_;
  std::vector<std::string> clashes_;  ///< names that are taken
  std::vector<std::string> foreign_;  ///< of those, by whom no run of ours has made
  std::vector<Made> made_;            ///< the others
  Renewals before_;
  Renewals after_;
  std::int64_t lease_seconds_ = 0;  ///< the longest of those leases
  Timer renewals_;
  std::string unreadable_;
};

}  // namespace nlc::sim
