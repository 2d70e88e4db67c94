#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "client/endpoint.h"

/// The answers recorded from a real kube-apiserver: what was asked, and how an answer of ours is
/// compared.
namespace nlc::sim {

struct Recorded {
  client::IncomingRequest request;
  int status = 0;
  std::string content_type;
  std::string body;  ///< of the answer
};

/// The recording of that name, with the request that led to it.
Recorded recorded_answer(const std::string& file);

/// The names of all recordings.
std::vector<std::string> recorded_files();

/// Where the two differ, as paths. What no two servers have alike is set aside: uids, versions,
/// moments (that one stands there must agree), managedFields, the letters of continue tokens.
std::vector<std::string> differences(const nlohmann::json& recorded, const nlohmann::json& ours);

}  // namespace nlc::sim
