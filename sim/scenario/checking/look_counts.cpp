#include <algorithm>

#include "runtime/go_duration.h"
#include "sim/scenario/checking/look.h"
#include "sim/scenario/model/name_pattern.h"
#include "sim/scenario/reading/manifest.h"

namespace nlc::sim::scenario {
namespace {

using Json = nlohmann::json;

bool is_in(Duration offset, Span span) { return span.from <= offset && offset <= span.until; }

Seen counted(double found, const Amount& wanted, const std::string& what) {
  return {.holds = wanted.contains(found), .what = what + ", not " + amount_text(wanted)};
}

// --- requests -----------------------------------------------------------------------------------

/// Follows "spec.taints" into an object; null when there is nothing.
Json at_path(const Json& object, const std::string& path) {
  const Json* at = &object;
  std::size_t from = 0;
  while (from <= path.size()) {
    const std::size_t dot = std::min(path.find('.', from), path.size());
    const auto found = at->is_object() ? at->find(path.substr(from, dot - from)) : at->end();
    if (found == at->end()) return nullptr;
    at = &*found;
    from = dot + 1;
  }
  return *at;
}

bool says_at_least(const Json& found, const Json& wanted) {
  if (wanted.is_object()) {
    return found.is_object() && std::ranges::all_of(wanted.items(), [&](const auto& field) {
             return found.contains(field.key()) && says_at_least(found[field.key()], field.value());
           });
  }
  if (wanted.is_array()) {
    return found.is_array() && std::ranges::all_of(wanted, [&](const Json& element) {
             return std::ranges::any_of(
                 found, [&](const Json& other) { return says_at_least(other, element); });
           });
  }
  return found == wanted;
}

/// "preconditions", or "gracePeriodSeconds: 0".
bool is_said(const Json& body, const std::string& words) {
  const std::size_t colon = words.find(": ");
  if (colon == std::string::npos) return !at_path(body, words).is_null();
  const Json found = at_path(body, words.substr(0, colon));
  const std::string value = words.substr(colon + 2);
  return !found.is_null() && (found.is_string() ? found.get<std::string>() : found.dump()) == value;
}

std::string wrong_form(const SentRequest& request, const RequestCheck& check) {
  if (!check.content_type.empty() && request.content_type != check.content_type) {
    return "its content type is " + request.content_type;
  }
  const Json body = Json::parse(request.body, nullptr, false);
  const std::string said = "its body is " + request.body;
  if (!check.body.is_null() && !says_at_least(body, check.body)) return said;
  for (const std::string& path : check.body_has) {
    if (at_path(body, path).is_null()) return said;
  }
  for (const std::string& words : check.body_lacks) {
    if (is_said(body, words)) return said;
  }
  return {};
}

/// The most that fell into one monitor period, counted from the start of the process.
std::size_t most_per_pass(const std::vector<Duration>& offsets, Duration began, Duration period) {
  std::map<Duration::rep, std::size_t> passes;
  std::size_t most = 0;
  for (const Duration offset : offsets) most = std::max(most, ++passes[(offset - began) / period]);
  return most;
}

std::string some_of(const std::vector<std::string>& told) {
  std::string text;
  const std::size_t shown = std::min<std::size_t>(told.size(), 3);
  for (std::size_t i = 0; i < shown; ++i) text += (i == 0 ? "" : ", ") + told[i];
  return std::to_string(told.size()) + " [" + text + (told.size() > shown ? ", …]" : "]");
}

bool fits_any(const std::vector<std::string>& patterns, const std::string& name) {
  return patterns.empty() || std::ranges::any_of(patterns, [&](const std::string& pattern) {
           return matches_pattern(pattern, name);
         });
}

/// `offsets` in the order of time.
Seen most_within(const std::vector<Duration>& offsets, const Rate& rate) {
  std::size_t first = 0;
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    while (offsets[i] - offsets[first] >= rate.span) ++first;
    const auto found = static_cast<double>(i - first + 1);
    if (found <= rate.max) continue;
    return {.what = number_text(found) + " within " + go_duration(rate.span) + " from " +
                    offset_text(offsets[first]) + ", not at most " + number_text(rate.max)};
  }
  return {.holds = true};
}

std::string times_text(const std::vector<Duration>& offsets) {
  std::string text = std::to_string(offsets.size());
  if (offsets.empty()) return text;
  text += " at";
  const std::size_t shown = std::min<std::size_t>(offsets.size(), 5);
  for (std::size_t i = 0; i < shown; ++i) text += (i == 0 ? " " : ", ") + offset_text(offsets[i]);
  return offsets.size() > shown ? text + ", …" : text;
}

// --- events -------------------------------------------------------------------------------------

/// "Node/n", "Pod/p" in whatever namespace, "Pod/ns/p", "Node/*", "*".
bool is_about(const Json& involved, const std::string& object) {
  if (object == "*") return true;
  const std::string kind = text_at(involved, "kind");
  const std::string name = text_at(involved, "name");
  return object == kind + "/*" || object == kind + "/" + name ||
         object == kind + "/" + text_at(involved, "namespace") + "/" + name;
}

bool fits(const Json& event, const EventCheck& check, WallTime start) {
  const Json involved = event.value("involvedObject", Json::object());
  if (!is_about(involved, check.object)) return false;
  if (check.reason != "*" && text_at(event, "reason") != check.reason) return false;
  if (!difference(event, check.fields, start).empty()) return false;
  if (check.uid && text_at(involved, "uid") != *check.uid) return false;
  const Json source = event.value("source", Json::object());
  if (!check.component.empty() && text_at(source, "component") != check.component) return false;
  const Json metadata = event.value("metadata", Json::object());
  if (!check.namespace_name.empty() && text_at(metadata, "namespace") != check.namespace_name) {
    return false;
  }
  return difference(involved, check.object_fields, start).empty();
}

std::string shown(const EventSeen& seen) {
  const Json involved = seen.event.value("involvedObject", Json::object());
  return text_at(seen.event, "reason") + " " + text_at(involved, "kind") + "/" +
         text_at(involved, "name");
}

}  // namespace

