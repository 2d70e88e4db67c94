#include "net/rest/rest_client.h"

#include <cassert>
#include <cpprest/http_client.h>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <pplx/threadpool.h>
#include <set>
#include <utility>

#include "net/credentials/credentials.h"
#include "net/http/http_date.h"
#include "net/http/listen_address.h"
#include "net/http_client/server_link.h"
#include "net/process/open_files.h"
#include "net/rest/rest_tls.h"

namespace nlc::net {

namespace http = web::http;
using client::RequestPriority;

namespace {

/// The library's pool belongs to the process and is 40 threads by default, which costs four times
/// the CPU of one.
void use_one_thread() {
  static const bool done = [] {
    crossplat::threadpool::initialize_with_threads(1);
    return true;
  }();
  assert(done);
}

// The library's timeout is one of inactivity; the time of a call is kept by us.
constexpr std::chrono::seconds inactivity{120};

http::client::http_client make_client(const ClusterConfig& server, RestTls& tls) {
  use_one_thread();
  http::client::http_client_config config;
  config.set_timeout(inactivity);
  config.set_max_redirects(0);
  config.set_validate_certificates(!server.insecure);
  config.set_ssl_context_callback(
      [&tls](boost::asio::ssl::context& context) { tls.equip(context); });
  const std::string scheme = server.tls ? "https://" : "http://";
  return {web::uri(scheme + address_text(server.host, server.port)), config};
}

/// Ends an answer from within the library.
struct TooLong final : std::exception {
  const char* what() const noexcept override { return answer_too_long; }
};

http::http_request rest_request(const ClusterConfig& server, const client::Request& request) {
  http::http_request rest(request.method);
  rest.set_request_uri(web::uri(server.path_prefix + request.target));
  rest.headers().add("Accept", request.accept);
  // It is also the name that the library verifies.
  if (!server.tls_server_name.empty()) rest.headers().add("Host", server.tls_server_name);
  if (!request.body.empty()) {
    rest.set_body(std::vector<unsigned char>(request.body.begin(), request.body.end()));
    rest.headers().set_content_type(request.content_type);
  }
  rest.set_progress_handler([](http::message_direction::direction way, utility::size64_t bytes) {
    const bool too_long = way == http::message_direction::download && bytes > single_body_limit;
    if (too_long) throw TooLong();
  });
  return rest;
}

std::string header(const http::http_response& response, const char* name) {
  const auto found = response.headers().find(name);
  return found == response.headers().end() ? std::string() : found->second;
}

pplx::task<client::Response> whole_response(http::http_response rest) {
  return rest.extract_vector().then([rest](const std::vector<unsigned char>& body) {
    return client::Response{.status = rest.status_code(),
                            .content_type = header(rest, "Content-Type"),
                            .retry_after = parse_retry_after(header(rest, "Retry-After")),
                            .date = parse_http_date(header(rest, "Date")),
                            .body = std::string(body.begin(), body.end())};
  });
}

/// The library's words and codes, in ours. Its own say which step of its work failed, which helps
/// nobody.
Error error_of(const http::http_exception& exception, const ClusterConfig& server, RestTls& tls) {
  const std::string what = exception.what();
  const int code = exception.error_code().value();
  const auto says = [&what](const char* words) { return what.find(words) != std::string::npos; };
  const auto is = [code](std::errc known) { return code == static_cast<int>(known); };
  Error error = server_error(server, Fault::Unavailable, "");
  if (tls.cut_off()) {
    error.fault = Fault::Malformed;
    error.path += TooLong().what();
  } else if (const auto exhausted = no_file_can_be_opened()) {
    error.path += *exhausted;
  } else if (is(std::errc::timed_out)) {
    error.fault = Fault::Timeout;
    error.path += "the server fell silent";
  } else if (says("SSL") || says("certificate")) {
    error.path += tls.failure().empty() ? what : tls.failure();
  } else if (says("resolving")) {
    error.path += "the name " + server.host + " was not found (DNS)";
  } else if (says("Failed to connect")) {
    // The library reports a refused connection as an unreachable host.
    error.path += "connection refused or host unreachable";
  } else if (is(std::errc::connection_reset)) {
    error.path += "connection reset by the server";
  } else if (says("Invalid") || says("parsing") || says("invalid")) {
    error.fault = Fault::Malformed;
    error.path += "the answer is no HTTP";
  } else {
    error.path += "the server closed the connection before it had answered";
  }
  return error;
}

/// What a finished task says, its exceptions ended here.
Result<client::Response> outcome(const pplx::task<client::Response>& task,
                                 const ClusterConfig& server, RestTls& tls) {
  try {
    return task.get();
  } catch (const http::http_exception& exception) {
    return error_of(exception, server, tls);
  } catch (const TooLong& exception) {
    return server_error(server, Fault::Malformed, exception.what());
  } catch (const pplx::task_canceled&) {
    return server_error(server, Fault::Timeout, "cancelled");
  } catch (const std::exception& exception) {
    return server_error(server, Fault::Unavailable, exception.what());
  }
}

}  // namespace

/// All that is asked and not yet answered; executor's thread.
struct RestClient::Pending : std::enable_shared_from_this<Pending> {
  using Order = std::pair<RequestPriority, std::uint64_t>;  // by priority, then as they came
  struct Call {
    client::Request request;
    client::Answer answer;
    Timer timer = {};
    std::string authorization = {};
    std::uint64_t flight = 0;
    bool repeated = false;
  };
  struct Flight {
    pplx::cancellation_token_source cancel;
    pplx::task<void> task;
  };

