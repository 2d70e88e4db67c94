#pragma once

#include <deque>
#include <map>
#include <string>
#include <vector>

#include "client/transport.h"
#include "election/lock/lock_object.h"
#include "runtime/executor.h"
#include "yaml/value.h"

namespace nlc::election::testing {

/// Answers the requests of one lock from a case's script, each from the first entry that is left
/// for its operation. Records of equal content have equal versions.
class ScriptedServer final : public client::Transport {
 public:
  explicit ScriptedServer(Executor& executor) : executor_(executor) {}

  void script(const yaml::Value& replies);
  void add(const std::string& operation, const yaml::Value& reply);

  void send(client::Request request, client::Answer answer) override;
  Subscription watch(client::Request, std::unique_ptr<client::StreamReader>) override { return {}; }

  /// Forgets what was asked so far.
  void take_requests() { requests.clear(); }

  bool paired = false;  ///< operations are called getP, getS, …
  std::vector<std::string> requests;
  std::vector<LockRecord> written;  ///< acknowledged

 private:
  std::string operation_of(const client::Request& request) const;
  Result<client::Response> reply_to(const client::Request& request, const yaml::Value& reply);
  client::Response stored(const client::Request& request);
  std::string object(Carrier carrier, const yaml::Value& record, const yaml::Value& version);

  Executor& executor_;
  std::deque<std::pair<std::string, yaml::Value>> script_;
  std::map<std::string, std::string> versions_;  ///< by content
  int last_version_ = 100;
  std::map<Carrier, std::string> last_written_;
};

Carrier carrier_of(const std::string& target);

}  // namespace nlc::election::testing
