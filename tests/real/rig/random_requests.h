#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "runtime/random.h"

namespace nlc::real {

/// A value that is put at its place in an object; null takes away what stands there.
struct Edit {
  nlohmann::json::json_pointer at;
  nlohmann::json value;
};

/// A request to any server. In `target`, `body` and `edit` %RV%, %OLD% and %UID% stand for the
/// version that the object has there, one that it had, and its uid.
struct RandomRequest {
  std::string method;
  std::string target;
  std::string content_type;
  nlohmann::json body;       ///< null: none
  std::optional<Edit> edit;  ///< of a PUT: what it changes of the object as the server last told it
  std::string object;        ///< its path; that of a list where it means no single object
};

/// Writes and reads of the kinds that a node-lifecycle controller knows, drawn from
/// random_requests.json: good values, odd ones and wrong ones at any place, of objects that are
/// there, are not, or are on their way out.
class RandomRequests {
 public:
  RandomRequests(std::uint64_t seed, std::string namespace_name);

  /// About an object that `usable` agrees to.
  RandomRequest next(const std::function<bool(const std::string& object)>& usable);

 private:
  const nlohmann::json& one_of(const nlohmann::json& values);
  Edit an_edit();
  nlohmann::json a_patch(const Edit& edit, std::string& content_type);
  std::string filled(std::string text) const;

  nlohmann::json vocabulary_;
  Random random_;
  std::string namespace_name_;
  std::string kind_;  ///< of the request that is being drawn, as its plural
};

}  // namespace nlc::real
