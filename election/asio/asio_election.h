#pragma once

#include <functional>
#include <memory>
#include <string>

#include "election/elector.h"
#include "runtime/log.h"
#include "runtime/result.h"

namespace boost::asio {
class io_context;
}

namespace nlc::election {

struct AsioElectionOptions {
  ElectionOptions election;
  std::string kubeconfig;  ///< empty: in a pod its service account, else kubectl's files
  std::string user_agent = "elector";
  Log* log = nullptr;  ///< none: silent
  LeaderStatusBoard* board = nullptr;
};

/// A candidate on an io_context of the caller's, for programs that have one already. Brings its own
/// connections, credentials and clock; callbacks come on the context, one after another, never from
/// within a call to this.
///
/// The context is run by one thread, outlives this, and does not become idle while this lives.
class AsioElection {
 public:
  /// Contends from here on. An error names the option or the credentials that cannot be used.
  static Result<std::unique_ptr<AsioElection>> begin(boost::asio::io_context& context,
                                                     AsioElectionOptions options,
                                                     ElectorEvents events);
  ~AsioElection();

  /// As Elector::stop: what was done under this leadership has to have ended before.
  void stop(Duration timeout, std::function<void()> done);

  bool leading() const;

  /// To be asked in the last moment before a write leaves, from any thread.
  bool may_write() const;

 private:
  struct Parts;
  explicit AsioElection(std::unique_ptr<Parts> parts);

  std::unique_ptr<Parts> parts_;
};

}  // namespace nlc::election
