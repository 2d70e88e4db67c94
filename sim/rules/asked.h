#pragma once

#include <string>
#include <string_view>

#include "runtime/time.h"

namespace nlc::sim::rules {

/// A request of a replica, when it has come to the server's end of the network: whatever becomes of
/// it there, a moment ago it was sent.
struct Asked {
  std::string replica;
  /// The name of its process in the election; empty: it contends for no lock that is judged.
  std::string identity = {};
  std::string verb;  ///< GET LIST WATCH PUT PATCH POST DELETE
  std::string resource;
  std::string what;  ///< verb and object: "PATCH nodes/node0/status"
  std::string_view body = {};
  Instant at;

  bool writes() const { return verb != "GET" && verb != "LIST" && verb != "WATCH"; }
  /// To what a leader alone may change.
  bool writes_to_nodes_or_pods() const {
    return writes() && (resource == "nodes" || resource == "pods");
  }
};

}  // namespace nlc::sim::rules