Seen count(const RequestCheck& check, const Stage& stage, Span span) {
  std::vector<Duration> offsets;
  for (const SentRequest& request : stage.interceptor().sent()) {
    const Duration offset = request.at - stage.origin();
    if (!is_in(offset, span) || (check.after && offset <= *check.after)) continue;
    if (!matches(check.requests, request, stage.interceptor().chosen())) continue;
    offsets.push_back(offset);
    const std::string wrong = wrong_form(request, check);
    if (!wrong.empty()) {
      return {.what = "at " + offset_text(offset) + " " + request.text() + ": " + wrong};
    }
  }
  if (check.count && !check.count->contains(static_cast<double>(offsets.size()))) {
    return counted(static_cast<double>(offsets.size()), *check.count, times_text(offsets));
  }
  for (const Rate& rate : check.rates) {
    if (Seen seen = most_within(offsets, rate); !seen.holds) return seen;
  }
  if (!check.per_pass) return {.holds = true};
  const std::size_t most =
      most_per_pass(offsets, stage.replicas().began(check.requests.replica.value_or("")),
                    stage.flags().loop.policy.monitor_period);
  return counted(static_cast<double>(most), *check.per_pass,
                 std::to_string(most) + " in one monitor period");
}

Seen count(const EventCheck& check, const Stage& stage, Span span) {
  long long found = 0;
  std::string all;
  for (const EventSeen& seen : stage.changes().events()) {
    const Duration offset = seen.at - stage.origin();
    if (!is_in(offset, span)) continue;
    if (all.size() < 200) all += (all.empty() ? "" : ", ") + shown(seen);
    if (fits(seen.event, check, stage.start())) found += seen.occurrences;
  }
  return counted(static_cast<double>(found), check.count,
                 std::to_string(found) + " of [" + all + "]");
}

Seen count(const EvictionCheck& check, const Stage& stage, Span span) {
  std::string nodes;
  int found = 0;
  for (const Eviction& eviction : stage.changes().evictions()) {
    const Duration offset = eviction.at - stage.origin();
    if (eviction.zone != check.key || !is_in(offset, span)) continue;
    ++found;
    nodes += (nodes.empty() ? "" : ", ") + eviction.node + " " + offset_text(offset);
  }
  return counted(found, check.nodes, std::to_string(found) + " (" + nodes + ")");
}

Seen count(const PodsEvictedCheck& check, const Stage& stage, Span span) {
  std::vector<std::string> pods;
  for (const PodEvicted& pod : stage.changes().pods_evicted()) {
    const bool wanted = fits_any(check.nodes, pod.node) &&
                        (fits_any(check.names, pod.key) ||
                         fits_any(check.names, pod.key.substr(pod.key.find('/') + 1)));
    const Duration offset = pod.at - stage.origin();
    if (wanted && is_in(offset, span)) {
      pods.push_back(pod.key + " of " + pod.node + " " + offset_text(offset));
    }
  }
  return counted(static_cast<double>(pods.size()), check.count, some_of(pods));
}

Seen count(const LogCheck& check, const Stage& stage, Span span) {
  std::vector<std::string> lines;
  for (const LogLine& line : stage.log()) {
    const bool wanted = line.text.find(check.message) != line.text.npos &&
                        check.level.value_or(line.level) == line.level &&
                        check.replica.value_or(line.replica) == line.replica;
    if (wanted && is_in(line.at, span)) lines.push_back(offset_text(line.at) + " " + line.text);
  }
  return counted(static_cast<double>(lines.size()), check.count, some_of(lines));
}

Seen count(const SequenceCheck& check, const Stage& stage, Span span) {
  std::set<std::string> objects;
  for (const std::string& text : check.requests) {
    const std::string object = text.substr(text.find(' ') + 1);
    objects.insert(object.substr(0, object.find('/', object.find('/') + 1)));
  }
  std::vector<std::string> found;
  for (const SentRequest& request : stage.interceptor().sent()) {
    if (!is_in(request.at - stage.origin(), span)) continue;
    if (objects.contains(request.info.resource + "/" + request.info.name)) {
      found.push_back(request.text());
    }
  }
  return {.holds = found == check.requests, .what = "the requests were " + Json(found).dump()};
}

}  // namespace nlc::sim::scenario
