#include "sim/apiserver/requests/read_options.h"

#include <absl/strings/escaping.h>
#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "runtime/parse_number.h"
#include "sim/apiserver/requests/body_codec.h"

namespace nlc::sim {
namespace {

using OrderedJson = nlohmann::ordered_json;
using Faults = std::vector<FieldFault>;

std::string version_fault(std::string_view text) {
  return "resourceVersion: Invalid value: \"" + std::string(text) +
         "\": strconv.ParseUint: parsing \"" + std::string(text) + "\": invalid syntax";
}

/// False when the text is no number. An empty text is no version, and that is fine.
bool read_version(std::string_view text, std::optional<std::uint64_t>& version) {
  if (text.empty()) return true;
  version = parse_number<std::uint64_t>(text);
  return version.has_value();
}

void read_match(std::string_view text, ReadOptions& options, Faults& faults) {
  if (text == "Exact")
    options.match = VersionMatch::Exact;
  else if (text == "NotOlderThan")
    options.match = VersionMatch::NotOlderThan;
  else if (!text.empty()) {
    faults.push_back(unsupported_value("resourceVersionMatch", "\"" + std::string(text) + "\"",
                                       {"Exact", "NotOlderThan", ""}));
  }
}

void forbid(const char* field, std::string_view why, Faults& faults) {
  faults.push_back(forbidden_field(field, why));
}

void judge_list(const Query& query, Faults& faults) {
  const bool match = !query.get("resourceVersionMatch").empty();
  if (match && query.get("resourceVersion").empty()) {
    forbid("resourceVersionMatch",
           "resourceVersionMatch is forbidden unless resourceVersion is provided", faults);
  }
  if (match && !query.get("continue").empty()) {
    forbid("resourceVersionMatch", "resourceVersionMatch is forbidden when continue is provided",
           faults);
  }
  if (query.get("resourceVersionMatch") == "Exact" && query.get("resourceVersion") == "0") {
    forbid("resourceVersionMatch",
           "resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\"", faults);
  }
  if (query.has("sendInitialEvents")) {
    forbid("sendInitialEvents", "sendInitialEvents is forbidden for list", faults);
  }
}

void judge_watch(const Query& query, Faults& faults) {
  const std::string_view match = query.get("resourceVersionMatch");
  const bool initial = query.has("sendInitialEvents");
  if (!initial && !match.empty()) {
    forbid("resourceVersionMatch",
           "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided",
           faults);
  }
  if (initial && match != "NotOlderThan") {
    forbid("resourceVersionMatch",
           "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan", faults);
  }
  if (!match.empty() && match != "NotOlderThan") {
    faults.push_back(unsupported_value("resourceVersionMatch", "\"" + std::string(match) + "\"",
                                       {"NotOlderThan"}));
  }
  if (initial && !query.get("continue").empty()) {
    forbid("continue", "continue is forbidden when sendInitialEvents is provided", faults);
  }
}

/// What lists and watches have in common; `judge` says which options do not go together.
std::optional<StatusError> read_options(const RequestInfo& info,
                                        void (*judge)(const Query&, Faults&),
                                        ReadOptions& options) {
  for (const char* number : {"timeoutSeconds", "limit"}) {
    const std::string_view text = info.query.get(number);
    if (!text.empty() && !parse_number<long long>(text)) {
      return bad_request("strconv.ParseInt: parsing \"" + std::string(text) + "\": invalid syntax");
    }
  }
  Faults faults;
  judge(info.query, faults);
  if (faults.empty()) read_match(info.query.get("resourceVersionMatch"), options, faults);
  if (!faults.empty()) return invalid({"meta.k8s.io", "ListOptions", ""}, faults);
  Outcome<LabelSelector> labels = LabelSelector::parse(info.query.get("labelSelector"));
  if (!labels) return labels.error();
  Outcome<FieldSelector> fields =
      FieldSelector::parse(info.query.get("fieldSelector"), *info.known);
  if (!fields) return fields.error();
  options.selection = {std::move(*labels), std::move(*fields)};
  return std::nullopt;
}

}  // namespace

std::string continue_token(const Continuation& continuation) {
  const bool consistent = continuation.version >= 0;
  const OrderedJson token{
      {"v", "meta.k8s.io/v1"},
      {"rv", continuation.version},
      {"start", (consistent ? "/" : "") + continuation.after + std::string(1, '\0')}};
  return absl::WebSafeBase64Escape(token.dump());
}

Outcome<Continuation> read_continue_token(std::string_view token) {
  const auto refused = [](std::string_view why) {
    return bad_request("invalid continue token: continue key is not valid: " + std::string(why));
  };
  std::string text;
  if (!absl::WebSafeBase64Unescape(std::string(token), &text)) {
    constexpr std::string_view alphabet =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    const std::size_t at = std::min(token.find_first_not_of(alphabet), token.size());
    return refused("illegal base64 data at input byte " + std::to_string(at));
  }
  const OrderedJson json = OrderedJson::parse(text, nullptr, false);
  if (!json.is_object()) return refused(json_fault(text));
  if (json.value("v", "") != "meta.k8s.io/v1")
    return refused("server does not recognize this encoded version " + json.value("v", ""));
  const auto version = json.find("rv");
  if (version == json.end() || !version->is_number_integer() || *version == 0)
    return refused("incorrect encoded start resourceVersion (version meta.k8s.io/v1)");
  std::string start = json.value("start", "");
  if (start.empty()) return refused("encoded start key empty (version meta.k8s.io/v1)");
  if (start.starts_with('/')) start.erase(0, 1);
  if (start.ends_with('\0')) start.pop_back();
  return Continuation{version->get<std::int64_t>(), std::move(start)};
}

std::uint64_t ReadOptions::awaited_version() const {
  return continuation ? 0 : version.value_or(0);
}

Outcome<ReadOptions> list_options(const RequestInfo& info) {
  ReadOptions options;
  const Query& query = info.query;
  if (auto refusal = read_options(info, judge_list, options)) return std::move(*refusal);
  if (!read_version(query.get("resourceVersion"), options.version)) {
    return bad_request("invalid resource version: " + version_fault(query.get("resourceVersion")));
  }
  if (const auto limit = parse_number<long long>(query.get("limit")); limit && *limit > 0) {
    options.limit = static_cast<std::size_t>(*limit);
  }
  if (const std::string_view token = query.get("continue"); !token.empty()) {
    if (options.version.value_or(0) != 0) {
      return bad_request("specifying resource version is not allowed when using continue");
    }
    Outcome<Continuation> continuation = read_continue_token(token);
    if (!continuation) return continuation.error();
    options.continuation = std::move(*continuation);
  }
  return options;
}

Outcome<ReadOptions> watch_options(const RequestInfo& info) {
  ReadOptions options;
  const Query& query = info.query;
  if (auto refusal = read_options(info, judge_watch, options)) return std::move(*refusal);
  if (!read_version(query.get("resourceVersion"), options.version)) {
    return internal_error(version_fault(query.get("resourceVersion")));
  }
  options.bookmarks = query.is_true("allowWatchBookmarks");
  if (query.has("sendInitialEvents")) options.initial_events = query.is_true("sendInitialEvents");
  // Since 1.34 a plain watch from the newest or any state streams (spec/api-server.md "Watch").
  if (!options.initial_events && options.version.value_or(0) == 0) options.initial_events = true;
  if (const auto seconds = parse_number<long long>(query.get("timeoutSeconds"));
      seconds && *seconds > 0) {
    options.timeout = std::chrono::seconds(*seconds);
  }
  return options;
}

Outcome<std::optional<std::uint64_t>> get_version(const RequestInfo& info) {
  std::optional<std::uint64_t> version;
  const std::string_view text = info.query.get("resourceVersion");
  if (read_version(text, version)) return version;
  // Events alone have no cache, and etcd's reader says it as lists do.
  if (info.known->kind == "Event")
    return bad_request("invalid resource version: " + version_fault(text));
  return internal_error(version_fault(text));
}

}  // namespace nlc::sim
