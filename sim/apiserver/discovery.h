#pragma once

#include "client/endpoint.h"
#include "sim/apiserver/requests/request_info.h"

namespace nlc::sim {

/// The answers of every address that is no resource of ours: discovery (plain and aggregated),
/// version, health, OpenAPI as far as kubectl asks for it (spec/api-server.md "What kubectl asks"),
/// access reviews; else the real server's 404s.
client::Response discovery_answer(const RequestInfo& info, const client::IncomingRequest& request);

}  // namespace nlc::sim
