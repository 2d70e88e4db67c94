#include "sim/apiserver/verbs.h"

#include <absl/strings/str_join.h>
#include <algorithm>
#include <utility>
#include <vector>

#include "client/text_response.h"
#include "sim/apiserver/requests/write_options.h"
#include "sim/apiserver/types/json_text.h"
#include "sim/apiserver/validation/metadata_validation.h"
#include "sim/apiserver/validation/warnings.h"

namespace nlc::sim {
namespace {

using Json = nlohmann::json;
using client::json_response;
using client::Response;

constexpr long long most_counted = 100'000;
/// For so long an eviction that meets a conflict is tried again, unless it names a version: 20
/// times for half a second.
constexpr Duration eviction_retries = std::chrono::seconds(10);

WriteTarget target_of(const RequestInfo& info, bool dry_run = false) {
  return {.namespace_name = info.known->namespaced ? info.namespace_name : "",
          .name = info.name,
          .subresource = info.subresource,
          .dry_run = dry_run};
}

std::string prefix_of(const RequestInfo& info) {
  const bool within = info.known->namespaced && !info.namespace_name.empty();
  return within ? info.namespace_name + "/" : "";
}

/// Where a list within that prefix begins; empty: with the first.
std::string first_key(const std::string& prefix, const ReadOptions& options) {
  if (!options.continuation) return "";
  return prefix + options.continuation->after + std::string(1, '\0');
}

/// All pods of one node, as they are now, are found without looking at the others.
void visit(Storage& storage, const Resource& resource, const Range& range,
           const ReadOptions& options, const Storage::Visitor& visitor) {
  const std::optional<std::string_view> node = options.selection.fields.fixed("spec.nodeName");
  const bool all_now = range.version == 0 && range.prefix.empty() && options.limit == 0;
  if (!node || resource.kind != "Pod" || !all_now) return storage.visit(resource, range, visitor);
  storage.visit_pods_of(*node, visitor);
}

Response status_success(int code, const Json& details) {
  nlohmann::ordered_json status{{"kind", "Status"},
                                {"apiVersion", "v1"},
                                {"metadata", nlohmann::ordered_json::object()},
                                {"status", "Success"}};
  if (!details.empty()) status["details"] = details;
  if (code != 200) status["code"] = code;
  return json_response(code, status.dump());
}

/// The internal type of a resource's objects, as Go prints it: "*apps.DaemonSet".
std::string go_type_of(const Resource& resource) {
  return "*" + go_package(resource) + "." + std::string(resource.kind);
}

StatusError wrong_form(const std::string& wanted, const std::string& found) {
  StatusError error =
      bad_request("you requested " + wanted + ", but the requested object is " + found);
  error.code = 406;
  error.reason = "NotAcceptable";
  return error;
}

bool asks_for(const std::string& form, const Asked& asked) {
  return asked.request.accept.find("as=" + form + ";") != std::string::npos &&
         Verbs::shape_of(asked).form == Form::Metadata;
}

/// A whole JSON object, of a kind that is nothing but what its writers say, and no options.
bool is_whole_object(const Asked& asked) {
  const WriteRules& rules = asked.info.known->rules;
  return !asked.admission && !rules.status_apart && !rules.counts_generations &&
         asked.info.subresource.empty() && asked.request.content_type == "application/json" &&
         asked.request.target.find('?') == std::string::npos;
}

bool may(const Resource& resource, const RequestInfo& info) {
  const Subresource* subresource = find_subresource(resource, info.subresource);
  const auto verbs = subresource == nullptr ? resource.verbs : subresource->verbs;
  return std::ranges::find(verbs, info.verb) != verbs.end();
}

}  // namespace

Response refusal(const StatusError& error) {
  Response response = json_response(error.code, body_of(error));
  if (error.details.retry_after_seconds > 0) {
    response.retry_after = std::chrono::seconds(error.details.retry_after_seconds);
  }
  return response;
}

Shape Verbs::shape_of(const Asked& asked) {
  const Accepted accepted = accepted_form(asked.request.accept);
  return {accepted.form, row_object(asked.info.query.get("includeObject")), accepted.beta};
}

std::uint64_t Verbs::awaited_version(const RequestInfo& info) {
  if (info.known == nullptr) return 0;
  if (info.verb == "get") {
    const auto version = get_version(info);
    return version ? version->value_or(0) : 0;
  }
  if (info.verb == "list" || info.verb == "deletecollection") {
    const Outcome<ReadOptions> options = list_options(info);
    return options ? options->awaited_version() : 0;
  }
  if (info.verb != "watch") return 0;
  const Outcome<ReadOptions> options = watch_options(info);
  const bool streams = options && options->initial_events.value_or(false);
  return streams ? options->awaited_version()
                 : 0;  // a plain watch from the future just stays silent
}

Response Verbs::answer(const Asked& asked) {
  const RequestInfo& info = asked.info;
  if (!info.subresource.empty() && find_subresource(*info.known, info.subresource) == nullptr) {
    return refusal(unknown_resource());
  }
  const bool of_one = info.verb == "update" || info.verb == "patch";
  const bool of_all_namespaces = info.known->namespaced && info.namespace_name.empty();
  const bool is_read = info.verb == "list" || info.verb == "get";
  const bool head = asked.request.method == "HEAD";
  if (head || !may(*info.known, info) || (of_one && info.name.empty()) ||
      (of_all_namespaces && !is_read))
    return refusal(method_not_allowed());
  if (const std::string why = absl::StrJoin(path_segment_faults(info.name), ";"); !why.empty())
    return refusal(bad_request("Name parameter invalid: " + json_text(info.name) + ": " + why));
  if (const std::string_view text = warning_of_kind(*info.known); !text.empty())
    warn(asked, std::string(text));
  try {
    if (info.verb == "get") return get(asked);
    if (info.verb == "list") return list(asked);
    if (info.verb == "create") return create(asked);
    if (info.verb == "update") return update(asked);
    if (info.verb == "patch") return patch(asked);
    if (info.verb == "delete") return remove(asked);
    return remove_collection(asked);
  } catch (const Json::exception& error) {
    // A field of another type than its kind has: Go's decoder would have refused the body.
    return refusal(bad_request(std::string(info.known->kind) + " in version \"" +
                               api_version_of(*info.known) + "\" cannot be handled as a " +
                               std::string(info.known->kind) + ": " + error.what()));
  }
}

Response Verbs::shown(const Asked& asked, int status, const ObjectRef& object) {
  const ObjectView view(storage_, object);
  return json_response(status,
                       represented(*asked.info.known, view, shape_of(asked), clock_.wall_now()));
}

Response Verbs::get(const Asked& asked) {
  const auto version = get_version(asked.info);
  if (!version) return refusal(version.error());
  const Resource& resource = *asked.info.known;
  const ObjectRef object =
      storage_.find(resource, Registry::key_of(resource, target_of(asked.info)));
  if (!object) return refusal(not_found(resource, asked.info.name));
  if (asks_for("PartialObjectMetadataList", asked)) {
    return refusal(
        wrong_form("PartialObjectMetadataList", "not a list (" + go_type_of(resource) + ")"));
  }
  return shown(asked, 200, object);
}

Response Verbs::list(const Asked& asked) {
  Outcome<ReadOptions> options = list_options(asked.info);
  if (!options) return refusal(options.error());
  const Resource& resource = *asked.info.known;
  const bool any_state = !options->continuation && options->version == 0U;
  if (any_state) options->limit = 0;  // the cache ignores it
  if (most_on_a_page_ > 0) options->limit = std::min(options->limit, most_on_a_page_);
  const Outcome<std::uint64_t> version = exact_version(resource, *options, options->limit > 0);
  if (!version) return refusal(version.error());
  if (asks_for("PartialObjectMetadata", asked)) {
    return refusal(
        wrong_form("PartialObjectMetadata", "a list (" + go_type_of(resource) + "List)"));
  }
  if (!options->version && *version == 0) storage_.note_consistent_read(resource);
  options->version = *version;
  return page(asked, *options);
}

/// Which state a list shows, 0 standing for now. A limit pins a plain version to exactly that
/// state; so does a continued list.
Outcome<std::uint64_t> Verbs::exact_version(const Resource& resource, const ReadOptions& options,
                                            bool limited) const {
  const bool exact =
      options.match == VersionMatch::Exact || (limited && options.match == VersionMatch::Unset);
  std::uint64_t version = exact ? options.version.value_or(0) : 0;
  if (options.continuation) version = options.awaited_version();
  if (version == 0 || version >= storage_.history_start(resource)) return version;
  if (!options.continuation)
    return expired("The resourceVersion for the provided list is too old.");
  StatusError error = expired(
      "The provided continue parameter is too old to display a consistent list result. You can "
      "start a new list without the continue parameter, or use the continue token in this response "
      "to retrieve the remainder of the results. Continuing with the provided token results in an "
      "inconsistent list - objects that were created, modified, or deleted between the time the "
      "first chunk was returned and now may show up in the list.");
  error.continue_token = continue_token({-1, options.continuation->after});
  return error;
}

/// One page from `options.version`, 0 standing for now.
Response Verbs::page(const Asked& asked, const ReadOptions& options) {
  const Resource& resource = *asked.info.known;
  const std::string prefix = prefix_of(asked.info);
  const std::uint64_t version = options.version.value_or(0);
  const std::string from = first_key(prefix, options);
  ListBody body(resource, shape_of(asked), clock_.wall_now());
  std::string last;
  long long remaining = 0;
  bool counts = options.selection.empty();
  const auto add = [&](const ObjectRef& object) {
    if (!options.selection.empty() && !options.selection.matches(ObjectView(storage_, object)))
      return true;
    if (options.limit > 0 && body.size() == options.limit) {
      ++remaining;
      // With a selection it is enough to know that more follows; and pages of a huge list need not
      // walk to its end each time, for the count is only an estimate to clients.
      counts = counts && remaining < most_counted;
      return counts;
    }
    body.add(object, storage_);
    if (options.limit > 0) last = object->key.substr(prefix.size());
    return true;
  };
  visit(storage_, resource, {prefix, from, version}, options, add);
  const std::uint64_t told = version == 0 ? storage_.version() : version;
  std::string token;
  if (remaining > 0) token = continue_token({static_cast<std::int64_t>(told), last});
  return json_response(200, std::move(body).finish(told, token, counts ? remaining : -1));
}

Response Verbs::written(const Asked& asked, const Outcome<Written>& outcome) {
  if (!outcome) return refusal(outcome.error());
  return shown(asked, outcome->created ? 201 : 200, outcome->object);
}

Response Verbs::create(const Asked& asked) {
  if (!asked.info.name.empty() && asked.info.subresource.empty())
    return refusal(method_not_allowed());
  const Outcome<WriteOptions> options = write_options(asked.info.query, WriteKind::Create);
  if (!options) return refusal(options.error());
  Outcome<Json> body = object_body(asked, options->validation);
  if (!body) return refusal(body.error());
  const WriteTarget target = target_of(asked.info, options->dry_run);
  if (!asked.info.subresource.empty()) return pod_action(asked, target, *body);
  return written(asked, registry_.create(*asked.info.known, target, std::move(*body)));
}

Response Verbs::pod_action(const Asked& asked, const WriteTarget& target, const Json& body) {
  if (asked.info.subresource == "binding") {
    const Outcome<Written> bound = registry_.bind(target, body);
    return bound ? status_success(201, Json()) : refusal(bound.error());
  }
  const Outcome<Removed> evicted = registry_.evict(target, body);
  const bool tries_again =
      !evicted && evicted.error().reason == "Conflict" &&
      !member(member(member(body, "deleteOptions"), "preconditions"), "resourceVersion")
           .is_string();
  if (tries_again && asked.delay != nullptr) *asked.delay += eviction_retries;
  return evicted ? status_success(201, Json()) : refusal(evicted.error());
}

Response Verbs::update(const Asked& asked) {
  const Resource& resource = *asked.info.known;
  const bool whole = is_whole_object(asked);
  if (whole) {
    const std::string key = Registry::key_of(resource, target_of(asked.info));
    const ObjectRef repeated = repeated_.repeat(resource, key, asked.request.body);
    if (repeated) return shown(asked, 200, repeated);
  }
  const std::size_t warned = asked.warning != nullptr ? asked.warning->size() : 0;
  const Outcome<WriteOptions> options = write_options(asked.info.query, WriteKind::Update);
  if (!options) return refusal(options.error());
  Outcome<Json> body = object_body(asked, options->validation);
  if (!body) return refusal(body.error());
  const WriteTarget target = target_of(asked.info, options->dry_run);
  const Outcome<Written> outcome = registry_.update(resource, target, std::move(*body));
  const bool warns = asked.warning != nullptr && asked.warning->size() > warned;
  if (whole && outcome && !warns) repeated_.taken(resource, asked.request.body, outcome->object);
  return written(asked, outcome);
}

Response Verbs::patch(const Asked& asked) {
  const std::optional<PatchType> type = patch_type(asked.request.content_type);
  if (!type) return refusal(unsupported_patch());
  const Outcome<WriteOptions> options = write_options(
      asked.info.query, type == PatchType::Apply ? WriteKind::Apply : WriteKind::Patch);
  if (!options) return refusal(options.error());
  Outcome<Json> body = patch_body(asked, *type, options->validation);
  if (!body) return refusal(body.error());
  const WriteTarget target = target_of(asked.info, options->dry_run);
  const Resource& resource = *asked.info.known;
  if (*type != PatchType::Apply && !storage_.find(resource, Registry::key_of(resource, target)))
    return refusal(not_found(resource, target.name));
  if (const auto error = refused_form(*body, *type)) return refusal(*error);
  std::vector<std::string> complaints;
  const Outcome<Written> outcome =
      registry_.patch(resource, target, {*body, *type, options->validation, complaints});
  warn_of(asked, options->validation, complaints);
  return written(asked, outcome);
}

Response Verbs::remove(const Asked& asked) {
  const Outcome<DeleteOptions> options = delete_options(asked.request, asked.info.query);
  if (!options) return refusal(options.error());
  const WriteTarget target = target_of(asked.info, options->dry_run);
  const Resource& resource = *asked.info.known;
  const Outcome<Removed> removed = registry_.remove(resource, target, *options);
  if (!removed) return refusal(removed.error());
  if (resource.kind == "Pod" || resource.kind == "ServiceAccount" || !removed->gone) {
    return shown(asked, 200, removed->object);
  }
  const Json metadata = parse_json(removed->object->bytes).at("metadata");
  Json details{
      {"name", target.name}, {"kind", resource.plural}, {"uid", metadata.value("uid", "")}};
  if (!resource.group.empty()) details["group"] = resource.group;
  return status_success(200, details);
}

Response Verbs::remove_collection(const Asked& asked) {
  const Resource& resource = *asked.info.known;
  const Outcome<ReadOptions> options = list_options(asked.info);
  if (!options) return refusal(options.error());
  WriteTarget target = target_of(asked.info);
  const Outcome<DeleteOptions> deletion = delete_options(asked.request, asked.info.query);
  if (!deletion) return refusal(deletion.error());
  target.dry_run = deletion->dry_run;
  // What is deleted is what a list by pages with these options shows, and the list is the answer.
  const Outcome<std::uint64_t> version = exact_version(resource, *options, true);
  if (!version) return refusal(version.error());
  const std::string prefix = prefix_of(asked.info);
  std::vector<ObjectRef> chosen;
  long long remaining = 0;
  const std::string first = first_key(prefix, *options);
  const Range range{prefix, first, *version};
  storage_.visit(resource, range, [&](const ObjectRef& object) {
    if (!options->selection.matches(ObjectView(storage_, object))) return true;
    if (options->limit > 0 && chosen.size() == options->limit)
      ++remaining;
    else
      chosen.push_back(object);
    return remaining < most_counted;
  });
  std::string token;
  if (remaining > 0) {
    token = continue_token(
        {static_cast<std::int64_t>(storage_.version()), chosen.back()->key.substr(prefix.size())});
  }
  const bool counts = options->selection.empty() && remaining < most_counted;
  ListBody body(resource, shape_of(asked), clock_.wall_now());
  for (const ObjectRef& object : chosen) {
    target.namespace_name = object->namespace_name();
    target.name = object->name();
    const Outcome<Removed> removed = registry_.remove(resource, target, *deletion);
    if (removed)
      body.add(object, storage_);
    else if (removed.error().reason != "NotFound")
      return refusal(removed.error());
  }
  return json_response(200,
                       std::move(body).finish(storage_.version(), token, counts ? remaining : -1));
}

}  // namespace nlc::sim
