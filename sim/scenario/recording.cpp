#include "sim/scenario/recording.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "controller/live/tracker.h"
#include "controller/why/question.h"
#include "controller/why/render.h"
#include "sim/scenario/viewing.h"

namespace nlc::sim::scenario {
namespace {

namespace live = controller::live;
using About = controller::why::Question::Kind;

constexpr std::size_t frames_max = 3600;
constexpr std::size_t frame_bytes_max = std::size_t{64} << 20;
constexpr std::size_t answer_bytes_max = std::size_t{16} << 20;
/// Of the nodes, and of the pods, so many are asked about in each frame, in turn.
constexpr std::size_t asked_per_frame = 50;

std::int64_t milliseconds_of(WallTime time) {
  return std::chrono::floor<std::chrono::milliseconds>(time.time_since_epoch()).count();
}

Duration between_frames(Duration end) {
  return std::max<Duration>(std::chrono::seconds(1),
                            std::chrono::ceil<std::chrono::seconds>(end / frames_max));
}

WallTime now_of(const Stage& stage) {
  return stage.start() + std::chrono::floor<WallTime::duration>(stage.offset());
}

/// Elements of a JSON array, as text.
struct Elements {
  std::string text;

  void add(const std::string& element) { text += (text.empty() ? "" : ",\n") + element; }
};

class Recorder {
 public:
  void look(const Stage& stage) {
    const Process* teller = stage.replicas().spokesman();
    const std::string identity = teller ? teller->why({}).answerer.identity : "";
    const bool begins = frames_.text.empty() || identity != identity_;
    if (begins) tracker_ = {};
    identity_ = identity;
    const live::Change change =
        teller ? teller->look(tracker_, now_of(stage)) : nobody(now_of(stage));
    if (begins || (teller && tells(change))) take(begins, change);
    if (teller) ask(*teller, change, stage);
  }

  std::size_t size() const { return frames_.text.size(); }
  const std::string& frames() const { return frames_.text; }
  const std::string& answers() const { return answers_.text; }

 private:
  static bool tells(const live::Change& change) {
    return change.replica || change.zones || change.next || change.past || !change.gone.empty() ||
           !change.nodes.empty();
  }

  /// No replica runs, or none leads.
  static live::Change nobody(WallTime now) {
    live::Change change{.at = now};
    change.replica.emplace();
    change.replica->role = "nobody leads";
    return change;
  }

  void take(bool begins, const live::Change& change) {
    if (frames_.text.size() > frame_bytes_max) return;
    frames_.add(std::string(R"({"kind":")") + (begins ? "snapshot" : "change") + R"(","change":)" +
                live::json_of(change) + "}");
  }

  void ask(const Process& teller, const live::Change& change, const Stage& stage) {
    const std::int64_t at = milliseconds_of(now_of(stage));
    const auto zones = change.zones.value_or(std::vector<live::Zone>{});
    for (const auto& zone : zones) ask(teller, {About::Zone, zone.name}, at, true);
    for (const auto& node : change.nodes) ask(teller, {About::Node, node.name}, at, true);
    ask_in_turn(teller, About::Node, next_node_, stage);
    ask_in_turn(teller, About::Pod, next_pod_, stage);
  }

  void ask_in_turn(const Process& teller, About kind, std::string& next, const Stage& stage) {
    const Resource& resource = core_resource(kind == About::Node ? "nodes" : "pods");
    std::size_t count = 0;
    const std::string from = std::exchange(next, "");
    stage.storage().visit(resource, {"", from, 0}, [&](const ObjectRef& object) {
      if (count++ == asked_per_frame) next = object->key;
      if (next.empty()) ask(teller, {kind, object->key}, milliseconds_of(now_of(stage)), false);
      return next.empty();
    });
  }

  /// What is said in the same state as before is worth keeping only where something changed.
  void ask(const Process& teller, const controller::why::Question& question, std::int64_t at,
           bool changed) {
    if (answers_.text.size() > answer_bytes_max) return;
    const controller::why::Answer answer = teller.why(question);
    const std::string about = std::string(name_of(question.kind)) + "/" + question.name;
    const bool same = states_.contains(about) && states_[about] == answer.state;
    if (same && !changed) return;
    states_[about] = answer.state;
    const auto json = nlohmann::ordered_json::parse(controller::why::json_of(answer));
    answers_.add(nlohmann::ordered_json::array({at, about, json}).dump());
  }

  live::Tracker tracker_;
  std::string identity_;
  Elements frames_;
  Elements answers_;
  std::map<std::string, std::string> states_;  ///< as it was last told
  std::string next_node_;                      ///< who is asked about next
  std::string next_pod_;
};

}  // namespace

Result<std::string> record(const Scenario& scenario, const Recording& recording) {
  Recorder recorder;
  const Duration end = end_of(scenario);
  const auto refused = view(scenario, {.flags = recording.flags,
                                       .seed = recording.seed,
                                       .every = between_frames(end),
                                       .look = [&](const Stage& stage) { recorder.look(stage); }});
  if (refused) return Error(*refused);
  if (recorder.size() > frame_bytes_max) {
    return bad_input(scenario.id +
                     ": more happens than a page can hold (64 MiB); a shorter timeline or fewer "
                     "nodes would fit");
  }
  const nlohmann::ordered_json head{
      {"title", recording.title},
      {"outcome", recording.outcome},
      {"detail", recording.detail},
      {"begin", milliseconds_of(scenario.start)},
      {"end", milliseconds_of(scenario.start + std::chrono::ceil<WallTime::duration>(end))}};
  std::string json = head.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  json.pop_back();
  return json + ",\"frames\":[" + recorder.frames() + "],\n\"answers\":[" + recorder.answers() +
         "]}";
}

}  // namespace nlc::sim::scenario
