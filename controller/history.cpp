#include "controller/history.h"

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

std::string names_of(const api::Labels& labels) {
  std::string text;
  for (const auto& [key, value] : labels) {
    if (!text.empty()) text += ",";
    text.append(key).append("=").append(value);
  }
  return text;
}

}  // namespace

std::string_view name_of(Deed deed) {
  switch (deed) {
    case Deed::MarkUnknown:
      return "mark_unknown";
    case Deed::SetTaints:
      return "set_taints";
    case Deed::SetLabels:
      return "set_labels";
    case Deed::MarkPodNotReady:
      return "mark_pod_not_ready";
    case Deed::MarkForDeletion:
      return "mark_for_deletion";
    case Deed::DeletePod:
      return "delete_pod";
    case Deed::CancelEviction:
      return "cancel_eviction";
    case Deed::NodeCameBack:
      return "node_came_back";
    case Deed::UndoneByOthers:
      return "undone_by_others";
    case Deed::ZoneChanged:
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
      history.begin(Deed::MarkUnknown, of_node(mark.node.name), {}, now);
    }
    void operator()(const SetTaints& set) const {
      history.begin(Deed::SetTaints, of_node(set.node.name), change_of(set), now);
    }
    void operator()(const SetLabels& set) const {
      history.begin(Deed::SetLabels, of_node(set.node.name), names_of(set.labels), now);
    }
    void operator()(const MarkPodNotReady& mark) const {
      history.begin(Deed::MarkPodNotReady, of_pod(mark.pod.key()), {}, now);
    }
    void operator()(const EvictPod& evict) const { step(evict.pod, evict.marked); }
    void operator()(const EvictLostPod& evict) const { step(evict.pod, evict.marked); }
    void operator()(const ReadLeases&) const {}
    void operator()(const ReadNode&) const {}
    void step(const PodRef& pod, bool marked) const {
      history.begin(marked ? Deed::DeletePod : Deed::MarkForDeletion, of_pod(pod.key()), {}, now);
    }
  };
  std::visit(Telling{*this, now}, decision);
}

void History::answered(const NodeRef& node, NodePart part, const std::optional<Error>& error) {
  const std::string object = of_node(node.name);
  if (part == NodePart::Status) {
    end({object, Deed::MarkUnknown}, error);
  } else if (!end({object, Deed::SetTaints}, error)) {
    end({object, Deed::SetLabels}, error);
  }
}

void History::answered(Deed deed, const PodRef& pod, const std::optional<Error>& error) {
  end({of_pod(pod.key()), deed}, error);
}

void History::happened(Deed deed, std::string object, std::string detail, Instant now) {
  add({.at = now,
       .deed = deed,
       .outcome = Outcome::Happened,
       .object = std::move(object),
       .detail = shortened(one_line(std::move(detail)), text_max),
       .why = {}});
}

void History::begin(Deed deed, std::string object, std::string detail, Instant now) {
  under_way_[{object, deed}] = forgotten_ + deeds_.size();
  add({.at = now,
       .deed = deed,
       .outcome = Outcome::UnderWay,
       .object = std::move(object),
       .detail = shortened(one_line(std::move(detail)), text_max),
       .why = {}});
}

std::size_t History::bytes_of(const PastDeed& deed) {
  return sizeof(PastDeed) + deed.object.capacity() + deed.detail.capacity() + deed.why.capacity();
}

void History::add(PastDeed deed) {
  deeds_.push_back(std::move(deed));
  bytes_ += bytes_of(deeds_.back());
  while (bytes_ > bytes_max_ && !deeds_.empty()) {
    bytes_ -= bytes_of(deeds_.front());
    deeds_.pop_front();
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
  PastDeed& deed = deeds_[number - forgotten_];
  bytes_ -= bytes_of(deed);
  deed.outcome = error ? Outcome::Refused : Outcome::Taken;
  if (error) {
    const std::string words =
        error->path.empty() ? std::string(name_of(error->fault)) : error->path;
    deed.why = shortened(one_line(words), text_max);
  }
  bytes_ += bytes_of(deed);
  return true;
}

std::vector<const PastDeed*> History::last_of(std::string_view object, std::size_t count) const {
  std::vector<const PastDeed*> found;
  for (auto deed = deeds_.rbegin(); deed != deeds_.rend() && found.size() < count; ++deed) {
    if (object.empty() || deed->object == object) found.push_back(&*deed);
  }
  return found;
}

const PastDeed* History::last_refusal(std::string_view object, Deed kind) const {
  for (auto deed = deeds_.rbegin(); deed != deeds_.rend(); ++deed) {
    const bool is_it = deed->deed == kind && deed->object == object;
    if (is_it && deed->outcome == Outcome::Refused) return &*deed;
  }
  return nullptr;
}

}  // namespace nlc::controller
