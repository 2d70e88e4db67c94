#pragma once

#include <map>
#include <memory>
#include <string>

#include "client/endpoint.h"
#include "client/transport.h"
#include "client/verbs.h"
#include "program/access_machine.h"
#include "runtime/callback_scope.h"
#include "runtime/clock.h"
#include "runtime/executor.h"
#include "runtime/log.h"

namespace nlc::program {

/// The pages of the secure port: those of `pages`, for callers whom the API server lets read them.
/// Who shows no token that it accepts gets 401, who may not 403, and 503 whoever could not be
/// checked, each with one line that says so.
///
/// `/healthz`, `/livez` and `/readyz` are everybody's, without a look at any token: a kubelet has
/// none to show, and whether the controller is stuck must be told while it is. So two threads take
/// part. `serve`, the decisions, what is kept of answers and the pages are the port's: nothing of
/// these waits for the controller. Only a review that is needed is posted to the controller's
/// thread, for the transport lives there, and its answer back; there it costs the sending of a
/// small request, four at a time and twenty a second, of the last priority. Is that thread
/// stuck or the API server away, then callers whose answer is not kept get their 503 when their
/// time-out ends, and the health pages go on.
///
/// To be destroyed while neither of the two runs anything of it.
class GuardedPages final : public client::Endpoint {
 public:
  struct Env {
    client::Transport& transport;  ///< of the controller's thread
    Executor& controller;
    Executor& port;
    const Clock& clock;
    Log& log;
  };
  GuardedPages(Env env, client::Endpoint& pages)
      : env_(env), pages_(pages), machine_(env.clock.now()) {}

  Subscription serve(client::IncomingRequest request,
                     std::unique_ptr<client::Reply> reply) override;

 private:
  using CallerId = AccessMachine::CallerId;
  struct Caller {
    client::IncomingRequest request;
    std::unique_ptr<client::Reply> reply;
    Subscription served;
  };

  void perform(const AccessMachine::Outputs& outputs);
  void send(const AccessMachine::Ask& ask);
  template <typename T, typename Learn>
  client::Done<T> heard_on_port(Learn learn);
  void tell(const AccessMachine::Tell& told);
  void note(const std::string& trouble);

  const Env env_;
  client::Endpoint& pages_;
  AccessMachine machine_;
  std::map<CallerId, Caller> callers_;
  CallerId last_caller_ = 0;
  std::string trouble_;  ///< with reviews, as it was logged last
  Timer wake_;
  CallbackScope callbacks_;
};

}  // namespace nlc::program
