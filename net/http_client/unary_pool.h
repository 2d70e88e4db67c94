#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <utility>

#include "client/transport.h"
#include "net/http_client/exchange.h"
#include "net/http_client/server_link.h"

namespace nlc::net {

/// Kept connections, and the requests that wait for one: by priority, then in the order in which
/// they came. Waiting counts into a request's time. I/O thread only.
class UnaryPool {
 public:
  UnaryPool(ServerLink& link, std::size_t connections_max);

  /// `answer` is called once, possibly inside this call.
  void submit(client::Request request, Instant deadline, client::Answer answer);

 private:
  struct Waiting {
    client::Request request;
    Instant deadline;
    client::Answer answer;
    Timer timer;
  };
  struct Slot {
    explicit Slot(ServerLink& link) : exchange(link) {}
    Exchange exchange;
    Timer idle_timer;
  };
  using Order = std::pair<client::RequestPriority, std::uint64_t>;
  using Slots = std::list<Slot>;

  void give_up(Order order);
  void start_next();
  void occupy(Waiting waiting);
  void release(Slots::iterator slot);

  ServerLink& link_;
  const std::size_t connections_max_;
  std::uint64_t next_number_ = 0;
  std::map<Order, Waiting> waiting_;
  Slots busy_;
  Slots idle_;  // latest first: the others may then grow old enough to be closed
};

}  // namespace nlc::net
