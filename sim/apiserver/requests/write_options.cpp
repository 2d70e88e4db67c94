#include "sim/apiserver/requests/write_options.h"

#include "sim/apiserver/requests/body_codec.h"
#include "sim/apiserver/types/go_text.h"
#include "sim/apiserver/types/json_text.h"
#include "sim/apiserver/types/typed_object.h"

namespace nlc::sim {
namespace {

using Json = nlohmann::json;
using Faults = std::vector<FieldFault>;

constexpr std::size_t longest_field_manager = 128;

void judge_dry_run(const Json& values, Faults& faults) {
  for (const Json& value : values) {
    if (value == "All") continue;
    std::string shown;
    for (const Json& each : values)
      shown += (shown.empty() ? "" : ",") + json_text(each.get<std::string>());
    faults.push_back(unsupported_value("dryRun", "[" + shown + "]", {"All"}));
    return;
  }
}

Json dry_run_of(const Query& query) {
  return query.has("dryRun") ? Json::array({query.get("dryRun")}) : Json::array();
}

StatusError invalid_options(std::string_view kind, const Faults& faults) {
  return invalid({"meta.k8s.io", std::string(kind), ""}, faults);
}

std::string_view name_of(WriteKind kind) {
  switch (kind) {
    case WriteKind::Create:
      return "CreateOptions";
    case WriteKind::Update:
      return "UpdateOptions";
    default:
      return "PatchOptions";
  }
}

std::optional<std::string> unknown_policy(const Json& options) {
  const std::string policy = options.value("propagationPolicy", "Background");
  const bool known = policy == "Foreground" || policy == "Background" || policy == "Orphan";
  return known ? std::nullopt : std::optional(policy);
}

std::optional<StatusError> refused(const Json& options) {
  Faults faults;
  if (options.contains("orphanDependents") && options.contains("propagationPolicy")) {
    faults.push_back(invalid_value("propagationPolicy",
                                   json_text(options["propagationPolicy"].get<std::string>()),
                                   "orphanDependents and deletionPropagation cannot be both set"));
  }
  if (const std::optional<std::string> policy = unknown_policy(options)) {
    faults.push_back(unsupported_value("propagationPolicy", json_text(*policy),
                                       {"Foreground", "Background", "Orphan", "nil"}));
  }
  judge_dry_run(options.value("dryRun", Json::array()), faults);
  if (faults.empty()) return std::nullopt;
  return invalid_options("DeleteOptions", faults);
}

Outcome<Json> options_in_body(const client::IncomingRequest& request) {
  Outcome<Json> body = read_options_body(request.body, request.content_type);
  if (!body) return body;
  const std::string kind = text_member(*body, "kind");
  const std::string version = text_member(*body, "apiVersion");
  if (!kind.empty() && kind != "DeleteOptions")
    return bad_request(not_registered(kind, version.empty() ? "meta.k8s.io/v1" : version));
  body->erase("kind");
  body->erase("apiVersion");
  if (std::string why = read_typed("DeleteOptions", *body).fault; !why.empty())
    return bad_request(std::move(why));
  return body;
}

Outcome<Json> options_in_query(const Query& query) {
  Json options = Json::object();
  if (const std::string_view text = query.get("gracePeriodSeconds"); !text.empty()) {
    const GoNumber<std::int64_t> grace = go_int(text);
    if (!grace.fault.empty()) return bad_request(grace.fault);
    options["gracePeriodSeconds"] = grace.value;
  }
  for (const char* precondition : {"uid", "resourceVersion"}) {
    if (const std::string_view text = query.get(precondition); !text.empty())
      options["preconditions"][precondition] = text;
  }
  if (query.has("orphanDependents"))
    options["orphanDependents"] = query.is_true("orphanDependents");
  if (query.has("propagationPolicy")) options["propagationPolicy"] = query.get("propagationPolicy");
  if (query.has("dryRun")) options["dryRun"] = dry_run_of(query);
  return options;
}

}  // namespace

Outcome<WriteOptions> write_options(const Query& query, WriteKind kind) {
  Faults faults;
  const std::string_view manager = query.get("fieldManager");
  if (kind == WriteKind::Apply && manager.empty())
    faults.push_back(required_field("fieldManager", "is required for apply patch"));
  if (kind == WriteKind::Patch && query.has("force"))
    faults.push_back(forbidden_field("force", "may not be specified for non-apply patch"));
  if (manager.size() > longest_field_manager)
    faults.push_back(too_long("fieldManager", longest_field_manager));
  judge_dry_run(dry_run_of(query), faults);
  WriteOptions options;
  const std::string_view validation = query.get("fieldValidation");
  if (validation == "Ignore")
    options.validation = FieldValidation::Ignore;
  else if (validation == "Strict")
    options.validation = FieldValidation::Strict;
  else if (!validation.empty() && validation != "Warn")
    faults.push_back(unsupported_value("fieldValidation", json_text(validation),
                                       {"", "Ignore", "Strict", "Warn"}));
  if (!faults.empty()) return invalid_options(name_of(kind), faults);
  options.dry_run = query.has("dryRun");
  return options;
}

Outcome<DeleteOptions> delete_options(const client::IncomingRequest& request, const Query& query) {
  Outcome<Json> options = request.body.empty() ? options_in_query(query) : options_in_body(request);
  if (!options) return std::move(options.error());
  if (std::optional<StatusError> refusal = refused(*options)) return std::move(*refusal);
  return DeleteOptions::from(*options);
}

}  // namespace nlc::sim
