#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/apiserver/registry/storage.h"
#include "sim/apiserver/types/status_error.h"

/// Label and field selectors of lists and watches, with the real server's refusals.
namespace nlc::sim {

/// A stored object that is parsed only if somebody asks for more than its index tells, and then
/// only once for all who ask.
class ObjectView {
 public:
  ObjectView(const Storage& storage, ObjectRef object)
      : storage_(storage), object_(std::move(object)) {}

  const StoredObject& stored() const { return *object_; }
  const ObjectRef& ref() const { return object_; }
  const nlohmann::json& json() const;
  std::string_view node() const { return storage_.node_name(object_->node); }

 private:
  const Storage& storage_;
  ObjectRef object_;
  mutable std::optional<nlohmann::json> parsed_;
};

class LabelSelector {
 public:
  static Outcome<LabelSelector> parse(std::string_view text);

  bool empty() const { return requirements_.empty(); }
  bool matches(const ObjectView& object) const;

  enum class Operator { Exists, Absent, In, NotIn, Greater, Less };
  struct Requirement {
    std::string key;
    Operator op = Operator::Exists;
    std::vector<std::string> values;
  };

 private:
  std::vector<Requirement> requirements_;
};

class FieldSelector {
 public:
  static Outcome<FieldSelector> parse(std::string_view text, const Resource& resource);

  bool empty() const { return inputs_.empty(); }
  bool matches(const ObjectView& object) const;

  /// The value that `field` must have, where the selector fixes it.
  std::optional<std::string_view> fixed(std::string_view field) const;

 private:
  struct Term {
    std::string field;
    std::string value;
    bool equal = true;
  };

  std::vector<Term> inputs_;
};

/// Both together.
struct Selection {
  LabelSelector labels;
  FieldSelector fields;

  bool empty() const { return labels.empty() && fields.empty(); }
  bool matches(const ObjectView& object) const {
    return fields.matches(object) && labels.matches(object);
  }
};

}  // namespace nlc::sim
