#include "sim/apiserver/requests/read_options.h"

#include <absl/strings/escaping.h>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "sim/apiserver/requests/body_codec.h"
#include "sim/apiserver/types/go_text.h"
#include "sim/apiserver/types/json_text.h"

namespace nlc::sim {
namespace {

using OrderedJson = nlohmann::ordered_json;
using Faults = std::vector<FieldFault>;

/// Some 30 years: what is longer does not fit.
constexpr std::int64_t longest_watch = 1'000'000'000;

/// What is wrong with the version that is asked for; empty when nothing is. An empty text is no
/// version, and that is fine.
std::string read_version(std::string_view text, std::optional<std::uint64_t>& version) {
  if (text.empty()) return "";
  const GoNumber<std::uint64_t> read = go_uint(text);
  if (!read.fault.empty())
    return "resourceVersion: Invalid value: " + json_text(text) + ": " + read.fault;
  version = read.value;
  return "";
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
    if (text.empty()) continue;
    if (const std::string fault = go_int(text).fault; !fault.empty()) return bad_request(fault);
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
  if (!continuation) return version.value_or(0);
  return static_cast<std::uint64_t>(std::max<std::int64_t>(continuation->version, 0));
}

Outcome<ReadOptions> list_options(const RequestInfo& info) {
  ReadOptions options;
  const Query& query = info.query;
  if (auto refusal = read_options(info, judge_list, options)) return std::move(*refusal);
  if (const std::string fault = read_version(query.get("resourceVersion"), options.version);
      !fault.empty()) {
    return bad_request("invalid resource version: " + fault);
  }
  options.limit =
      static_cast<std::size_t>(std::max(go_int(query.get("limit")).value, std::int64_t{0}));
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
  if (std::string fault = read_version(query.get("resourceVersion"), options.version);
      !fault.empty()) {
    return internal_error(std::move(fault));
  }
  options.bookmarks = query.is_true("allowWatchBookmarks");
  if (query.has("sendInitialEvents")) options.initial_events = query.is_true("sendInitialEvents");
  // Since 1.34 a plain watch from the newest or any state streams (spec/api-server.md "Watch").
  if (!options.initial_events && options.version.value_or(0) == 0) options.initial_events = true;
  if (const std::int64_t seconds = go_int(query.get("timeoutSeconds")).value; seconds > 0)
    options.timeout = std::chrono::seconds(std::min(seconds, longest_watch));
  return options;
}

Outcome<std::optional<std::uint64_t>> get_version(const RequestInfo& info) {
  std::optional<std::uint64_t> version;
  std::string fault = read_version(info.query.get("resourceVersion"), version);
  if (fault.empty()) return version;
  // Events alone have no cache, and etcd's reader says it as lists do.
  if (info.known->kind == "Event") return bad_request("invalid resource version: " + fault);
  return internal_error(std::move(fault));
}

}  // namespace nlc::sim
