#include "controller/loop/server_checks.h"

#include <utility>

#include "client/refusal.h"
#include "client/verbs.h"

namespace nlc::controller {
namespace {

/// Among so many leases one moves within a moment, if there is any life at all.
constexpr int sample = 100;
constexpr Duration question_timeout = std::chrono::seconds(5);

bool is_due(std::optional<Instant> when, Instant now) { return when && *when <= now; }

}  // namespace

ServerChecks::ServerChecks(Env env, const std::optional<WriteProbe::Place>& probe,
                           std::function<void()> then)
    : env_(env), then_(std::move(then)) {
  if (probe) write_probe_.emplace(WriteProbe::Env{env.transport, env.clock}, *probe);
}

void ServerChecks::perform(Instant now) {
  if (is_due(env_.server.next_probe(now), now)) probe();
  if (is_due(env_.server.next_question(now), now)) question(now);
}

/// Where nothing else proves that the server takes writes, a write of our own does, once it is
/// taken. An answered read proves nothing of the kind.
void ServerChecks::probe() {
  env_.server.probe_sent();
  write_probe_->begin([this](const Result<WriteProbe::Written>& written) {
    env_.server.probe_answered(written, env_.clock.now());
    then_();
  });
}

/// A watch of leases that says nothing is held against a read of some of them, which also tells
/// where the server stands.
void ServerChecks::question(Instant now) {
  env_.server.question_sent(now);
  client::Request request{
      .target = client::page_target(client::node_leases_path, {.limit = sample}),
      .timeout = question_timeout};
  env_.transport.send(request, callbacks_.guard([this, request](Result<client::Response> answer) {
    const Instant answered = env_.clock.now();
    const Result<client::Response> response = client::accepted(request, std::move(answer));
    const Result<LeasePage> page =
        response ? api::Decoder<api::NodeLease>().list(response->body) : response.error();
    env_.server.question_answered(page, answered);
    if (page) env_.decisions.machines().nodes.leases_shown(page->items, answered);
    then_();
  }));
}

}  // namespace nlc::controller
