#include "client/verbs.h"

namespace nlc::client {
namespace {

/// Of one of the two that a page may need, for which somebody waits.
constexpr Duration review_timeout = std::chrono::seconds(4);

constexpr std::string_view strategic_merge = "application/strategic-merge-patch+json";

/// Sends, and hands on what `read` makes of an accepted answer.
template <typename T, typename Read>
void exchange(Transport& transport, Request request, Done<T> done, Read read) {
  Request sent{.method = request.method, .target = request.target};  // its name, for errors
  transport.send(std::move(request),
                 [sent = std::move(sent), done = std::move(done), read](Result<Response> answer) {
                   Result<Response> response = accepted(sent, std::move(answer));
                   if (!response) return done(std::move(response.error()));
                   Result<T> value = read(*response);
                   if (!value) return done(unreadable(sent, std::move(value.error())));
                   done(std::move(value));
                 });
}

template <typename T>
void exchange_object(Transport& transport, Request request, Done<T> done) {
  request.accept = api::accepted_encodings;
  exchange<T>(transport, std::move(request), std::move(done), [](const Response& response) {
    return api::Decoder<T>(api::encoding_of(response.content_type)).object(response.body);
  });
}

void exchange_lease(Transport& transport, Request request, Duration timeout,
                    Done<api::Lease> done) {
  request.timeout = timeout;
  exchange<api::Lease>(transport, std::move(request), std::move(done),
                       [](const Response& response) { return api::decode_lease(response.body); });
}

Result<std::monostate> read_nothing(const Response&) { return std::monostate{}; }

Request patch(RequestPriority priority, std::string target, std::string body,
              Try attempt = Try::First) {
  return {.method = "PATCH",
          .target = std::move(target),
          .content_type = std::string(strategic_merge),
          .body = std::move(body),
          .priority = priority,
          .attempt = attempt};
}

Request with_body(std::string method, RequestPriority priority, std::string target,
                  std::string body) {
  return {.method = std::move(method),
          .target = std::move(target),
          .content_type = "application/json",
          .body = std::move(body),
          .priority = priority};
}

template <typename T, typename Read>
void review(Transport& transport, std::string_view collection, std::string body, Done<T> done,
            Read read) {
  Request request =
      with_body("POST", RequestPriority::Review, std::string(collection), std::move(body));
  request.timeout = review_timeout;
  exchange<T>(transport, std::move(request), std::move(done),
              [read](const Response& response) { return read(response.body); });
}

}  // namespace

void patch_node_status(Transport& transport, std::string_view node, std::string body,
                       Done<api::Node> done, Try attempt) {
  exchange_object(
      transport,
      patch(RequestPriority::NodeStatus, node_path(node) + "/status", std::move(body), attempt),
      std::move(done));
}

void patch_node(Transport& transport, std::string_view node, std::string body, Done<api::Node> done,
                Try attempt) {
  exchange_object(transport,
                  patch(RequestPriority::NodeWrite, node_path(node), std::move(body), attempt),
                  std::move(done));
}

void patch_pod_status(Transport& transport, std::string_view namespace_, std::string_view pod,
                      std::string body, Done<api::Pod> done, Try attempt) {
  exchange_object(transport,
                  patch(RequestPriority::PodWrite, pod_path(namespace_, pod) + "/status",
                        std::move(body), attempt),
                  std::move(done));
}

void delete_pod(Transport& transport, std::string_view namespace_, std::string_view pod,
                std::string options, Done<std::monostate> done, Try attempt) {
  Request request =
      with_body("DELETE", RequestPriority::PodWrite, pod_path(namespace_, pod), std::move(options));
  request.attempt = attempt;
  exchange<std::monostate>(transport, std::move(request), std::move(done), read_nothing);
}

void get_node(Transport& transport, std::string_view node, Done<api::Node> done, Try attempt) {
  exchange_object(transport, {.target = node_path(node), .attempt = attempt}, std::move(done));
}

void get_cached_node(Transport& transport, std::string_view node, Done<api::Node> done) {
  exchange_object(transport, {.target = node_path(node) + "?resourceVersion=0"}, std::move(done));
}

void get_pod(Transport& transport, std::string_view namespace_, std::string_view pod,
             Done<api::Pod> done, Try attempt) {
  exchange_object(transport, {.target = pod_path(namespace_, pod), .attempt = attempt},
                  std::move(done));
}

void get_config_map(Transport& transport, std::string_view namespace_, std::string_view name,
                    Done<api::ConfigMap> done) {
  exchange_object(transport,
                  {.target = config_maps_path(namespace_) + "/" + escaped(name),
                   .priority = RequestPriority::List},
                  std::move(done));
}

void get_node_lease(Transport& transport, std::string_view node, Done<api::NodeLease> done) {
  exchange_object(
      transport,
      {.target = lease_path("kube-node-lease", node), .priority = RequestPriority::LeaseRead},
      std::move(done));
}

void get_lease(Transport& transport, RequestPriority priority, std::string_view namespace_,
               std::string_view name, Duration timeout, Done<api::Lease> done) {
  exchange_lease(transport, {.target = lease_path(namespace_, name), .priority = priority}, timeout,
                 std::move(done));
}

void create_lease(Transport& transport, RequestPriority priority, const api::Lease& lease,
                  Duration timeout, Done<api::Lease> done) {
  exchange_lease(
      transport,
      with_body("POST", priority, leases_path(lease.namespace_), api::encode_lease(lease)), timeout,
      std::move(done));
}

void update_lease(Transport& transport, RequestPriority priority, const api::Lease& lease,
                  Duration timeout, Done<api::Lease> done) {
  exchange_lease(transport,
                 with_body("PUT", priority, lease_path(lease.namespace_, lease.name),
                           api::encode_lease(lease)),
                 timeout, std::move(done));
}

void create_event(Transport& transport, const api::Event& event, Done<std::monostate> done,
                  RequestPriority priority) {
  exchange<std::monostate>(
      transport,
      with_body("POST", priority, events_path(event.namespace_), api::encode_event(event)),
      std::move(done), read_nothing);
}

void count_event(Transport& transport, const api::Event& event, Done<std::monostate> done,
                 RequestPriority priority) {
  exchange<std::monostate>(
      transport,
      patch(priority, events_path(event.namespace_) + "/" + escaped(event.name),
            api::event_count_patch(event)),
      std::move(done), read_nothing);
}

void review_token(Transport& transport, std::string_view token,
                  Done<std::optional<api::User>> done) {
  review(transport, token_reviews_path, api::encode_token_review(token), std::move(done),
         api::decode_token_review);
}

void review_access(Transport& transport, const api::AccessQuestion& question, Done<bool> done) {
  review(transport, access_reviews_path, api::encode_access_review(question), std::move(done),
         api::decode_access_review);
}

std::string page_target(std::string_view collection, const PageQuery& query) {
  std::string target = std::string(collection) + "?limit=" + std::to_string(query.limit);
  if (!query.field_selector.empty()) target += "&fieldSelector=" + escaped(query.field_selector);
  if (!query.continue_token.empty()) {
    target += "&continue=" + escaped(query.continue_token);
  } else if (!query.resource_version.empty()) {
    target += "&resourceVersion=" + escaped(query.resource_version) +
              "&resourceVersionMatch=NotOlderThan";
  }
  return target;
}

}  // namespace nlc::client
