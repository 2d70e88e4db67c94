#include "client/refusal.h"

#include <algorithm>

#include "api/decode.h"

namespace nlc::client {
namespace {

bool is_too_large(const api::Status& status) {
  constexpr std::string_view words = "Too large resource version";
  return status.message.find(words) != std::string::npos ||
         std::ranges::any_of(status.causes, [&](const api::StatusCause& cause) {
           return cause.reason == "ResourceVersionTooLarge" || cause.message == words;
         });
}

/// A PATCH that names another uid than the object's is answered as an attempt to change the uid.
bool is_other_uid(const api::Status& status) {
  return std::ranges::any_of(
      status.causes, [](const api::StatusCause& cause) { return cause.field == "metadata.uid"; });
}

Fault fault_of(int code, const api::Status& status, bool has_retry_after) {
  switch (code) {
    case 401:
      return Fault::Unauthorized;
    case 403:
      return Fault::Forbidden;
    case 404:
      return Fault::NotFound;
    case 409:
      return status.reason == "AlreadyExists" ? Fault::AlreadyExists : Fault::Conflict;
    case 410:
      return Fault::Gone;
    case 422:
      return is_other_uid(status) ? Fault::Conflict : Fault::Invalid;
    case 429:
      return Fault::Throttled;
    case 503:
      return has_retry_after ? Fault::Throttled : Fault::Unavailable;
    case 504:
      return is_too_large(status) ? Fault::TooLarge : Fault::Timeout;
    default:
      break;
  }
  if (code >= 500) return Fault::Unavailable;
  if (code >= 400) return Fault::Invalid;
  return Fault::Malformed;  // a redirect or an answer out of order: no API server says that
}

std::string name_of(const Request& request) {
  return request.method + " " + request.target.substr(0, request.target.find('?'));
}

}  // namespace

Error refusal(const Request& request, const Response& response) {
  const api::Status status = api::decode_status(response.body);
  const std::optional<Duration> retry_after =
      response.retry_after ? response.retry_after : status.retry_after;
  std::string path = name_of(request) + ": " + std::to_string(response.status);
  if (!status.reason.empty()) path += " " + status.reason;
  if (!status.message.empty()) path += ": " + status.message;
  return {fault_of(response.status, status, retry_after.has_value()), std::move(path), retry_after};
}

Result<Response> accepted(const Request& request, Result<Response> answer) {
  if (!answer) return std::move(answer.error()).while_doing(name_of(request));
  if (answer->status < 200 || answer->status > 299) return refusal(request, *answer);
  return answer;
}

}  // namespace nlc::client
