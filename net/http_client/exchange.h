#pragma once

#include <functional>
#include <optional>
#include <string>

#include "client/transport.h"
#include "net/http_client/connection.h"
#include "net/http_client/response_reader.h"
#include "net/http_client/server_link.h"

namespace nlc::net {

/// One kept connection and the request that it carries, one after another.
///
/// The gate is read as the very last step before the first byte of a gated request is written, and
/// the request times out no later than the gate closes. After that byte a gated request is never
/// sent again. A GET that is not gated is, once, when a kept connection turns out to have been
/// closed. A request answered with 401 is repeated once where a fresh token may help; the server
/// has not acted on it, so that is safe on every priority.
class Exchange {
 public:
  using Done = std::function<void(Result<client::Response>)>;

  explicit Exchange(ServerLink& link) : link_(link) {}

  /// `done` is called once, possibly inside this call.
  void perform(client::Request request, Instant deadline, Done done);

  /// The connection is open and carries no request.
  bool is_kept() const { return connection_.has_value(); }

 private:
  void open_fresh();
  void write_request();
  bool is_gated() const { return client::is_gated(request_.priority); }
  bool gate_is_shut();
  void await_answer();
  void drain();
  bool take_piece();
  void answered();
  bool may_heal();
  void lost(Error error);
  void give_up_at(Instant moment);
  void fail(Error error);
  void finish(Result<client::Response> result);

  ServerLink& link_;
  std::optional<Connection> connection_;
  std::optional<ResponseReader> reader_;
  client::Request request_;
  Instant deadline_;
  Done done_;
  std::string authorization_;
  std::string body_;
  Timer timer_;
  Timer more_;
  bool was_kept_ = false;
  bool repeated_ = false;
};

}  // namespace nlc::net
