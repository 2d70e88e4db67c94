#include "sim/scenario/reading/object_faults.h"

#include "sim/apiserver/types/typed_object.h"
#include "sim/apiserver/validation/admission.h"
#include "sim/apiserver/validation/validation.h"
#include "sim/scenario/reading/yaml_value.h"

namespace nlc::sim::scenario {

using Json = nlohmann::json;

namespace {

/// Where its gate TaintTolerationComparisonOperators is on a server takes these, and a case may be
/// about such a cluster.
void allow_comparisons(Json& pod) {
  const auto tolerations = pod["spec"].find("tolerations");
  if (tolerations == pod["spec"].end()) return;
  for (Json& toleration : *tolerations) {
    const std::string operation = toleration.value("operator", "");
    if (operation == "Lt" || operation == "Gt") toleration["operator"] = "Equal";
  }
}

std::string type_fault(const Resource& resource, Json object) {
  const TypedReading reading = read_typed(resource.kind, object);
  return reading.fault.empty() ? strict_fault(reading.complaints) : reading.fault;
}

/// The defaults come first, as they do in the server: what they fill in is not missing.
std::string value_fault(const Resource& resource, Json object) {
  shape(resource, object);
  apply_defaults(resource, object);
  shape(resource, object);
  if (resource.kind == "Pod") allow_comparisons(object);
  const FieldFaults faults = faults_of_new(resource, object);
  return faults.empty() ? "" : faults.front().field + ": " + faults.front().text;
}

}  // namespace

void refuse_types(const Resource& resource, const Json& object, int line) {
  const std::string fault = type_fault(resource, object);
  if (fault.empty()) return;
  throw Malformed{line, fault + " found, an object as an API server reads it expected"};
}

void refuse_values(const Resource& resource, const Json& object, int line) {
  const std::string fault = value_fault(resource, object);
  if (fault.empty()) return;
  throw Malformed{line, fault + " found, an object as an API server takes it expected"};
}

}  // namespace nlc::sim::scenario
