#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "controller/rules/decision.h"
#include "runtime/result.h"

namespace nlc::controller {

/// What was done about a node, a pod or a zone, or happened to it.
enum class Action : std::uint8_t {
  MarkUnknown,
  SetTaints,
  SetLabels,
  MarkPodNotReady,
  MarkForDeletion,  ///< the condition that says why a pod goes
  DeletePod,
  CancelEviction,
  NodeCameBack,
  UndoneByOthers,
  ZoneChanged
};

/// What became of it: `UnderWay` until the answer comes, `Happened` where there is none to wait
/// for.
enum class Outcome : std::uint8_t { UnderWay, Taken, Refused, Happened };

/// "mark_unknown", "set_taints", …; "taken", "refused", ….
std::string_view name_of(Action action);
std::string_view name_of(Outcome outcome);

/// One of these, as it is remembered.
struct PastAction {
  Instant at;
  Action action = Action::MarkUnknown;
  Outcome outcome = Outcome::UnderWay;
  std::string object;  ///< its kind and name: "node/n", "pod/ns/p", "zone/KEY"
  std::string detail;  ///< what exactly; may be empty
  std::string why;     ///< of a refusal: the server's words
};

/// The last decisions with what became of them, for people who ask why. It decides nothing, and
/// nobody who decides reads it. Nothing is added to it for a heartbeat.
///
/// Bounded: beyond `bytes_max` the oldest are forgotten, and long texts are cut. On one thread.
class History {
 public:
  static constexpr std::size_t bytes_max_default = 2 * 1024 * 1024;

  explicit History(std::size_t bytes_max = bytes_max_default) : bytes_max_(bytes_max) {}

  /// A decision is about to be performed. Reads change nothing and are not remembered.
  void decided(const Decision& decision, Instant now);

  // The answer to one that was; `error` is null where it was taken.

  void answered(const NodeRef& node, NodePart part, const std::optional<Error>& error);
  void answered(Action action, const PodRef& pod, const std::optional<Error>& error);

  /// Something that nobody answers.
  void happened(Action action, std::string object, std::string_view detail, Instant now);

  /// The last that were remembered of an object, the newest first; of everything where its name is
  /// empty. Good until the next call of another function.
  std::vector<const PastAction*> last_of(std::string_view object, std::size_t count) const;
  /// The last refusal of such an action; null where none is remembered.
  const PastAction* last_refusal(std::string_view object, Action action) const;

  /// What is remembered takes so many bytes at most.
  std::size_t bytes() const { return bytes_; }
  std::size_t size() const { return actions_.size(); }

  static std::string of_node(std::string_view name) { return "node/" + std::string(name); }
  static std::string of_pod(std::string_view key) { return "pod/" + std::string(key); }
  static std::string of_zone(std::string_view key) { return "zone/" + std::string(key); }

 private:
  using Pending = std::pair<std::string, Action>;

  void begin(Action action, std::string object, std::string_view detail, Instant now);
  void add(Action action, Outcome outcome, std::string object, std::string_view detail,
           Instant now);
  bool end(const Pending& pending, const std::optional<Error>& error);
  static std::size_t bytes_of(const PastAction& action);

  const std::size_t bytes_max_;
  std::deque<PastAction> actions_;
  std::uint64_t forgotten_ = 0;                 ///< how many came before the first of these
  std::map<Pending, std::uint64_t> under_way_;  ///< as many as there are writes on their way
  std::size_t bytes_ = 0;
};

}  // namespace nlc::controller
