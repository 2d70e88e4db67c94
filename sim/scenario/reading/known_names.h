#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "sim/scenario/model/scenario.h"

namespace nlc::sim::scenario {

/// What a case can speak of: what is given or applied, and what comes to be by the day's own means,
/// as leases that are renewed and the locks of controllers. Who was there when is not asked. The
/// scenario outlives it.
class KnownNames {
 public:
  explicit KnownNames(const Scenario& scenario);

  /// `key`: NAME, or NAMESPACE/NAME, as the kind has it.
  bool has(const std::string& kind, const std::string& key) const;
  /// A pattern, of names or of keys. Of nodes those count as well that only pods speak of.
  bool has_like(const std::string& kind, const std::string& pattern) const;
  /// A zone's key, made of a region and a zone that nodes have, or will have.
  bool has_zone(const std::string& key) const;
  /// As people ask for one: "eu/a", "-/a", "a".
  bool has_zone_named(const std::string& name) const;
  bool has_taint_key(const std::string& key) const;

  /// Those that the controller knows, and those that the case brings about.
  const std::set<std::string>& condition_types() const { return condition_types_; }
  const std::set<std::string>& label_keys() const { return label_keys_; }

  /// What a patch of that object changes: as it is given, else as it is applied first. Null where
  /// it is neither.
  const nlohmann::json* object(const std::string& kind, const std::string& key) const;
  /// Any of that kind that is given or applied.
  const nlohmann::json* some_object(const std::string& kind) const;

 private:
  struct Kind {
    std::map<std::string, const nlohmann::json*> keys;
    std::set<std::string> names;  ///< without their namespaces
  };

  void add(const std::string& kind, const std::string& space, const std::string& name,
           const nlohmann::json* object = nullptr);
  void add(const nlohmann::json& object);
  void add(const Step& step);
  void add_change(const nlohmann::json& merge);
  void add_words(const nlohmann::json& object);
  void add_spec(const nlohmann::json& spec);
  void add_locks(const Scenario& scenario);

  std::map<std::string, Kind> kinds_;
  std::set<std::string> regions_;
  std::set<std::string> zones_;
  std::set<std::string> taint_keys_;
  std::set<std::string> condition_types_;
  std::set<std::string> label_keys_;
};

/// "name", or "namespace/name".
std::string object_key(const std::string& space, const std::string& name);

}  // namespace nlc::sim::scenario