  Pending(Credentials& who, const Surroundings& around, RestClientOptions how)
      : server(who.server()),
        surroundings(around),
        options(std::move(how)),
        credentials(who),
        tls(who),
        library(make_client(server, tls)) {}

  void submit(client::Request request, client::Answer answer) {
    const Order order{request.priority, next_number++};
    Call call{.request = std::move(request), .answer = std::move(answer)};
    call.timer = surroundings.executor.run_at(surroundings.clock.now() + call.request.timeout,
                                              [this, order] { give_up(order); });
    calls.emplace(order, std::move(call));
    waiting.insert(order);
    start_waiting();
  }

  void start_waiting() {
    while (!waiting.empty()) {
      const Order order = *waiting.begin();
      if (working >= options.requests_max) return;
      waiting.erase(waiting.begin());
      start(order, calls.at(order));
    }
  }

  void start(Order order, Call& call) {
    ++working;
    call.authorization = credentials.authorization();
    call.flight = next_number++;
    http::http_request rest = rest_request(server, call.request);
    rest.headers().add("User-Agent", options.user_agent);
    if (!call.authorization.empty()) rest.headers().add("Authorization", call.authorization);
    pplx::cancellation_token_source cancel;
    auto task = library.request(rest, cancel.get_token())
                    .then(whole_response)
                    .then(landing(order, call.flight));
    flights.emplace(call.flight, Flight{.cancel = cancel, .task = std::move(task)});
  }

  /// Runs on the library's thread, where `this` is alive because `abandon` waits for every task;
  /// what it posts may come when all this has gone.
  std::function<void(pplx::task<client::Response>)> landing(Order order, std::uint64_t flight) {
    return
        [this, weak = weak_from_this(), order, flight](const pplx::task<client::Response>& done) {
          Result<client::Response> result = outcome(done, server, tls);
          surroundings.executor.post([weak, order, flight, result = std::move(result)]() mutable {
            if (const auto living = weak.lock()) living->landed(order, flight, std::move(result));
          });
        };
  }

  void landed(Order order, std::uint64_t flight, Result<client::Response> result) {
    flights.erase(flight);
    --working;
    if (const auto call = calls.find(order); call != calls.end()) {
      if (heals(call->second, result)) {
        waiting.insert(order);
      } else {
        finish(order, std::move(result));
      }
    }
    start_waiting();
  }

  /// A 401 that a fresh token or a fresh client certificate may heal is asked once more. A server
  /// judges the certificate with which a connection was opened, so that takes new connections.
  bool heals(Call& call, const Result<client::Response>& result) {
    if (!result || result->status != 401 || std::exchange(call.repeated, true)) return false;
    if (credentials.authorization_after(call.authorization) != call.authorization) return true;
    if (server.client_certificate.empty()) return false;
    library = make_client(server, tls);
    return true;
  }

  void give_up(Order order) {
    const Call& call = calls.at(order);
    if (const auto flight = flights.find(call.flight); flight != flights.end())
      flight->second.cancel.cancel();
    waiting.erase(order);
    finish(order, server_error(server, Fault::Timeout, no_answer_in_time));
  }

  void finish(Order order, Result<client::Response> result) {
    auto entry = calls.extract(order);
    entry.mapped().timer.end();
    entry.mapped().answer(std::move(result));
  }

  /// Cancels everything and waits: the tasks refer to us.
  void abandon() {
    calls.clear();
    for (auto& [number, flight] : flights) flight.cancel.cancel();
    for (auto& [number, flight] : flights) flight.task.wait();
  }

  const ClusterConfig& server;
  const Surroundings surroundings;
  const RestClientOptions options;
  Credentials& credentials;
  RestTls tls;
  http::client::http_client library;
  std::map<Order, Call> calls;
  std::set<Order> waiting;
  std::map<std::uint64_t, Flight> flights;
  std::size_t working = 0;
  std::uint64_t next_number = 1;
};

RestClient::RestClient(Credentials& credentials, const Surroundings& surroundings,
                       RestClientOptions options)
    : pending_(std::make_shared<Pending>(credentials, surroundings, std::move(options))) {}

RestClient::~RestClient() { pending_->abandon(); }

void RestClient::send(client::Request request, client::Answer answer) {
  assert(!client::is_gated(request.priority) && request.priority != RequestPriority::Election);
  pending_->submit(std::move(request), std::move(answer));
}

Subscription RestClient::watch(client::Request, std::unique_ptr<client::StreamReader>) {
  assert(!"watches do not go through the REST client");
  std::abort();
}

}  // namespace nlc::net
