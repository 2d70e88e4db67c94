#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "client/endpoint.h"
#include "runtime/callback_scope.h"
#include "runtime/clock.h"
#include "runtime/executor.h"
#include "sim/apiserver/faults.h"
#include "sim/apiserver/parked_calls.h"
#include "sim/apiserver/registry/garbage.h"
#include "sim/apiserver/registry/registry.h"
#include "sim/apiserver/registry/storage.h"
#include "sim/apiserver/verbs.h"
#include "sim/apiserver/watch_hub.h"

/// An API server that tells the truth about what a controller depends on: storage and concurrency,
/// reads, watches and writes as kube-apiserver 1.37 answers them (spec/api-server.md; recorded
/// answers).
///
/// Pure: it opens no socket, starts no thread and reads no machine clock, so the same code runs in
/// virtual time and behind a port. What it does not do: run admission webhooks, validate kinds
/// beyond what matters here, or keep managedFields.
namespace nlc::sim {

/// One request that was served, for those who count or wait for them.
struct ServedRequest {
  RequestInfo info;
  std::string user_agent;
  std::string body;
  int status = 0;  ///< 200 for a watch that was opened; 0 when the connection was broken instead
  Instant at;      ///< when it was answered
};

struct ApiServerOptions {
  std::uint64_t seed = 1;
  HistoryLimits history;

  /// Bearer token → user. Without it everybody is admin; with it, unknown or missing tokens get
  /// 401.
  std::optional<std::map<std::string, std::string>> users;
  /// Whether `user` may do this. Unset: everything is allowed.
  std::function<bool(const std::string& user, const RequestInfo&)> allows;

  std::function<void(const ServedRequest&)> observe;
  /// A mutating webhook: sees what an object is about to become, and may change it. `before` is
  /// null when the object is new. True when it may have.
  std::function<bool(const RequestInfo&, const client::IncomingRequest&,
                     const nlohmann::json* before, nlohmann::json& after)>
      admit;
  /// Sees every request before it is served; an answer given here is sent instead.
  std::function<std::optional<client::Response>(const RequestInfo&, const client::IncomingRequest&)>
      intercept;
};

/// Single-threaded: everything happens on the executor's thread.
class ApiServer final : public client::Endpoint {
 public:
  ApiServer(const Clock& clock, Executor& executor, ApiServerOptions options);
  ~ApiServer() override;

  Subscription serve(client::IncomingRequest request,
                     std::unique_ptr<client::Reply> reply) override;

  /// Puts an object (with kind and apiVersion) into the store as it stands.
  ObjectRef load(nlohmann::json object);
  /// Replaces one piece of an object's text, as `Storage::amend` does.
  ObjectRef amend(const Resource& resource, std::string_view key, std::string_view piece,
                  std::string_view other) {
    return storage_.amend(resource, key, piece, other);
  }
  const Storage& storage() const { return storage_; }
  std::size_t watch_count() const { return hub_.count(); }
  ApiServerOptions& options() { return options_; }

  // Deliberate faults.
  FaultRules& faults() { return faults_; }
  WatchHub& watches() { return hub_; }
  /// Accepts and answers nothing and is silent on its streams for that long; then goes on where it
  /// was. Of several pauses at once the last to end counts.
  void pause_for(Duration span);
  bool is_paused() const { return pause_timer_.has_value(); }
  /// Forgets the history now, as a restart does.
  void compact_history() { storage_.compact(); }
  /// Remembers no more than so many events of each resource until it is said otherwise; nothing:
  /// as many as its options have it.
  void shorten_history(std::optional<std::size_t> events) { storage_.shorten_history(events); }
  /// Pages have no more than so many objects, whatever limit is asked for; 0: as many as that.
  void limit_pages(std::size_t objects) { verbs_.limit_pages(objects); }
  /// Every stream and every request that waits breaks off, as when the server ends.
  void cut_connections();
  /// What `etcdctl snapshot restore` and a restart of kube-apiserver leave: the objects of then
  /// with their uids and versions, no history and no connection. The counter of versions goes on
  /// from `version`: that of then or, with `--bump-revision`, a much higher one.
  Storage::Snapshot backup() const { return storage_.snapshot(); }
  void restore(const Storage::Snapshot& then, std::uint64_t version);

 private:
  void receive(std::unique_ptr<Call> call);
  void perform(std::unique_ptr<Call> call, const FaultRule& rule);
  void serve_now(std::unique_ptr<Call> call);

  std::optional<StatusError> refused(const Call& call) const;
  bool waits_for_version(std::unique_ptr<Call>& call);
  void give_up_waiting(Call& call, std::uint64_t version);
  void open_watch(Call& call);
  void send(Call& call, client::Response response);
  void tell(const Call& call, int status) const;
  void changed(const Resource& resource, const HistoryEvent& event);

  const Clock& clock_;
  Executor& executor_;
  ApiServerOptions options_;
  Storage storage_;
  Registry registry_;
  Verbs verbs_;
  WatchHub hub_;
  Garbage garbage_;
  FaultRules faults_;
  ParkedCalls parked_;
  std::uint64_t last_id_ = 0;
  bool wake_posted_ = false;
  std::optional<Timer> pause_timer_;
  Instant paused_until_ = Instant::min();
  Call* being_answered_ = nullptr;
  CallbackScope callbacks_;  ///< subscriptions may end after the server
};

}  // namespace nlc::sim
