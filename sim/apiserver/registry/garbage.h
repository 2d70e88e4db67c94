#pragma once

#include <deque>
#include <functional>
#include <map>
#include <string>

#include "runtime/clock.h"
#include "runtime/executor.h"
#include "sim/apiserver/registry/registry.h"
#include "sim/apiserver/registry/storage.h"

namespace nlc::sim {

/// What vanishes by itself: events after their time to live, objects whose last owner is gone, the
/// contents of namespaces that are being deleted, and the finalizers by which the deletion of an
/// owner says what is to become of those it owns. In a real cluster controllers do all but the
/// first.
class Garbage {
 public:
  Garbage(Storage& storage, Registry& registry, const Clock& clock, Executor& executor);

  /// Is told of every change of the storage.
  void changed(const Resource& resource, const HistoryEvent& event);

 private:
  struct Expiry {
    Instant at;
    std::string key;
    std::uint64_t version;  ///< an event that was written again lives on
  };

  void later(Duration delay, std::function<void()> work);
  void expire_events();
  void schedule_expiry();
  void finalize(const Resource& resource, const std::string& key);
  void release_owned_by(const std::string& uid);
  void change(const Resource& resource, const StoredObject& object, const nlohmann::json& patch);
  void collect_owned_by(const std::string& uid, const std::string& node_name);
  void empty_namespace(const std::string& name);
  void finish_namespace(const std::string& name);

  Storage& storage_;
  Registry& registry_;
  const Clock& clock_;
  Executor& executor_;
  std::deque<Expiry> expiries_;
  Timer expiry_timer_;
  std::uint64_t last_id_ = 0;
  std::map<std::uint64_t, Timer> posted_;
};

}  // namespace nlc::sim
