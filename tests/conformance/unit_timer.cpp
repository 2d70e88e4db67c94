#include <map>
#include <optional>
#include <sstream>
#include <variant>

#include "controller/pods/taint_eviction.h"
#include "informer/index.h"
#include "informer/store.h"
#include "tests/conformance/unit_answers.h"
#include "tests/conformance/unit_words.h"
#include "tests/controller/stores.h"

namespace nlc::conformance {
namespace {

using Json = nlohmann::json;
using namespace std::chrono_literals;

constexpr Duration later = 1h;

/// What stands in the place of upstream's timer queue: the countdowns of pods on a node with a
/// NoExecute taint, as `TaintEviction` keeps them. Work is added with a pod that tolerates the
/// taint for so long, runs with its eviction, and is cancelled by a toleration without end; an
/// eviction that runs already ends with its pod, and a new pod may have the same name.
class EvictionTimerWorld final : private informer::StoreListener<api::Pod> {
 public:
  EvictionTimerWorld() {
    stores_.pods.set_listener(this);
    stores_.pods.replace({});
    api::Node node{.name = "node", .uid = "uid"};
    node.taints.push_back({.key = "unit", .effect = std::string(api::effect::no_execute)});
    stores_.nodes.replace({node});
    eviction_.node_stored(node, nullptr, at());
  }

  /// The same pod again is the same work.
  void add(const std::string& key, Duration wait) {
    const bool known =
        stores_.pods.slot_of("default/" + key).has_value() && !cancelled_.contains(key);
    if (!known) {
      stores_.pods.remove("default/" + key);
      cancelled_.erase(key);
      ++incarnation_[key];
    }
    api::Pod pod = pod_named(key);
    if (wait > 0s) pod.tolerations.push_back(toleration(wait));
    stores_.pods.apply(std::move(pod));
  }

  /// Whether something was called back.
  bool cancel(const std::string& key) {
    if (running_.contains(key)) {
      stores_.pods.remove("default/" + key);
    } else if (stores_.pods.slot_of("default/" + key).has_value()) {
      api::Pod pod = pod_named(key);
      pod.tolerations.push_back({.operator_ = "Exists"});
      stores_.pods.apply(std::move(pod));
    }
    const bool called_back = !eviction_.take_cancelled().empty();
    if (called_back) cancelled_.insert(key);
    return called_back;
  }

  void advance(Duration span) { now_ += span; }

  /// Performs what is due; what `block` names is begun only.
  void run(const std::optional<std::string>& block = {}) {
    client::Room room = client::Room::unlimited();
    const auto agree = [](const std::string&) { return true; };
    for (const controller::Decision& decision : eviction_.due(now_, room, agree)) {
      const auto& eviction = std::get<controller::EvictPod>(decision);
      ++executions_;
      if (now_ < unit_start + 10s) ++executions_before_10s_;
      if (block == eviction.pod.name) {
        running_.emplace(eviction.pod.name, eviction.pod);
      } else {
        eviction_.evicted(eviction.pod, now_);
      }
    }
  }

  void finish_running() {
    for (const auto& [key, pod] : running_) eviction_.evicted(pod, now_);
    running_.clear();
  }

  Json told() const {
    return {{"executions", executions_}, {"executions_before_10s", executions_before_10s_}};
  }
  bool counts_down() const { return eviction_.pending().waiting() > 0; }

 private:
  void on_stored(informer::Slot slot, const api::Pod& pod, const api::Pod* before) override {
    if (before == nullptr) stores_.pods_by_node.add(pod.node_name, slot);
    eviction_.pod_stored(slot, pod, before, at());
  }
  void on_removed(informer::Slot slot, const api::Pod& pod) override {
    stores_.pods_by_node.remove(pod.node_name, slot);
    eviction_.pod_removed(slot, pod);
  }
  void on_synced() override {}

  controller::Moment at() const {
    return {.now = now_,
            .wall = unit_wall_start + std::chrono::floor<WallTime::duration>(now_ - unit_start)};
  }

  api::Pod pod_named(const std::string& key) {
    return {.namespace_ = "default",
            .name = key,
            .uid = key + "-" + std::to_string(incarnation_[key]),
            .resource_version = std::to_string(++version_),
            .node_name = "node"};
  }

  static api::Toleration toleration(Duration wait) {
    const auto seconds = std::chrono::floor<std::chrono::seconds>(wait);
    if (seconds != wait) throw Unanswerable{"no such component: tolerations are whole seconds"};
    return {.operator_ = "Exists", .seconds = seconds.count()};
  }

  Instant now_ = unit_start;
  int version_ = 0;
  int executions_ = 0;
  int executions_before_10s_ = 0;
  std::map<std::string, int> incarnation_;
  std::set<std::string> cancelled_;
  std::map<std::string, controller::PodRef> running_;
  controller::testing::Stores stores_;
  controller::TaintEviction eviction_{stores_.view(), 1};
};

/// "now", "now+10s (fake clock)".
Duration wait_of(const std::string& fire) {
  const std::string text = without_note(fire);
  if (text.empty() || text == "now") return 0s;
  if (text.starts_with("now+")) return duration_in(text.substr(4));
  throw Unanswerable{"not a moment such as now+10s: " + fire};
}

/// "x", or "1..5" for five of them.
std::vector<std::string> keys_of(const std::string& text) {
  const std::size_t dots = text.find("..");
  if (dots == std::string::npos) return {text};
  std::vector<std::string> keys;
  const int last = static_cast<int>(number_in(text.substr(dots + 2)));
  for (int key = static_cast<int>(number_in(text.substr(0, dots))); key <= last; ++key) {
    keys.push_back(std::to_string(key));
  }
  return keys;
}

Json perform(EvictionTimerWorld& world, const std::string& text, Duration wait) {
  std::istringstream words(text);
  std::string verb;
  std::string object;
  words >> verb >> object;
  if (!object.empty() && object.back() == ',') object.pop_back();
  if (verb == "add" && !object.empty()) {
    const bool blocks = text.find("blocks") != std::string::npos;
    const Duration span = text.find("for later") != std::string::npos ? later : wait;
    for (const std::string& key : keys_of(object)) world.add(key, span);
    world.run(blocks ? std::optional(object) : std::nullopt);
    return nullptr;
  }
  if (verb == "cancel" && !object.empty()) {
    bool called_back = false;
    for (const std::string& key : keys_of(object)) called_back |= world.cancel(key);
    return called_back;
  }
  if (verb == "advance" || verb == "wait") {
    world.advance(duration_in(object));
    world.run();
    return nullptr;
  }
  if (text == "let the first finish") {
    world.finish_running();
    return nullptr;
  }
  throw Unanswerable{"no such component: nothing does \"" + text + "\" to a pod's countdown"};
}

}  // namespace

Json timer_answer(const UnitCase& unit) {
  UnitInput input(unit.input);
  const Duration wait = wait_of(input.text("fire"));
  const std::vector<std::string> operations = input.texts("ops");
  input.finish();
  EvictionTimerWorld world;
  Json returned = Json::array();
  for (const std::string& operation : operations) {
    returned.push_back(perform(world, trimmed(operation), wait));
  }
  Json told = world.told();
  told["returned"] = returned;
  told["entry_k_present"] = world.counts_down();
  return told;
}

}  // namespace nlc::conformance
