#pragma once

#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "client/transport.h"
#include "random_requests.h"

namespace nlc::real {

/// What a server said, in words that another one in the same state would use as well.
struct Told {
  int status = 0;
  nlohmann::json body;

  bool is_refusal() const { return status >= 400; }
};

/// One of two servers that are asked the same. Versions, uids and present times, which each has of
/// its own, are told by when they were first heard: two servers that do the same tell the same.
class ComparedServer {
 public:
  using Carrier = std::function<client::Response(const client::Request& request)>;

  explicit ComparedServer(Carrier carrier) : carrier_(std::move(carrier)) {}

  Told ask(const RandomRequest& request);

  /// The version of the list at `path`, from which its events may be read later.
  std::string version_of(const std::string& path);

  /// What happened at `path` after `version`, by object: each event's type and what it was about.
  std::map<std::string, nlohmann::json> events_of(const std::string& path,
                                                  const std::string& version);

 private:
  struct Known {
    nlohmann::json object = nlohmann::json::object();
    std::string first_version;
  };

  nlohmann::json filled(nlohmann::json value, const Known& known) const;
  void remember(const RandomRequest& request, const client::Response& response);
  nlohmann::json in_common_words(nlohmann::json value);
  std::string symbol(const std::string& object, const std::string& field, const std::string& value);

  Carrier carrier_;
  std::map<std::string, Known> known_;          ///< by path
  std::map<std::string, std::string> symbols_;  ///< by object, field and value
  std::map<std::string, int> symbol_count_;     ///< by object and field
};

}  // namespace nlc::real
