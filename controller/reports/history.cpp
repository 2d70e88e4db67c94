#include "controller/reports/history.h"

#include <absl/strings/str_join.h>
#include <cstdlib>

#include "runtime/utf8.h"

namespace nlc::controller {
namespace {

/// Of what others wrote, such as a webhook's refusal.
constexpr std::size_t text_max = 240;

std::string change_of(const SetTaints& decision) {
  std::string text;
  if (!decision.added.empty()) text = "+" + decision.added;
  if (!decision.removed.empty()) text += (text.empty() ? "-" : " -") + decision.removed;
  return text;
}

}  // namespace

std::string_view name_of(Action action) {
  switch (action) {
    case Action::MarkUnknown:
      return "mark_unknown";
    case Action::SetTaints:
      return "set_taints";
    case Action::SetLabels:
      return "set_labels";
    case Action::MarkPodNotReady:
      return "mark_pod_not_ready";
    case Action::MarkForDeletion:
      return "mark_for_deletion";
    case Action::DeletePod:
      return "delete_pod";
    case Action::CancelEviction:
      return "cancel_eviction";
    case Action::NodeCameBack:
      return "node_came_back";
    case Action::UndoneByOthers:
      return "undone_by_others";
    case Action::ZoneChanged:
      return "zone_changed";
  }
  std::abort();  // unreachable: the switch is exhaustive
}

std::string_view name_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::UnderWay:
      return "under way";
    case Outcome::Taken:
      return "taken";
    case Outcome::Refused:
      return "refused";
    case Outcome::Happened:
      return "happened";
  }
  std::abort();  // unreachable: the switch is exhaustive
}

void History::decided(const Decision& decision, Instant now) {
  struct Telling {
    History& history;
    Instant now;
    void operator()(const MarkSilent& mark) const {
      history.begin(Action::MarkUnknown, of_node(mark.node.name), {}, now);
    }
    void operator()(const SetTaints& set) const {
      history.begin(Action::SetTaints, of_node(set.node.name), change_of(set), now);
    }
    void operator()(const SetLabels& set) const {
      history.begin(Action::SetLabels, of_node(set.node.name),
                    absl::StrJoin(set.labels, ",", absl::PairFormatter("=")), now);
    }
    void operator()(const MarkPodNotReady& mark) const {
      history.begin(Action::MarkPodNotReady, of_pod(mark.pod.key()), {}, now);
    }
    void operator()(const EvictPod& evict) const { step(evict.pod, evict.marked); }
    void operator()(const EvictLostPod& evict) const { step(evict.pod, evict.marked); }
    void operator()(const ReadLeases&) const {}
    void operator()(const ReadNode&) const {}
    void step(const PodRef& pod, bool marked) const {
      history.begin(marked ? Action::DeletePod : Action::MarkForDeletion, of_pod(pod.key()), {},
                    now);
    }
  };
  std::visit(Telling{*this, now}, decision);
}

void History::answered(const NodeRef& node, NodePart part, const std::optional<Error>& error) {
  const std::string object = of_node(node.name);
  if (part == NodePart::Status) {
    end({object, Action::MarkUnknown}, error);
  } else if (!end({object, Action::SetTaints}, error)) {
    end({object, Action::SetLabels}, error);
  }
}

void History::answered(Action action, const PodRef& pod, const std::optional<Error>& error) {
  end({of_pod(pod.key()), action}, error);
}

void History::happened(Action action, std::string object, std::string_view detail, Instant now) {
  add(action, Outcome::Happened, std::move(object), detail, now);
}

void History::begin(Action action, std::string object, std::string_view detail, Instant now) {
  under_way_[{object, action}] = forgotten_ + actions_.size();
  add(action, Outcome::UnderWay, std::move(object), detail, now);
}

std::size_t History::bytes_of(const PastAction& action) {
  // With its part of what a deque, and whoever gives it memory, need beside.
  constexpr std::size_t place = sizeof(PastAction) * 9 / 8;
  return place + action.object.capacity() + action.detail.capacity() + action.why.capacity();
}

void History::add(Action action, Outcome outcome, std::string object, std::string_view detail,
                  Instant now) {
  actions_.push_back({.at = now,
                      .action = action,
                      .outcome = outcome,
                      .object = std::move(object),
                      .detail = one_line(shortened(detail, text_max))});
  bytes_ += bytes_of(actions_.back());
  while (bytes_ > bytes_max_ && !actions_.empty()) {
    bytes_ -= bytes_of(actions_.front());
    actions_.pop_front();
    ++forgotten_;
  }
}

/// False: nothing of the kind was on its way.
bool History::end(const Pending& pending, const std::optional<Error>& error) {
  const auto found = under_way_.find(pending);
  if (found == under_way_.end()) return false;
  const std::uint64_t number = found->second;
  under_way_.erase(found);
  if (number < forgotten_) return true;
  PastAction& action = actions_[number - forgotten_];
  bytes_ -= bytes_of(action);
  action.outcome = error ? Outcome::Refused : Outcome::Taken;
  if (error) {
    const std::string words =
        error->path.empty() ? std::string(name_of(error->fault)) : error->path;
    action.why = one_line(shortened(words, text_max));
  }
  bytes_ += bytes_of(action);
  return true;
}

std::vector<const PastAction*> History::last_of(std::string_view object, std::size_t count) const {
  std::vector<const PastAction*> found;
  for (auto action = actions_.rbegin(); action != actions_.rend() && found.size() < count;
       ++action) {
    if (object.empty() || action->object == object) found.push_back(&*action);
  }
  return found;
}

const PastAction* History::last_refusal(std::string_view object, Action kind) const {
  for (auto action = actions_.rbegin(); action != actions_.rend(); ++action) {
    const bool is_it = action->action == kind && action->object == object;
    if (is_it && action->outcome == Outcome::Refused) return &*action;
  }
  return nullptr;
}

}  // namespace nlc::controller
