#include "controller/pause/policy_watch.h"

#include <utility>

#include "client/resources.h"

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

/// A listener of the store before the first list can be answered.
informer::Store<api::ConfigMap>& told(informer::Store<api::ConfigMap>& store,
                                      informer::StoreListener<api::ConfigMap>& listener) {
  store.set_listener(&listener);
  return store;
}

}  // namespace

PolicyWatch::PolicyWatch(informer::ReflectorEnv env, const Place& place,
                         const informer::WatchOptions& options,
                         informer::StoreListener<api::ConfigMap>& listener)
    : watch_(env_for(std::move(env), place), told(store_, listener), options) {}

PolicyAccess PolicyWatch::access() const {
  const informer::ReflectorState& state = watch_.state();
  return {
      .lists = state.lists, .forbidden = state.fault == Fault::Forbidden, .trouble = state.trouble};
}

/// A right that is missing is not given by a server that answers.
void PolicyWatch::hurry() {
  if (watch_.state().fault != Fault::Forbidden) watch_.hurry();
}

}  // namespace nlc::controller
