#include "sim/scenario/stage/stage.h"

#include <algorithm>

#include "runtime/words.h"
#include "sim/scenario/model/rule_inputs.h"
#include "sim/scenario/stage/facts.h"

namespace nlc::sim::scenario {
namespace {

constexpr Duration fresh_process_after = std::chrono::seconds(1);

/// Whether a step of the case changes what is written.
bool has_mutation(const Scenario& scenario) {
  return has_step<Admission>(scenario, [](const Admission& admission, const Step&) {
    return admission.action == Admission::Action::Mutate;
  });
}

/// What the controller writes is changed as the case says.
auto admitted_by(Admissions& admissions, const Clock& clock) {
  return [&](const RequestInfo&, const client::IncomingRequest& request,
             const nlohmann::json* before, nlohmann::json& after) {
    if (!admissions.mutates()) return false;
    admissions.mutate(sent_request(request, clock.now()), Admissions::Writer::Controller, before,
                      after);
    return true;
  };
}

}  // namespace

Result<std::unique_ptr<Stage>> Stage::open(const Scenario& scenario, StageOptions options) {
  Result<CaseFlags> flags = flags_of(scenario, options.flags);
  if (!flags) return std::move(flags.error());
  return std::unique_ptr<Stage>(new Stage(scenario, std::move(options), *std::move(flags)));
}

Stage::Stage(const Scenario& scenario, StageOptions options, CaseFlags flags)
    : scenario_(scenario),
      options_(std::move(options)),
      flags_(std::move(flags)),
      time_(scenario.start),
      story_(time_, options_.trace),
      server_(time_, time_, {.seed = options_.seed}),
      replicas_({.time = time_,
                 .interceptor = interceptor_,
                 .story = story_,
                 .flags = flags_,
                 .seed = options_.seed,
                 .keep_log = options_.keep_log}) {
  if (has_mutation(scenario_)) server_.options().admit = admitted_by(admissions_, time_);
  for (const nlohmann::json& object : scenario_.given) external_actors_.put(object);
  for (const Step& step : scenario_.timeline) server_steps_.keep_for(step);
  changes_.emplace(server_.storage(),
                   ChangeLog::Options{
                       .legacy = value_in(flags_.settings, "enable-taint-manager", "") == "false"});
  if (options_.judge) {
    rules_.emplace(server_.storage(), time_, rule_inputs_of(scenario_, flags_.common, origin()));
  }
  for (const Step& step : scenario.timeline) schedule(step);
  if (!has_step<StartController>(scenario))
    timetable_.at(Duration{0}, [this] { replicas_.start(""); });
  interceptor_.on_write([this](std::uint64_t count, const std::string& replica) {
    if (rules_ && replicas_.observes(replica)) rules_->observer_wrote(replica);
    if (count == options_.stop_at_write) replicas_.restart(replica, fresh_process_after);
  });
}

Duration Stage::next() const {
  const std::optional<Instant> due = time_.next_due();
  return due ? *due - origin() : Duration::max();
}

void Stage::run_until(Duration offset) {
  time_.run_for(origin() + offset - time_.now());
  settle();
}

void Stage::show_to(Onlooker& onlooker) {
  onlooker_ = &onlooker;
  interceptor_.on_taken(
      [this](const SentRequest& request) { onlooker_->on_write(request, server_.storage()); });
}

bool Stage::runs(const std::string& controller) const {
  const std::string names = value_in(flags_.settings, "controllers", "*");
  bool all = false;
  for (const std::string_view name : split(names, ',')) {
    if (name == controller) return true;
    if (name == "-" + controller) return false;
    all = all || name == "*";
  }
  return all;
}

// --- the timeline -------------------------------------------------------------------------------

void Stage::schedule(const Step& step) {
  if (is_by_node(step)) {
    return heartbeat_steps_.add(step, static_cast<std::size_t>(&step - scenario_.timeline.data()));
  }
  if (step.every) return repeat(step, step.from);
  timetable_.at(step.from, [this, &step] { begin(step); });
}

void Stage::repeat(const Step& step, Duration offset) {
  if (offset > step.until) return;
  timetable_.at(offset, [this, &step, offset] {
    perform(step);
    repeat(step, offset + *step.every);
  });
}

void Stage::begin(const Step& step) {
  if (step.before_request) {
    interceptor_.interleave(*step.before_request, step.times, [this, &step] {
      const bool late = step.until > step.from && offset() > step.until;
      if (!late) perform(step);
    });
  } else if (step.when) {
    awaited_.push_back(&step);
  } else {
    perform(step);
  }
}

void Stage::perform(const Step& step) {
  story_.tell("step", step.text);
  std::visit(
      [&](const auto& action) {
        if constexpr (requires { server_steps_.take(action, step); }) {
          server_steps_.take(action, step);
        } else if constexpr (requires { replica_steps_.take(action, step); }) {
          replica_steps_.take(action, step);
        } else if constexpr (!std::is_same_v<std::decay_t<decltype(action)>, Remark>) {
          tell_of_heartbeats(step, !server_.is_paused());
          write(step);
        }
      },
      step.action);
}

/// One that came by chance, or did not.
void Stage::send(const HeartbeatSteps::Part& part, const TimedHeartbeat& heartbeat) {
  if (story_.is_heard()) story_.tell("step", part.step.text + (heartbeat.lost ? ", lost" : ""));
  const std::uint64_t before = storage().version();
  if (!heartbeat.lost) write(part.step);
  if (onlooker_ == nullptr) return;
  onlooker_->on_heartbeat({.step = part.number,
                           .node = heartbeat_nodes(part.step).front(),
                           .at = time_.now(),
                           .arrived = storage().version() != before,
                           .last = heartbeat.last});
}

/// Of a step that is performed as a whole, now.
void Stage::tell_of_heartbeats(const Step& step, bool arrived) {
  if (onlooker_ == nullptr) return;
  const HeartbeatSteps::Part* part = heartbeat_steps_.find(step);
  const std::size_t number =
      part ? part->number : static_cast<std::size_t>(&step - scenario_.timeline.data());
  const Duration next = offset() + step.every.value_or(Duration{0}) + chance_of(step).jitter;
  for (const std::string& node : heartbeat_nodes(step)) {
    onlooker_->on_heartbeat({.step = number,
                             .node = node,
                             .at = time_.now(),
                             .arrived = arrived,
                             .last = !step.every || next > step.until});
  }
}

/// What others write while the server answers nobody is written when it answers again, once.
void Stage::write(const Step& step) {
  if (server_.is_paused()) {
    if (std::ranges::find(after_pause_, &step) == after_pause_.end()) after_pause_.push_back(&step);
    return;
  }
  record(ChangeLog::Author::Controller);
  try {
    std::visit(
        [this](const auto& action) {
          if constexpr (std::is_same_v<std::decay_t<decltype(action)>, Delete>) {
            interceptor_.choose(external_actors_.perform(action));
          } else if constexpr (requires { external_actors_.perform(action); }) {
            external_actors_.perform(action);
          }
        },
        step.action);
  } catch (const nlohmann::json::exception& problem) {
    timetable_.cannot(step, std::string("no API server takes such an object: ") + problem.what());
  }
  record(ChangeLog::Author::SomebodyElse);
}

/// A write of somebody else's that took its time.
void Stage::store_later(Duration delay, std::function<void()> store) {
  timetable_.at(offset() + delay, [this, store = std::move(store)] {
    record(ChangeLog::Author::Controller);
    store();
    record(ChangeLog::Author::SomebodyElse);
  });
}

void Stage::write_after_pause() {
  for (const Step* step : std::exchange(after_pause_, {})) {
    tell_of_heartbeats(*step, true);
    write(*step);
  }
}

/// A backup has taken the place of what was there.
void Stage::begin_anew() {
  changes_->begin_anew();
  if (rules_) rules_->begin_anew();
}

void Stage::record(ChangeLog::Author author) {
  changes_->catch_up(author);
  if (rules_) {
    rules_->catch_up(author == ChangeLog::Author::Controller ? rules::Rules::Author::Controller
                                                             : rules::Rules::Author::SomebodyElse);
  }
}

void Stage::tell_of_requests() {
  for (; judged_requests_ < interceptor_.sent().size(); ++judged_requests_) {
    const SentRequest& request = interceptor_.sent()[judged_requests_];
    // One object that is picked from a list by its name is no list of all, and no page is another.
    const std::string picked(request.info.query.get("fieldSelector"));
    const std::string token(request.info.query.get("continue"));
    const bool reads_all = request.verb == "LIST" || request.verb == "WATCH";
    rules_->asked({.replica = request.replica,
                   .identity = reads_all ? "" : replicas_.contends_as(request.replica),
                   .verb = request.verb,
                   .resource = request.info.resource,
                   .what = request.text() + (picked.empty() ? "" : " of " + picked) +
                           (token.empty() ? "" : " from " + token + " on"),
                   .body = request.body,
                   .at = request.at});
  }
}

void Stage::settle() {
  record(ChangeLog::Author::Controller);
  if (rules_ && replicas_.leaders_changed()) rules_->leaders(replicas_.leading_lives());
  if (rules_) {
    tell_of_requests();
    rules_->judge_deadlines();
  }
  for (std::size_t i = 0; i < awaited_.size();) {
    const Step& step = *awaited_[i];
    if (!is_true(*step.when, storage(), *changes_)) {
      ++i;
      continue;
    }
    awaited_.erase(awaited_.begin() + static_cast<std::ptrdiff_t>(i));
    perform(step);
  }
}

}  // namespace nlc::sim::scenario
