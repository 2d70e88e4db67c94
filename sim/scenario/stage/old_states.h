#pragma once

#include <map>
#include <memory>
#include <vector>

#include "sim/apiserver/api_server.h"
#include "sim/scenario/model/server_steps.h"

namespace nlc::sim::scenario {

/// The cluster as it was at the moments that a case wants to come back to.
class OldStates {
 public:
  OldStates(const Clock& clock, Executor& executor) : clock_(clock), executor_(executor) {}

  void keep(const PastMoment& moment, Storage::Snapshot then);

  /// Null when nothing was kept of that moment.
  const Storage::Snapshot* find(const PastMoment& moment) const;
  /// A server that knows what was then, and never anything newer; null likewise.
  ApiServer* server(const PastMoment& moment);

 private:
  struct Kept {
    Storage::Snapshot then;
    std::unique_ptr<ApiServer> server;  ///< made when it is first asked for
  };

  const Clock& clock_;
  Executor& executor_;
  std::map<PastMoment, Kept> kept_;
  std::vector<std::unique_ptr<ApiServer>> outdated_;  ///< somebody may still be told by them
};

}  // namespace nlc::sim::scenario
