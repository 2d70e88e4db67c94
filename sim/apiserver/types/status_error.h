#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "api/status.h"
#include "sim/apiserver/types/resource.h"

/// The refusals of an API server: `Status` objects with the messages real clients match on
/// (recorded answers and spec/api-server.md "Refusals").
namespace nlc::sim {

struct StatusDetails {
  std::string name;
  std::string group;
  std::string kind;
  std::string uid;
  std::vector<api::StatusCause> causes;
  int retry_after_seconds = 0;
};

struct StatusError {
  int code = 500;
  std::string reason;
  std::string message;
  StatusDetails details;
  bool has_details = false;    ///< some refusals carry an empty `details`, others none
  std::string continue_token;  ///< how an expired list may go on
};

/// The Status object as JSON text.
std::string body_of(const StatusError& error);

/// A field that breaks a rule, as validation reports it.
struct FieldFault {
  enum class Kind { Invalid, NotFound, NotSupported, Required, Forbidden, Duplicate, TooLong };
  Kind kind;
  std::string field;
  std::string text;  ///< the message after the field
};

FieldFault invalid_value(std::string field, std::string_view shown, std::string_view why);
FieldFault missing_value(std::string field, std::string_view shown);
FieldFault forbidden_field(std::string field, std::string_view why);
FieldFault too_long(std::string field, std::size_t most);
FieldFault required_field(std::string field, std::string_view why);
FieldFault duplicate_value(std::string field, std::string_view shown);
FieldFault unsupported_value(std::string field, std::string_view shown,
                             const std::vector<std::string>& supported);

/// What a refused write was about, as 422 names it.
struct Subject {
  std::string group;
  std::string kind;
  std::string name;
};

StatusError not_found(const Resource& resource, std::string_view name);
StatusError already_exists(const Resource& resource, std::string_view name);
StatusError conflict(const Resource& resource, std::string_view name, std::string_view why);
/// A conflict that names the kind instead of the resource, as preconditions of deletions do.
StatusError conflict_of_kind(const Resource& resource, std::string_view name, std::string_view why);
StatusError modified_meanwhile(const Resource& resource, std::string_view name);
StatusError invalid(const Subject& subject, const std::vector<FieldFault>& faults);
StatusError bad_request(std::string message);
StatusError unauthorized();
StatusError forbidden(const Resource& resource, std::string_view name, std::string_view why);
StatusError expired(std::string message);
StatusError version_too_large(std::uint64_t requested, std::uint64_t current);
/// `may_stream`: a watch goes to the same address.
StatusError not_acceptable(bool may_stream);
StatusError unsupported_media_type(std::string_view accepted);
StatusError unsupported_patch();
StatusError unknown_resource();
StatusError method_not_allowed();
StatusError refused_by_patch();
/// Of a JSON patch.
StatusError too_many_operations(std::size_t most, std::size_t given);
StatusError internal_error(std::string message);
/// Of a body that names another kind than its address takes, and one that nobody knows.
StatusError wrong_body(std::string_view kind, std::string_view version, std::string_view wanted,
                       std::string_view why);
std::string not_registered(std::string_view kind, std::string_view api_version);

/// A value, or the Status that goes to the client instead.
template <typename T>
class [[nodiscard]] Outcome {
 public:
  Outcome(T value) : held_(std::in_place_index<0>, std::move(value)) {}
  Outcome(StatusError error) : held_(std::in_place_index<1>, std::move(error)) {}

  explicit operator bool() const { return held_.index() == 0; }
  T& operator*() { return std::get<0>(held_); }
  const T& operator*() const { return std::get<0>(held_); }
  T* operator->() { return &std::get<0>(held_); }
  const T* operator->() const { return &std::get<0>(held_); }
  StatusError& error() { return std::get<1>(held_); }
  const StatusError& error() const { return std::get<1>(held_); }

 private:
  std::variant<T, StatusError> held_;
};

}  // namespace nlc::sim
