#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "client/limits/room.h"
#include "controller/decisions/decisions.h"
#include "controller/observe/expectations.h"
#include "controller/observe/matcher.h"
#include "controller/observe/record.h"
#include "controller/rules/moment.h"
#include "controller/writes/reader.h"
#include "metrics/metrics.h"
#include "runtime/clock.h"
#include "runtime/log.h"

namespace nlc::controller::observe {

/// Takes decisions in the place of a writer, performs none, and holds each against what the cluster
/// shows. Whoever decided waits for an answer meanwhile, so that nothing is decided twice; it comes
/// when the change is seen, whoever made it, or is not wanted any more, and says that nothing was
/// sent.
///
/// On the executor's thread.
class Observer {
 public:
  struct Env {
    View view;
    Decisions& decisions;
    const ApiServerHealth& server;
    client::Transport& transport;  ///< for reads
    const Clock& clock;
    Log& log;
    metrics::Metrics& metrics;
  };
  Observer(const Env& env, ReadListener& listener);

  /// Of several that observe one decides.
  void lead(bool leading, Instant now);

  // --- what is seen. The view has been changed already, the decisions have not been told

  void node_stored(Slot slot, const api::Node& node, const api::Node* before, Instant now);
  void node_removed(const api::Node& node, Instant now);
  void pod_stored(Slot slot, const api::Pod& pod, const api::Pod* before, Instant now);
  void pod_removed(Slot slot, const api::Pod& pod, Instant now);

  // --- what is decided

  /// Room for as many as can be compared.
  client::Room room() const;
  /// Reads are performed.
  void perform(const Decision& decision);
  /// Everything that was seen until now has been decided on. True: somebody was answered, and may
  /// decide anew at once.
  bool follow(Instant now);

  Record record(Moment at) const;

 private:
  /// What may be wished of an object at the same time, each by itself.
  enum class Part : std::uint8_t { Status, Spec, Readiness, Eviction, TimeoutEviction };
  using WishKey = std::pair<std::string, Part>;  ///< by the object's uid
  struct Wish {
    std::variant<NodeRef, PodRef> object;
    std::vector<Change> changes;
    std::string ready;  ///< of taints: the status of Ready that called for them
    bool answered = false;
  };
  using Wishes = std::map<WishKey, Wish>;

  void decided(const Decision& decision, Instant now);
  static std::pair<WishKey, Wish> wish_of(const Decision& decision);
  bool still_wanted(const WishKey& key, const Wish& wish, Instant now) const;
  bool taints_wanted(const NodeRef& ref, const Wish& wish) const;
  void answer(const WishKey& key, Wish& wish, Instant now);
  void drop(const Wish& wish, std::optional<Cause> cause, Instant now);
  void drop_object(const std::string& uid, Instant now);
  void touch(const std::string& uid);
  void saw(const Change& change, const Expectations::Expected& expected, Instant now);
  void saw_deletion(Slot slot, const api::Pod& pod, Instant now);
  void drop_answered(Instant now);
  void look(bool all, Instant now);
  void review_open(Instant now);
  void tell();

  const Env env_;
  Expectations expectations_;
  Matcher matcher_;
  Record record_;
  Reader reader_;
  Wishes wishes_;
  std::set<std::string> touched_;  ///< uids of objects that changed
  std::vector<WishKey> answered_;  ///< and not decided anew so far
  Instant next_look_;
  bool leading_ = false;
};

}  // namespace nlc::controller::observe
