#include "sim/scenario/stage/request_match.h"

#include <algorithm>
#include <array>

#include "sim/scenario/model/name_pattern.h"

namespace nlc::sim::scenario {
namespace {

std::string verb_of(const RequestInfo& info) {
  struct Word {
    std::string_view verb;
    std::string_view shown;
  };
  constexpr std::array<Word, 7> words{{{"get", "GET"},
                                       {"list", "LIST"},
                                       {"watch", "WATCH"},
                                       {"create", "POST"},
                                       {"update", "PUT"},
                                       {"patch", "PATCH"},
                                       {"delete", "DELETE"}}};
  for (const Word& word : words) {
    if (info.verb == word.verb) return std::string(word.shown);
  }
  return info.verb;
}

bool has(const std::vector<std::string>& wanted, const std::string& found) {
  return std::ranges::find(wanted, found) != wanted.end();
}

bool verb_fits(const std::string& wanted, const SentRequest& request) {
  if (is_any(wanted) || wanted == request.verb) return true;
  return (wanted == "PUT" && request.stands_for_put) || (wanted == "LIST" && request.lists);
}

/// A case that names a verb and a resource means the resource itself, unless it names the
/// subresource as well.
bool subresource_fits(const RequestFilter& filter, const SentRequest& request) {
  if (!filter.subresource.empty()) {
    return filter.subresource == "*" || filter.subresource == request.info.subresource;
  }
  if (filter.resource_itself) return request.info.subresource.empty();
  const bool wide = is_any(filter.verb) || filter.resources.empty() || has(filter.resources, "*");
  return wide || request.info.subresource.empty();
}

bool name_fits(const RequestFilter& filter, const SentRequest& request, const std::string& chosen) {
  const RequestInfo& info = request.info;
  if (filter.deleted_one) return !chosen.empty() && info.name == chosen;
  if (filter.names.empty() || has(filter.names, "*")) return true;
  const std::string key = info.namespace_name + "/" + info.name;
  return std::ranges::any_of(filter.names, [&](const std::string& wanted) {
    return matches_pattern(wanted, info.name) || matches_pattern(wanted, key);
  });
}

}  // namespace

bool SentRequest::writes() const { return verb != "GET" && verb != "LIST" && verb != "WATCH"; }

std::string SentRequest::text() const {
  std::string text = verb + " " + (info.resource.empty() ? info.path : info.resource);
  if (!info.name.empty()) text += "/" + info.name;
  if (!info.subresource.empty()) text += "/" + info.subresource;
  return text;
}

SentRequest sent_request(const client::IncomingRequest& request, Instant at) {
  SentRequest sent{.info = request_info(request.method, request.target)};
  sent.verb = verb_of(sent.info);
  // Upstream patches only the mark of a disrupted pod; all other status it puts.
  sent.stands_for_put = sent.verb == "PATCH" && sent.info.subresource == "status" &&
                        request.body.find("DisruptionTarget") == std::string::npos;
  sent.lists = sent.verb == "WATCH" && sent.info.query.is_true("sendInitialEvents");
  sent.continues = sent.verb == "LIST" && !sent.info.query.get("continue").empty();
  sent.from_cache = !sent.writes() && sent.info.query.get("resourceVersion") == "0";
  sent.content_type = request.content_type;
  sent.body = request.body;
  sent.at = at;
  return sent;
}

bool matches(const RequestFilter& filter, const SentRequest& request, const std::string& chosen) {
  if (filter.writes_only && !request.writes()) return false;
  if (filter.replica && *filter.replica != request.replica) return false;
  if (filter.streams_list && *filter.streams_list != request.lists) return false;
  if (filter.continued && *filter.continued != request.continues) return false;
  if (filter.from_cache && *filter.from_cache != request.from_cache) return false;
  const bool resource = is_wanted(filter.resources, request.info.resource);
  const bool space =
      is_any(filter.namespace_name) || filter.namespace_name == request.info.namespace_name;
  return resource && space && verb_fits(filter.verb, request) &&
         subresource_fits(filter, request) && name_fits(filter, request, chosen);
}

}  // namespace nlc::sim::scenario
