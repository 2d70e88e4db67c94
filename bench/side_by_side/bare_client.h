#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "api/objects.h"
#include "client/limits/gate.h"
#include "net/http_client/socket_transport.h"
#include "net/loop/asio_loop.h"
#include "net/loop/system_clock.h"
#include "runtime/log.h"
#include "runtime/result.h"

namespace nlc::bench {

/// What the server itself allows: our transport with nothing before it, neither a rate nor a
/// controller that has to see and decide first. Throws when the server does not
/// answer, or refuses.
class BareClient {
 public:
  explicit BareClient(const std::filesystem::path& kubeconfig);

  std::vector<api::Pod> pods_on(const std::set<std::string>& nodes);

  /// The shortest time in which all of them were turned NotReady, by how many requests at once.
  struct Limit {
    Duration took{0};
    std::size_t in_flight = 0;
  };
  /// Turns them NotReady several times, with more requests in flight each time, until the server
  /// takes no more. It throws only if it refused the fewest.
  Limit fastest_not_ready(const std::vector<api::Pod>& pods);

 private:
  /// How long it took. The first refusal ends it, a request to wait (429) as any other.
  Result<Duration> turn_not_ready(const std::vector<api::Pod>& pods, std::size_t in_flight,
                                  WallTime told);

  net::SystemClock clock_;
  net::AsioLoop loop_{clock_};
  SilentLog log_;
  client::Gate gate_;
  std::optional<net::SocketTransport> transport_;
};

}  // namespace nlc::bench
