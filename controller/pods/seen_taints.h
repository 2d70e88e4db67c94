#pragma once

#include <optional>
#include <string>
#include <vector>

#include "controller/rules/moment.h"
#include "controller/rules/tolerations.h"
#include "controller/rules/view.h"
#include "informer/string_map.h"

namespace nlc::controller {

/// The NoExecute taints by which pods leave their nodes, and since when this process knows them.
///
/// A taint counts from when it was first seen. One that is written again, and the swap of not-ready
/// for unreachable, do not make it younger, unless that happened while nobody looked: a list that
/// shows another `timeAdded` may show another taint. Only of a taint that was there before this
/// process was, or that such a list shows, `timeAdded` may say that it is older.
///
/// The taints that stand for a node's own condition, not-ready and unreachable, do not count while
/// the node says Ready: they are on their way out.
///
/// Pure, on one thread; the view has been changed already when an observation is told.
class SeenTaints {
 public:
  explicit SeenTaints(View view) : view_(view) {}

  struct Change {
    bool had_or_has = false;  ///< some such taint
    bool another = false;     ///< in the place of those it had
    bool timers = false;      ///< pods of the node may be due at another time
  };
  Change node_stored(const api::Node& node, Moment at);
  void forget(const std::string& node) { taints_.erase(node); }

  /// While the server's clock is proven close to ours, `timeAdded` may show that a taint is older
  /// than when we first saw it; of taints that are known already as well. When it is so no more,
  /// they are as old as that. The nodes for which that may be another moment than so far.
  std::vector<std::string> trust_wall_clock(bool close, Moment at);
  /// When that was, by the account of whoever wrote it; nothing while no account is believed.
  std::optional<Instant> by_account(std::optional<WallTime> written, Moment at) const;

  /// Of that node; null where it has none.
  const std::vector<SeenTaint>* of(const std::string& node) const {
    const auto found = taints_.find(node);
    return found == taints_.end() ? nullptr : &found->second;
  }

 private:
  SeenTaint seen_as(const api::Node& node, const api::Taint& taint, const SeenTaint* before,
                    Moment at) const;
  bool may_be_another(const SeenTaint& seen, const api::Taint& taint) const;
  Instant added(const api::Node& node, const api::Taint& taint, Moment at) const;

  const View view_;
  bool wall_clock_close_ = false;
  informer::StringMap<std::vector<SeenTaint>> taints_;  ///< of tainted nodes only
};

}  // namespace nlc::controller
