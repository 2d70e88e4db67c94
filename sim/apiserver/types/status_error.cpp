#include "sim/apiserver/types/status_error.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace nlc::sim {
namespace {

using OrderedJson = nlohmann::ordered_json;

std::string in_quotes(std::string_view text) { return "\"" + std::string(text) + "\""; }

std::string_view reason_of(FieldFault::Kind kind) {
  switch (kind) {
    case FieldFault::Kind::Invalid:
      return "FieldValueInvalid";
    case FieldFault::Kind::NotFound:
      return "FieldValueNotFound";
    case FieldFault::Kind::NotSupported:
      return "FieldValueNotSupported";
    case FieldFault::Kind::Required:
      return "FieldValueRequired";
    case FieldFault::Kind::Forbidden:
      return "FieldValueForbidden";
    case FieldFault::Kind::Duplicate:
      return "FieldValueDuplicate";
    case FieldFault::Kind::TooLong:
      return "FieldValueTooLong";
  }
  std::abort();
}

/// The distinct faults as one text: "f: x", or "[f: x, g: y]".
std::string joined(const std::vector<FieldFault>& faults) {
  std::vector<std::string> texts;
  for (const FieldFault& fault : faults) {
    std::string text = fault.field + ": " + fault.text;
    if (std::find(texts.begin(), texts.end(), text) == texts.end()) texts.push_back(text);
  }
  if (texts.size() == 1) return texts.front();
  std::string all = "[";
  for (const std::string& text : texts) all += (all.size() > 1 ? ", " : "") + text;
  return all + "]";
}

StatusError status_of(int code, std::string_view reason, std::string message) {
  return {.code = code, .reason = std::string(reason), .message = std::move(message)};
}

/// The same with details, which may be empty.
StatusError detailed(int code, std::string_view reason, std::string message,
                     StatusDetails details = {}) {
  StatusError error = status_of(code, reason, std::move(message));
  error.details = std::move(details);
  error.has_details = true;
  return error;
}

StatusError about(const Resource& resource, std::string_view name, int code,
                  std::string_view reason, std::string message) {
  return detailed(code, reason, std::move(message),
                  {.name = std::string(name),
                   .group = std::string(resource.group),
                   .kind = std::string(resource.plural)});
}

std::string cannot_be_fulfilled(const std::string& what, std::string_view name,
                                std::string_view why) {
  return "Operation cannot be fulfilled on " + what + " " + in_quotes(name) + ": " +
         std::string(why);
}

void put(OrderedJson& object, const char* key, const std::string& value) {
  if (!value.empty()) object[key] = value;
}

OrderedJson json_of(const StatusDetails& details) {
  OrderedJson result = OrderedJson::object();
  put(result, "name", details.name);
  put(result, "group", details.group);
  put(result, "kind", details.kind);
  put(result, "uid", details.uid);
  for (const api::StatusCause& cause : details.causes) {
    OrderedJson entry = OrderedJson::object();
    put(entry, "reason", cause.reason);
    put(entry, "message", cause.message);
    put(entry, "field", cause.field);
    result["causes"].push_back(std::move(entry));
  }
  if (details.retry_after_seconds > 0) result["retryAfterSeconds"] = details.retry_after_seconds;
  return result;
}

}  // namespace

std::string body_of(const StatusError& error) {
  OrderedJson status{{"kind", "Status"}, {"apiVersion", "v1"}, {"metadata", OrderedJson::object()}};
  put(status["metadata"], "continue", error.continue_token);
  status["status"] = "Failure";
  put(status, "message", error.message);
  put(status, "reason", error.reason);
  if (error.has_details) status["details"] = json_of(error.details);
  status["code"] = error.code;
  return status.dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
}

FieldFault invalid_value(std::string field, std::string_view shown, std::string_view why) {
  return {FieldFault::Kind::Invalid, std::move(field),
          "Invalid value: " + std::string(shown) + ": " + std::string(why)};
}

FieldFault missing_value(std::string field, std::string_view shown) {
  return {FieldFault::Kind::NotFound, std::move(field), "Not found: " + std::string(shown)};
}

FieldFault forbidden_field(std::string field, std::string_view why) {
  return {FieldFault::Kind::Forbidden, std::move(field), "Forbidden: " + std::string(why)};
}

FieldFault too_long(std::string field, std::size_t most) {
  return {FieldFault::Kind::TooLong, std::move(field),
          "Too long: may not be more than " + std::to_string(most) + " bytes"};
}

FieldFault required_field(std::string field, std::string_view why) {
  return {FieldFault::Kind::Required, std::move(field),
          why.empty() ? "Required value" : "Required value: " + std::string(why)};
}

FieldFault duplicate_value(std::string field, std::string_view shown) {
  return {FieldFault::Kind::Duplicate, std::move(field), "Duplicate value: " + std::string(shown)};
}

