#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <unordered_map>
#include <utility>

#include "sim/apiserver/api_server.h"
#include "sim/scenario/model/object_steps.h"
#include "sim/scenario/stage/admissions.h"

namespace nlc::sim::scenario {

/// Everybody in the cluster but the controller: kubelets, users, other controllers. Their writes
/// take effect at once and are no requests of the controller.
class ExternalActors {
 public:
  struct Env {
    ApiServer& server;
    const Clock& clock;
    Admissions& admissions;
    /// Has a write stored after that time.
    std::function<void(Duration, std::function<void()>)> later;
  };
  explicit ExternalActors(Env env) : env_(std::move(env)) {}

  void perform(const Apply& apply);
  void perform(const MergePatch& patch);
  void perform(const ApplyPatch& patch);
  /// Returns the name of what was deleted.
  std::string perform(const Delete& deletion);
  void perform(const Heartbeat& heartbeat);
  void perform(const RenewLease& renewal);

  /// Puts an object there; one that exists keeps its uid, its age and its deletion.
  void put(nlohmann::json object);

 private:
  /// A write as others see it.
  struct UserWrite {
    const char* verb;
    ObjectName object;
    std::string subresource;
  };

  SentRequest request_of(const UserWrite& write) const;
  void submit(const UserWrite& write, std::function<void()> store,
              Admissions::Delayed delayed = Admissions::Delayed::No);
  void store(const UserWrite& write, nlohmann::json object);
  nlohmann::json find(const ObjectName& object) const;
  bool exists(const ObjectName& object) const;
  void ensure_namespace(const std::string& name);
  void replace(const ObjectName& name, nlohmann::json object);
  void remove(const ObjectName& object, std::optional<long long> grace_seconds);
  void post_heartbeat(const std::string& node, const Heartbeat& heartbeat);
  void post_status(const std::string& node, const Heartbeat& heartbeat, const std::string& now);
  void renew(const std::string& node, const RenewLease& renewal);
  void write_renewal(const ObjectName& name, const RenewLease& renewal, WallTime now);
  bool renewed_in_place(const std::string& key, WallTime renewed);
  bool known_to_be(const std::string& node, const std::string& ready);
  nlohmann::json new_lease(const ObjectName& name) const;
  std::string first_untainted(const std::vector<std::string>& nodes) const;

  const Env env_;
  /// Nodes as they were when they were last found to be as their kubelet says: reading them again
  /// every few seconds would be most of a long run's work.
  std::unordered_map<std::string, std::pair<ObjectRef, std::string>> unchanged_;
};

/// Null for a kind that the server does not have.
const Resource* resource_of_kind(std::string_view kind);
std::string key_of(const ObjectName& object);

/// The object of that kind under its key, with kind and apiVersion; null when there is none.
nlohmann::json object_in(const Storage& storage, std::string_view kind, const std::string& key);

}  // namespace nlc::sim::scenario
