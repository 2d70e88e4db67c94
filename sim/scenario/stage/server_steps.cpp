#include "sim/scenario/stage/server_steps.h"

#include <utility>

#include "sim/scenario/stage/outside_writes.h"

namespace nlc::sim::scenario {
namespace {

/// `etcdutl snapshot restore --bump-revision`, as etcd's documentation advises.
constexpr std::uint64_t revision_bump = 1'000'000'000;

/// Longer than any case plays.
constexpr Duration for_ever = std::chrono::hours(24 * 365);

}  // namespace

ServerSteps::ServerSteps(Env env) : env_(std::move(env)), old_states_(env_.time, env_.time) {}

void ServerSteps::keep_for(const Step& step) {
  const auto keep = [this](const PastMoment& moment) {
    if (!moment.at) return;
    env_.timetable.at(*moment.at,
                      [this, moment] { old_states_.keep(moment, env_.server.backup()); });
  };
  if (const auto* reads = step.as<StaleReads>()) keep(reads->as_of);
  if (const auto* replay = step.as<Replay>()) keep(replay->as_of);
}

void ServerSteps::take(const FailApi& failure, const Step& step) {
  env_.interceptor.fail(failure, env_.timetable.end_of(step));
}

/// Reads that take any version come from the same cache as watches.
void ServerSteps::take(const HoldCache& hold, const Step& step) {
  env_.interceptor.holds().hold(hold.resource, hold.key);
  const PastMoment now{.at = env_.timetable.offset()};
  old_states_.keep(now, env_.server.backup());
  StaleReads reads{.requests = {.resources = {hold.resource}, .from_cache = true}};
  if (!hold.key.empty()) reads.requests.names = {hold.key};
  env_.interceptor.answer_from(*old_states_.server(now), reads, env_.timetable.end_of(step));
  env_.timetable.at_end_of(step, [this, hold] {
    env_.interceptor.holds().release(hold.resource, hold.key);
    env_.timetable.story().tell("step", "watches of " + hold.resource + " go on");
  });
}

void ServerSteps::take(const PauseApi&, const Step& step) {
  env_.server.pause_for(Timetable::has_end(step) ? step.until - env_.timetable.offset() : for_ever);
  env_.timetable.at_end_of(step, [this] {
    env_.timetable.story().tell("step", "the API server answers again");
    env_.answers_again();
  });
}

void ServerSteps::take(const Backup&, const Step&) { old_states_.keep({}, env_.server.backup()); }

void ServerSteps::take(const Restore& restore, const Step& step) {
  if (old_states_.find({}) == nullptr) return env_.timetable.cannot(step, "there is no backup");
  if (restore.down > Duration{0}) be_gone_until(env_.time.now() + restore.down);
  // Not here: the server may be in the middle of a request.
  env_.timetable.at(env_.timetable.offset() + restore.down,
                    [this, bump = restore.bump_revision] { bring_back(bump); });
}

/// Connections are refused, and what anybody writes is lost.
void ServerSteps::be_gone_until(Instant back) {
  env_.interceptor.be_gone_until(back);
  env_.admissions.add({.of_anybody = true}, back);
  env_.timetable.at(env_.timetable.offset(), [this] {
    env_.interceptor.break_connections();
    env_.server.cut_connections();
  });
}

void ServerSteps::bring_back(bool bump_revision) {
  const Storage::Snapshot& then = *old_states_.find({});
  env_.timetable.story().tell("step", "the backup is back");
  env_.restoring();
  env_.interceptor.break_connections();
  env_.server.restore(then, then.version + (bump_revision ? revision_bump : 0));
  env_.restored();
}

void ServerSteps::take(const Admission& admission, const Step& step) {
  env_.admissions.add(admission, env_.timetable.end_of(step));
}

void ServerSteps::take(const StaleReads& reads, const Step& step) {
  ApiServer* past = old_states_.server(reads.as_of);
  if (past == nullptr) return env_.timetable.cannot(step, "there is no backup");
  env_.interceptor.answer_from(*past, reads, env_.timetable.end_of(step));
  env_.timetable.at_end_of(step, [past] { past->cut_connections(); });
}

void ServerSteps::take(const ServerClockOff& off, const Step& step) {
  const auto set = [this](Duration ahead) { env_.interceptor.set_date_off(ahead); };
  env_.timetable.keep("server's clock", step, set, off.offset, Duration{0});
}

void ServerSteps::take(const EndWatches& end, const Step&) {
  const auto ending = end.how == EndWatches::How::Closed ? WatchHub::Ending::Orderly
                      : end.how == EndWatches::How::Cut  ? WatchHub::Ending::Cut
                                                         : WatchHub::Ending::Expired;
  env_.server.watches().end_all(ending, end.resource);
}

void ServerSteps::take(const ShortHistory& history, const Step& step) {
  using Events = std::optional<std::size_t>;
  const auto set = [this](Events events) { env_.server.shorten_history(events); };
  env_.timetable.keep("history", step, set, Events(history.events), Events());
}

void ServerSteps::take(const SmallPages& pages, const Step& step) {
  const auto set = [this](std::size_t objects) { env_.server.limit_pages(objects); };
  env_.timetable.keep("pages", step, set, pages.objects, std::size_t{0});
}

void ServerSteps::take(const SpeakProtobuf&, const Step& step) {
  const auto set = [this](bool speaks) { env_.interceptor.speak_protobuf(speaks); };
  env_.timetable.keep("protobuf", step, set, true, false);
}

void ServerSteps::take(const Replay& replay, const Step& step) {
  const Storage::Snapshot* then = old_states_.find(replay.as_of);
  if (then == nullptr) return env_.timetable.cannot(step, "there is no backup");
  const Resource* resource = resource_of_kind(replay.object.kind);
  const auto& objects = then->objects[resource->id];
  const auto found = objects.find(key_of(replay.object));
  if (found == objects.end()) return env_.timetable.cannot(step, "there was no such object then");
  env_.server.watches().tell_again(*resource, found->second, replay.as_new);
}

}  // namespace nlc::sim::scenario
