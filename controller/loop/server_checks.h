#pragma once

#include <functional>
#include <optional>

#include "client/transport.h"
#include "controller/decisions/decisions.h"
#include "controller/server/api_server_health.h"
#include "controller/server/write_probe.h"
#include "runtime/callback_scope.h"
#include "runtime/clock.h"

namespace nlc::controller {

/// Performs what is asked of the API server to know how far it can be believed: the probe, and the
/// question that the watch of leases is held against.
///
/// On the executor's thread.
class ServerChecks {
 public:
  struct Env {
    client::Transport& transport;
    const Clock& clock;
    ApiServerHealth& server;
    Decisions& decisions;
  };
  /// Without a place nothing is written. `then` is called after each answer.
  ServerChecks(Env env, const std::optional<WriteProbe::Place>& probe, std::function<void()> then);

  void perform(Instant now);

 private:
  void probe();
  void question(Instant now);

  const Env env_;
  const std::function<void()> then_;
  std::optional<WriteProbe> write_probe_;
  CallbackScope callbacks_;
};

}  // namespace nlc::controller
