#include "sim/apiserver/api_server.h"

#include <cassert>
#include <nlohmann/json.hpp>
#include <utility>

#include "sim/apiserver/discovery.h"
#include "sim/apiserver/types/go_text.h"
#include "sim/apiserver/validation/warnings.h"

namespace nlc::sim {

using client::IncomingRequest;
using client::Reply;
using client::Response;
using Json = nlohmann::json;

namespace {

/// For a version that the server has not reached.
constexpr Duration version_wait = std::chrono::seconds(3);

void load_namespaces(Registry& registry) {
  const Resource& namespaces = core_resource("namespaces");
  for (const char* name : {"default", "kube-node-lease", "kube-public", "kube-system"}) {
    const Outcome<Written> made = registry.create(namespaces, {}, {{"metadata", {{"name", name}}}});
    assert(made);
  }
}

/// What everybody may see.
bool is_public(std::string_view path) {
  for (const std::string_view open : {"/version", "/readyz", "/livez", "/healthz"}) {
    if (path == open || (path.starts_with(open) && path[open.size()] == '/')) return true;
  }
  return false;
}

std::string token_of(const IncomingRequest& request) {
  constexpr std::string_view scheme = "Bearer ";
  return request.authorization.starts_with(scheme) ? request.authorization.substr(scheme.size())
                                                   : "";
}

StatusError forbidden_to(const std::string& user, const RequestInfo& info) {
  const std::string resource =
      info.subresource.empty() ? info.resource : info.resource + "/" + info.subresource;
  const std::string qualified =
      info.group.empty() ? info.resource : info.resource + "." + info.group;
  const std::string message =
      qualified + (info.name.empty() ? "" : " \"" + info.name + "\"") + " is forbidden: User \"" +
      user + "\" cannot " + info.verb + " resource \"" + resource + "\" in API group \"" +
      info.group + "\" " +
      (info.namespace_name.empty() ? "at the cluster scope"
                                   : "in the namespace \"" + info.namespace_name + "\"");
  return {.code = 403,
          .reason = "Forbidden",
          .message = message,
          .details = {.name = info.name, .group = info.group, .kind = info.resource},
          .has_details = true};
}

}  // namespace

ApiServer::ApiServer(const Clock& clock, Executor& executor, ApiServerOptions options)
    : clock_(clock),
      executor_(executor),
      options_(std::move(options)),
      storage_(clock, options_.history),
      registry_(storage_, clock, options_.seed),
      verbs_(storage_, registry_, clock),
      hub_(storage_, clock, executor, options_.seed + 1),
      garbage_(storage_, registry_, clock, executor),
      parked_(executor) {
  storage_.on_change(
      [this](const Resource& resource, const HistoryEvent& event) { changed(resource, event); });
  load_namespaces(registry_);
  registry_.on_write([this](const Json* before, Json& after) {
    return being_answered_ != nullptr && options_.admit &&
           options_.admit(being_answered_->info, being_answered_->request, before, after);
  });
  registry_.on_warning([this](const std::string& text) {
    if (being_answered_ != nullptr) warn(being_answered_->warning, text);
  });
}

ApiServer::~ApiServer() = default;

Subscription ApiServer::serve(IncomingRequest request, std::unique_ptr<Reply> reply) {
  auto call = std::make_unique<Call>();
  call->id = ++last_id_;
  call->info = request_info(request.method, request.target);
  call->request = std::move(request);
  call->reply = std::move(reply);
  const std::uint64_t id = call->id;
  receive(std::move(call));
  return Subscription(callbacks_.guard([this, id] {
    parked_.remove(id);
    hub_.remove(id);
  }));
}

void ApiServer::receive(std::unique_ptr<Call> call) {
  if (is_paused()) return parked_.for_pause(std::move(call));
  if (options_.intercept) {
    if (auto response = options_.intercept(call->info, call->request))
      return send(*call, std::move(*response));
  }
  if (const auto rule = faults_.take(call->info, call->request.user_agent))
    return perform(std::move(call), *rule);
  serve_now(std::move(call));
}

void ApiServer::perform(std::unique_ptr<Call> call, const FaultRule& rule) {
  switch (rule.action) {
    case FaultRule::Action::Answer:
      return send(*call, rule.answer);
    case FaultRule::Action::Drop:
      return tell(*call, 0);
    case FaultRule::Action::Hang:
      return parked_.until(Instant::max(), std::move(call), nullptr);
    case FaultRule::Action::Delay:
      return parked_.until(clock_.now() + rule.delay, std::move(call),
                           [this](std::unique_ptr<Call> later) { serve_now(std::move(later)); });
    case FaultRule::Action::LoseResponse:
      call->reply.reset();
      return serve_now(std::move(call));
    case FaultRule::Action::DelayResponse:
      call->response_delay = rule.delay;
      return serve_now(std::move(call));
  }
}

void ApiServer::serve_now(std::unique_ptr<Call> call) {
  if (const auto error = refused(*call)) return send(*call, refusal(*error));
  if (call->info.known == nullptr) {
    return send(*call, discovery_answer(call->info, call->request));
  }
  if (waits_for_version(call)) return;
  if (call->info.verb == "watch") return open_watch(*call);
  being_answered_ = call.get();
  Response response = verbs_.answer({.info = call->info,
                                     .request = call->request,
                                     .warning = &call->warning,
                                     .admission = options_.admit != nullptr,
                                     .delay = &call->response_delay});
  being_answered_ = nullptr;
  if (call->response_delay == Duration{0}) return send(*call, std::move(response));
  const Instant then = clock_.now() + call->response_delay;
  parked_.until(then, std::move(call),
                [this, response = std::move(response)](std::unique_ptr<Call> later) {
                  send(*later, response);
                });
}

std::optional<StatusError> ApiServer::refused(const Call& call) const {
  // Before anything else; a watch has another timeout.
  if (const std::string_view timeout = call.info.query.get("timeout");
      !timeout.empty() && call.info.verb != "watch") {
    if (const std::string fault = go_duration_fault(timeout); !fault.empty())
      return bad_request("invalid timeout specified in the request URL - " + fault);
  }
  std::string user = "system:admin";
  if (options_.users && !is_public(call.info.path)) {
    const auto found = options_.users->find(token_of(call.request));
    if (found == options_.users->end()) return unauthorized();
    user = found->second;
  }
  if (!call.info.resource.empty() && options_.allows && !options_.allows(user, call.info)) {
    return forbidden_to(user, call.info);
  }
  if (call.info.known != nullptr && !accepted_form(call.request.accept).acceptable)
    return not_acceptable(call.info.verb == "list" || call.info.verb == "watch");
  return std::nullopt;
}

bool ApiServer::waits_for_version(std::unique_ptr<Call>& call) {
  const std::uint64_t version = Verbs::awaited_version(call->info);
  if (version <= storage_.version()) return false;
  parked_.for_version(
      version, clock_.now() + version_wait, std::move(call),
      [this, version](std::unique_ptr<Call> late) { give_up_waiting(*late, version); });
  return true;
}

void ApiServer::give_up_waiting(Call& call, std::uint64_t version) {
  const StatusError error = version_too_large(version, storage_.version());
  if (call.info.verb != "watch") return send(call, refusal(error));
  tell(call, 200);
  if (!call.reply) return;
  call.reply->open("application/json", date_of(clock_));
  call.reply->write(std::make_shared<const std::string>(watch_line("ERROR", body_of(error))));
  call.reply->close();
}

void ApiServer::open_watch(Call& call) {
  if (!call.reply) return tell(call, 0);
  Outcome<ReadOptions> options = watch_options(call.info);
  if (const std::string_view text = warning_of_kind(*call.info.known); !text.empty())
    warn(call.warning, std::string(text));
  if (!options) return send(call, refusal(options.error()));
  const bool within = call.info.known->namespaced && !call.info.namespace_name.empty();
  const Shape shape = Verbs::shape_of({call.info, call.request});
  tell(call, 200);
  hub_.add(
      call.id,
      {call.info.known, within ? call.info.namespace_name + "/" : "", std::move(*options), shape},
      std::move(call.reply));
}

void ApiServer::send(Call& call, Response response) {
  tell(call, call.reply ? response.status : 0);
  if (!call.reply) return;
  response.date = date_of(clock_);
  call.reply->send(std::move(response), call.warning);
}

void ApiServer::tell(const Call& call, int status) const {
  if (!options_.observe) return;
  options_.observe({call.info, call.request.user_agent, call.request.body, status, clock_.now()});
}

void ApiServer::pause_for(Duration span) {
  if (pause_timer_ && paused_until_ >= clock_.now() + span) return;
  hub_.freeze("*");
  paused_until_ = clock_.now() + span;
  pause_timer_ = executor_.run_at(paused_until_, [this] {
    const std::optional<Timer> finished = std::exchange(pause_timer_, std::nullopt);
    hub_.thaw("*");
    parked_.end_pause([this](std::unique_ptr<Call> held) { receive(std::move(held)); });
  });
}

void ApiServer::cut_connections() {
  hub_.end_all(WatchHub::Ending::Cut);
  parked_.clear();
}

void ApiServer::restore(const Storage::Snapshot& then, std::uint64_t version) {
  cut_connections();
  storage_.restore(then, version);
}

void ApiServer::changed(const Resource& resource, const HistoryEvent& event) {
  hub_.changed(resource, event);
  garbage_.changed(resource, event);
  if (parked_.empty() || wake_posted_) return;
  wake_posted_ = true;
  executor_.post(callbacks_.guard([this] {
    wake_posted_ = false;
    parked_.reach(storage_.version(),
                  [this](std::unique_ptr<Call> call) { serve_now(std::move(call)); });
  }));
}

ObjectRef ApiServer::load(Json object) {
  const Resource* resource = find_kind(object.value("apiVersion", ""), object.value("kind", ""));
  assert(resource != nullptr);
  return registry_.load(*resource, std::move(object));
}

}  // namespace nlc::sim
