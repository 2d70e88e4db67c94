#include "controller/pause/policy_watch.h"

#include <utility>

#include "api/version.h"
#include "client/resources.h"
#include "client/verbs.h"

namespace nlc::controller {
namespace {

informer::ReflectorEnv env_for(informer::ReflectorEnv env, const PolicyWatch::Place& place) {
  env.seed += 9;
  env.resource = "configmaps";
  env.collection = client::config_maps_path(place.namespace_);
  env.field_selector = "metadata.name=" + place.name;
  env.batching = Duration{0};  // a pause is not to wait
  return env;
}

/// What was read, if it is the one that was asked for, in a version that can be told from others:
/// a server, or what stands before it, may answer with anything.
Result<api::ConfigMap> believed(const Result<api::ConfigMap>& found,
                                const PolicyWatch::Place& place) {
  if (!found) return found;
  if (found->key() != place.key()) {
    return Error{Fault::Malformed, "a quorum read was answered with another ConfigMap"};
  }
  if (!api::is_comparable_version(found->resource_version)) {
    return Error{Fault::Malformed,
                 "a quorum read was answered with a ConfigMap whose resourceVersion is no number"};
  }
  return found;
}

}  // namespace

void PolicyWatch::start(informer::ReflectorEnv env, const informer::WatchOptions& options) {
  env_.emplace(std::move(env));
  store_.set_listener(this);
  watch_ = std::make_unique<informer::Reflector<api::ConfigMap>>(env_for(*env_, place_), store_,
                                                                 options);
}

void PolicyWatch::on_stored(Slot, const api::ConfigMap& config, const api::ConfigMap*) {
  in_force_.stored(config);
  changed_();
}

void PolicyWatch::on_removed(Slot, const api::ConfigMap&) {
  in_force_.removed();
  changed_();
}

void PolicyWatch::runs(Instant now) {
  if (standstill_.ends(now)) in_force_.stood_still(now);
}

void PolicyWatch::look_if_due() {
  const Instant now = env_->clock.now();
  if (!in_force_.look_due(now)) return;
  in_force_.look_begun(now);
  client::get_config_map(env_->transport, place_.namespace_, place_.name,
                         callbacks_.guard([this](const Result<api::ConfigMap>& found) {
                           const bool behind =
                               in_force_.look_answered(believed(found, place_), env_->clock.now());
                           if (behind) list_anew();
                           changed_();
                         }));
}

/// A list that is being read must come to its end, however long that takes and however often a read
/// contradicts what was seen meanwhile.
void PolicyWatch::list_anew() {
  watch_->version().empty() ? hurry() : watch_->list_anew("stalled");
}

PolicyAccess PolicyWatch::access() const {
  const informer::ReflectorState& state = watch_->state();
  return {.lists = state.lists,
          .rewinds = watch_->rewinds(),
          .forbidden = state.fault == Fault::Forbidden,
          .trouble = state.trouble};
}

/// A right that is missing is not given by a server that answers.
void PolicyWatch::hurry() {
  if (watch_->state().fault != Fault::Forbidden) watch_->hurry();
}

}  // namespace nlc::controller
