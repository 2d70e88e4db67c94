#pragma once

#include <string>

#include "client/endpoint.h"
#include "runtime/time.h"
#include "sim/apiserver/requests/request_info.h"
#include "sim/scenario/model/server_steps.h"

namespace nlc::sim::scenario {

/// One request of the controller, as it reached the server.
struct SentRequest {
  std::string replica;  ///< whose it was
  RequestInfo info;
  std::string verb;             ///< GET LIST WATCH PUT PATCH POST DELETE
  bool stands_for_put = false;  ///< a PATCH of ours that is a PUT of kube-controller-manager
  bool lists = false;           ///< a watch that begins with everything there is
  bool continues = false;       ///< a list that goes on with a token
  bool from_cache = false;      ///< a read that takes any version: resourceVersion=0
  std::string content_type;
  std::string body;
  Instant at;
  int status = 0;  ///< 0 as long as it was not answered

  bool writes() const;
  std::string text() const;  ///< "PATCH nodes/node0/status"
};

SentRequest sent_request(const client::IncomingRequest& request, Instant at);

/// `chosen` is what stands for `deleted_one`.
bool matches(const RequestFilter& filter, const SentRequest& request, const std::string& chosen);

}  // namespace nlc::sim::scenario
