#include "client/refusal.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "api/decode.h"
#include "api/simdjson.h"
#include "runtime/utf8.h"

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

bool is_of_token(char letter) {
  return (letter >= '0' && letter <= '9') || (letter >= 'A' && letter <= 'Z') ||
         (letter >= 'a' && letter <= 'z') ||
         std::string_view("-._~+/=%").find(letter) != std::string_view::npos;
}

/// In whatever case; `word` has small letters only.
bool starts_with_word(std::string_view text, std::string_view word) {
  return std::ranges::equal(text.substr(0, word.size()), word,
                            [](char have, char want) { return (have | 0x20) == want; });
}

/// Where the token would begin that `text` starts to introduce: behind "Bearer ", "Basic ", or at
/// once, for a service account's token is known by its look.
std::optional<std::size_t> token_after(std::string_view text) {
  if (text.starts_with("eyJ")) return 0;
  for (const std::string_view scheme : {"bearer", "basic"}) {
    if (!starts_with_word(text, scheme)) continue;
    std::size_t at = std::min(text.find_first_not_of(" \t+", scheme.size()), text.size());
    if (text.substr(at).starts_with("%20")) at += 3;
    if (at > scheme.size()) return at;
  }
  return std::nullopt;
}

/// How much of `text` is a token; nothing where it is a word of a sentence ("bearer token", "basic
/// authentication").
std::size_t token_size(std::string_view text, bool basic) {
  constexpr std::size_t shortest = 6;
  constexpr std::size_t longest_word = 20;
  const auto end = std::ranges::find_if_not(text, is_of_token);
  const auto size = static_cast<std::size_t>(end - text.begin());
  const bool word = basic && size < longest_word && std::all_of(text.begin(), end, [](char letter) {
                      return letter >= 'a' && letter <= 'z';
                    });
  return size < shortest || word ? 0 : size;
}

std::string without_credentials(std::string_view text) {
  std::string clean;
  for (std::size_t at = 0; at < text.size();) {
    const auto begin = token_after(text.substr(at));
    const bool basic = starts_with_word(text.substr(at), "basic");
    const std::size_t size = begin ? token_size(text.substr(at + *begin), basic) : 0;
    if (size == 0) {
      clean += text[at++];
      continue;
    }
    clean.append(text.substr(at, *begin)).append("[redacted]");
    at += *begin + size;
  }
  return clean;
}

constexpr std::size_t words_limit = 400;
// A token that begins before this is redacted whole; what lies behind is not looked at.
constexpr std::size_t words_read = 64 * 1024;

}  // namespace

std::string server_words(std::string_view text) {
  std::string line = without_credentials(whole_characters(text, words_read));
  const bool readable = simdjson::validate_utf8(line);
  for (char& letter : line) {
    const auto byte = static_cast<unsigned char>(letter);
    if (byte <= 0x1F || byte == 0x7F) letter = ' ';
    if (byte >= 0x80 && !readable) letter = '?';
  }
  constexpr std::string_view more = "...";
  if (line.size() <= words_limit) return line;
  return std::string(whole_characters(line, words_limit - more.size())).append(more);
}

Error refusal(const Request& request, const Response& response) {
  const api::Status status = api::decode_status(response.body);
  const std::optional<Duration> retry_after =
      response.retry_after ? response.retry_after : status.retry_after;
  std::string path = name_of(request) + ": " + std::to_string(response.status);
  if (!status.reason.empty()) path += " " + server_words(status.reason);
  if (!status.message.empty()) path += ": " + server_words(status.message);
  return {fault_of(response.status, status, retry_after.has_value()), std::move(path), retry_after};
}

Error unreadable(const Request& request, Error why) {
  why.path = server_words(why.path);
  return std::move(why).while_doing(request.method + " " + request.target);
}

Result<Response> accepted(const Request& request, Result<Response> answer) {
  if (!answer) return std::move(answer.error()).while_doing(name_of(request));
  if (answer->status < 200 || answer->status > 299) return refusal(request, *answer);
  return answer;
}

}  // namespace nlc::client