FieldFault unsupported_value(std::string field, std::string_view shown,
                             const std::vector<std::string>& supported) {
  std::string text = "Unsupported value: " + std::string(shown) + ": supported values: ";
  for (const std::string& value : supported) {
    text += (value == supported.front() ? "" : ", ") + in_quotes(value);
  }
  return {FieldFault::Kind::NotSupported, std::move(field), std::move(text)};
}

StatusError not_found(const Resource& resource, std::string_view name) {
  return about(resource, name, 404, "NotFound",
               qualified_name(resource) + " " + in_quotes(name) + " not found");
}

StatusError already_exists(const Resource& resource, std::string_view name) {
  return about(resource, name, 409, "AlreadyExists",
               qualified_name(resource) + " " + in_quotes(name) + " already exists");
}

StatusError conflict(const Resource& resource, std::string_view name, std::string_view why) {
  return about(resource, name, 409, "Conflict",
               cannot_be_fulfilled(qualified_name(resource), name, why));
}

StatusError conflict_of_kind(const Resource& resource, std::string_view name,
                             std::string_view why) {
  const std::string kind = std::string(resource.kind) +
                           (resource.group.empty() ? "" : "." + std::string(resource.group));
  StatusError error = about(resource, name, 409, "Conflict", cannot_be_fulfilled(kind, name, why));
  error.details.kind = resource.kind;
  return error;
}

StatusError modified_meanwhile(const Resource& resource, std::string_view name) {
  return conflict(resource, name,
                  "the object has been modified; please apply your changes to the latest version "
                  "and try again");
}

StatusError invalid(const Subject& subject, const std::vector<FieldFault>& faults) {
  const std::string kind =
      subject.group.empty() ? subject.kind : subject.kind + "." + subject.group;
  StatusError error = detailed(
      422, "Invalid", kind + " " + in_quotes(subject.name) + " is invalid: " + joined(faults),
      {.name = subject.name, .group = subject.group, .kind = subject.kind});
  for (const FieldFault& fault : faults) {
    error.details.causes.push_back({std::string(reason_of(fault.kind)), fault.text, fault.field});
  }
  return error;
}

StatusError bad_request(std::string message) {
  return status_of(400, "BadRequest", std::move(message));
}

StatusError unauthorized() { return status_of(401, "Unauthorized", "Unauthorized"); }

StatusError forbidden(const Resource& resource, std::string_view name, std::string_view why) {
  return about(resource, name, 403, "Forbidden",
               qualified_name(resource) + (name.empty() ? "" : " " + in_quotes(name)) +
                   " is forbidden: " + std::string(why));
}

StatusError expired(std::string message) { return status_of(410, "Expired", std::move(message)); }

StatusError version_too_large(std::uint64_t requested, std::uint64_t current) {
  return detailed(504, "Timeout",
                  "Timeout: Too large resource version: " + std::to_string(requested) +
                      ", current: " + std::to_string(current),
                  {.causes = {{"ResourceVersionTooLarge", "Too large resource version", ""}},
                   .retry_after_seconds = 1});
}

StatusError not_acceptable(bool may_stream) {
  return detailed(406, "NotAcceptable",
                  "406: Not Acceptable\n\nAvailable representations: application/json, "
                  "application/yaml, application/vnd.kubernetes.protobuf" +
                      std::string(may_stream ? ", application/json;stream=watch, "
                                               "application/vnd.kubernetes.protobuf;stream=watch"
                                             : ""));
}

StatusError unsupported_media_type(std::string_view accepted) {
  return status_of(
      415, "UnsupportedMediaType",
      "the body of the request was in an unknown format - accepted media types include: " +
          std::string(accepted));
}

StatusError unsupported_patch() {
  return detailed(415, "UnsupportedMediaType", "415: Unsupported Media Type");
}

StatusError unknown_resource() {
  return detailed(404, "NotFound", "the server could not find the requested resource");
}

StatusError method_not_allowed() {
  return detailed(405, "MethodNotAllowed",
                  "the server does not allow this method on the requested resource");
}

StatusError refused_by_patch() {
  return detailed(422, "Invalid", "the server rejected our request due to an error in our request");
}

StatusError too_many_operations(std::size_t most, std::size_t given) {
  return status_of(413, "RequestEntityTooLarge",
                   "Request entity is too large: The allowed maximum operations in a JSON patch "
                   "is " +
                       std::to_string(most) + ", got " + std::to_string(given));
}

StatusError internal_error(std::string message) { return status_of(500, "", std::move(message)); }

StatusError wrong_body(std::string_view kind, std::string_view version, std::string_view wanted,
                       std::string_view why) {
  return bad_request(std::string(kind) + " in version \"" + std::string(version) +
                     "\" cannot be handled as a " + std::string(wanted) + ": " + std::string(why));
}

std::string not_registered(std::string_view kind, std::string_view api_version) {
  return "no kind " + in_quotes(kind) + " is registered for version " + in_quotes(api_version) +
         " in scheme \"pkg/runtime/scheme.go:111\"";
}

}  // namespace nlc::sim
