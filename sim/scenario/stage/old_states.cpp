#include "sim/scenario/stage/old_states.h"

#include <utility>

namespace nlc::sim::scenario {

void OldStates::keep(const PastMoment& moment, Storage::Snapshot then) {
  Kept& place = kept_[moment];
  if (place.server) outdated_.push_back(std::move(place.server));
  place = {.then = std::move(then), .server = nullptr};
}

const Storage::Snapshot* OldStates::find(const PastMoment& moment) const {
  const auto found = kept_.find(moment);
  return found == kept_.end() ? nullptr : &found->second.then;
}

ApiServer* OldStates::server(const PastMoment& moment) {
  const auto found = kept_.find(moment);
  if (found == kept_.end()) return nullptr;
  Kept& place = found->second;
  if (!place.server) {
    place.server = std::make_unique<ApiServer>(clock_, executor_, ApiServerOptions{});
    place.server->restore(place.then, place.then.version);
  }
  return place.server.get();
}

}  // namespace nlc::sim::scenario
