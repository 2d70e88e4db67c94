#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "sim/apiserver/api_server.h"
#include "sim/scenario/model/object_steps.h"
#include "sim/scenario/stage/admissions.h"

namespace nlc::sim::scenario {

/// Writes of others than the controller: they are no requests of it, and take effect at once unless
/// a webhook, a policy or the storage is in their way.
class OutsideWrites {
 public:
  struct Env {
    ApiServer& server;
    const Clock& clock;
    Admissions& admissions;
    /// Has a write stored after that time.
    std::function<void(Duration, std::function<void()>)> later;
  };
  /// A write as others see it.
  struct Write {
    const char* verb;
    ObjectName object;
    std::string subresource;
  };
  explicit OutsideWrites(Env env) : env_(std::move(env)) {}

  ApiServer& server() const { return env_.server; }
  const Clock& clock() const { return env_.clock; }
  const Admissions& admissions() const { return env_.admissions; }

  /// Calls `store` when nothing is in its way any more: whoever is refused does not try again.
  void submit(const Write& write, std::function<void()> store,
              Admissions::Delayed delayed = Admissions::Delayed::No);
  /// As webhooks make it.
  void store(const Write& write, nlohmann::json object);
  /// The same of a whole object; one that exists keeps its uid, its age and its deletion.
  void replace(const ObjectName& name, nlohmann::json object);

  /// Null when there is none.
  nlohmann::json find(const ObjectName& object) const;
  bool exists(const ObjectName& object) const;

 private:
  SentRequest request_of(const Write& write) const;
  void ensure_namespace(const std::string& name);

  const Env env_;
};

std::string key_of(const ObjectName& object);

/// The object of that kind under its key, with kind and apiVersion; null when there is none.
nlohmann::json object_in(const Storage& storage, std::string_view kind, const std::string& key);

}  // namespace nlc::sim::scenario
