#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "api/access_review.h"
#include "api/decode.h"
#include "api/lease.h"
#include "api/patches.h"
#include "client/refusal.h"
#include "client/resources.h"
#include "client/transport.h"

/// Everything this program says to an API server, one function a sentence. Answers come on the
/// executor; what the server refuses comes as an Error that names the request.
namespace nlc::client {

template <typename T>
using Done = std::function<void(Result<T>)>;

/// Patches of our own, each answered with the object as the server then had it.
void patch_node_status(Transport&, std::string_view node, std::string body, Done<api::Node>,
                       Try = Try::First);
void patch_node(Transport&, std::string_view node, std::string body, Done<api::Node>,
                Try = Try::First);
void patch_pod_status(Transport&, std::string_view namespace_, std::string_view pod,
                      std::string body, Done<api::Pod>, Try = Try::First);
/// Answered with nothing: a pod that is given grace stays for a while, another is gone at once.
void delete_pod(Transport&, std::string_view namespace_, std::string_view pod, std::string options,
                Done<std::monostate>, Try = Try::First);

/// Quorum reads.
void get_node(Transport&, std::string_view node, Done<api::Node>, Try = Try::First);
void get_pod(Transport&, std::string_view namespace_, std::string_view pod, Done<api::Pod>,
             Try = Try::First);
void get_node_lease(Transport&, std::string_view node, Done<api::NodeLease>);
void get_config_map(Transport&, std::string_view namespace_, std::string_view name,
                    Done<api::ConfigMap>);
/// The Node as the server's cache has it: cheap, and may be a moment old.
void get_cached_node(Transport&, std::string_view node, Done<api::Node>);

void get_lease(Transport&, RequestPriority, std::string_view namespace_, std::string_view name,
               Duration timeout, Done<api::Lease>);
void create_lease(Transport&, RequestPriority, const api::Lease&, Duration timeout,
                  Done<api::Lease>);
void update_lease(Transport&, RequestPriority, const api::Lease&, Duration timeout,
                  Done<api::Lease>);

void create_event(Transport&, const api::Event&, Done<std::monostate>,
                  RequestPriority = RequestPriority::Event);
void count_event(Transport&, const api::Event&, Done<std::monostate>,
                 RequestPriority = RequestPriority::Event);

/// Whose token that is, nobody where the server does not accept it; and whether somebody may.
void review_token(Transport&, std::string_view token, Done<std::optional<api::User>>);
void review_access(Transport&, const api::AccessQuestion&, Done<bool>);

/// One page of a collection. With a `continue_token` the server must not be given a resourceVersion
/// as well (#85221), so this is the only place where the query of a list is put together.
struct PageQuery {
  std::string resource_version;  ///< empty: newest (quorum)
  std::string continue_token;
  int limit = 500;
  std::string field_selector;  ///< empty: all
};
std::string page_target(std::string_view collection, const PageQuery& query);

/// What is wrong with an item stands in the page as `server_words`, its key as it came.
template <typename T>
void get_page(Transport& transport, std::string_view collection, const PageQuery& query,
              Done<api::ListPage<T>> done) {
  Request request{.target = page_target(collection, query),
                  .accept = std::string(api::accepted_encodings),
                  .priority = RequestPriority::List};
  transport.send(request, [request, done = std::move(done)](Result<Response> answer) {
    Result<Response> response = accepted(request, std::move(answer));
    if (!response) return done(std::move(response.error()));
    Result<api::ListPage<T>> page =
        api::Decoder<T>(api::encoding_of(response->content_type)).list(response->body);
    if (!page) return done(unreadable(request, std::move(page.error())));
    for (api::MalformedItem& item : page->malformed) item.problem = server_words(item.problem);
    done(std::move(page));
  });
}

template <typename T>
void get_page(Transport& transport, const PageQuery& query, Done<api::ListPage<T>> done) {
  get_page<T>(transport, collection_of<T>(), query, std::move(done));
}

}  // namespace nlc::client
