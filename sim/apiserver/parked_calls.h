#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "client/endpoint.h"
#include "runtime/executor.h"
#include "sim/apiserver/requests/request_info.h"

namespace nlc::sim {

/// One request on its way through the server.
struct Call {
  std::uint64_t id = 0;
  client::IncomingRequest request;
  RequestInfo info;
  std::unique_ptr<client::Reply> reply;  ///< null: the response is to be lost
  Duration response_delay{0};
  std::string warning;
};

/// Requests that wait, in the order of their arrival. Whose caller leaves is removed.
/// Single-threaded: everything happens on the executor's thread.
class ParkedCalls {
 public:
  using Next = std::function<void(std::unique_ptr<Call>)>;

  explicit ParkedCalls(Executor& executor) : executor_(executor) {}

  /// Goes on with `then` at that time; at `Instant::max()` never.
  void until(Instant time, std::unique_ptr<Call> call, Next then);
  /// The same, but for `reach`, should the server come to that version before.
  void for_version(std::uint64_t version, Instant time, std::unique_ptr<Call> call, Next then);
  /// Until `end_pause`.
  void for_pause(std::unique_ptr<Call> call);

  void reach(std::uint64_t version, const Next& then);
  void end_pause(const Next& then);

  void remove(std::uint64_t id) { waiting_.erase(id); }
  void clear();
  bool empty() const { return waiting_.empty(); }

 private:
  struct Waiting {
    std::unique_ptr<Call> call;
    std::uint64_t version = 0;  ///< 0: for none
    bool for_pause = false;
    Timer timer{};
  };

  void release(const std::function<bool(const Waiting&)>& which, const Next& then);

  Executor& executor_;
  std::map<std::uint64_t, Waiting> waiting_;
};

}  // namespace nlc::sim
