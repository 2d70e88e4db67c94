#include "sim/scenario/stage/request_interceptor.h"

#include <utility>

#include "sim/apiserver/answers/protobuf_answer.h"
#include "sim/scenario/stage/altered_replies.h"

namespace nlc::sim::scenario {
namespace {

constexpr std::size_t shown_body = 400;

std::string told(const SentRequest& request, int status) {
  std::string text = (request.replica.empty() ? "" : request.replica + ": ") + request.text();
  if (!request.body.empty()) text += " " + request.body.substr(0, shown_body);
  return text + " -> " + (status == 0 ? "no answer" : std::to_string(status));
}

FailApi failure_by(const Admission& admission) {
  switch (admission.action) {
    case Admission::Action::Hang:
      return {.action = FailApi::Action::Hang};
    case Admission::Action::Delay:  // is let in, later
    case Admission::Action::Mutate:
    case Admission::Action::Refuse:
      break;
  }
  return {.action = FailApi::Action::Answer, .respond = admission.refusal};
}

bool counts_as_write(const SentRequest& request) {
  return request.writes() && (request.info.resource == "nodes" || request.info.resource == "pods");
}

}  // namespace

/// Notes how a request was answered, on the answer's way back.
class RequestInterceptor::NotedReply final : public client::Reply {
 public:
  NotedReply(RequestInterceptor& interceptor, std::size_t number,
             std::unique_ptr<client::Reply> inner)
      : interceptor_(interceptor), number_(number), inner_(std::move(inner)) {}

  void send(client::Response response, std::string_view warning) override {
    interceptor_.taken(number_, response.status);
    interceptor_.answered(number_, response.status);
    response.date = interceptor_.dated(response.date);
    inner_->send(std::move(response), warning);
  }
  void open(std::string_view content_type, std::optional<WallTime> date) override {
    interceptor_.answered(number_, 200);
    inner_->open(content_type, interceptor_.dated(date));
  }
  void write(std::shared_ptr<const std::string> bytes) override { inner_->write(std::move(bytes)); }
  void close() override { inner_->close(); }

 private:
  RequestInterceptor& interceptor_;
  const std::size_t number_;
  const std::unique_ptr<client::Reply> inner_;
};

/// For a request that takes effect and is answered with something else.
class RequestInterceptor::Unheard : public client::Reply {
 public:
  Unheard(RequestInterceptor& interceptor, std::size_t number)
      : interceptor_(interceptor), number_(number) {}
  void send(client::Response response, std::string_view) override {
    interceptor_.taken(number_, response.status);
  }
  void open(std::string_view, std::optional<WallTime>) override {}
  void write(std::shared_ptr<const std::string>) override {}
  void close() override {}

 protected:
  RequestInterceptor& interceptor_;
  const std::size_t number_;
};

/// For a request that takes effect at once and is answered later.
class RequestInterceptor::Kept final : public Unheard {
 public:
  using Unheard::Unheard;
  void send(client::Response response, std::string_view warning) override {
    interceptor_.waiting_.at(number_).answer = response;
    Unheard::send(std::move(response), warning);
  }
};

Subscription RequestInterceptor::serve(const std::string& replica, client::IncomingRequest request,
                                       std::unique_ptr<client::Reply> reply) {
  const std::size_t number = sent_.size();
  sent_.push_back(sent_request(request, env_.clock.now()));
  sent_.back().replica = replica;
  run_interleaved(sent_[number]);
  if (env_.clock.now() < gone_until_) {
    answered(number, 0);
    return {};
  }
  if (const Fault* fault = fault_for(sent_[number])) {
    return perform(*fault, {number, std::move(request), std::move(reply)});
  }
  return admit({number, std::move(request), std::move(reply)});
}

/// Of the body of a call that broke off nobody hears anything; of a stream what came until then.
Subscription RequestInterceptor::perform(const Fault& fault, InFlight call) {
  const bool torn = fault.failure.action == FailApi::Action::Tear;
  if (!torn || sent_[call.number].verb != "WATCH") {
    return fail_request(fault.failure, std::move(call));
  }
  call.reply = torn_until(fault.until, env_.clock, std::move(call.reply));
  return forward(std::move(call));
}

const Admission* RequestInterceptor::admission_against(std::size_t number,
                                                       Admissions::Delayed delayed) {
  if (!sent_[number].writes()) return nullptr;
  return env_.admissions.against(sent_[number], Admissions::Writer::Controller, delayed);
}

/// What stands between writes and the storage is asked when a request has come so far.
Subscription RequestInterceptor::admit(InFlight call) {
  const Admission* admission = admission_against(call.number);
  if (admission == nullptr) return forward(std::move(call));
  if (admission->action == Admission::Action::Delay) {
    return hold_back({admission->delay, &RequestInterceptor::admit_delayed}, std::move(call));
  }
  return fail_request(failure_by(*admission), std::move(call));
}

/// And what refuses once more when a delay is over.
Subscription RequestInterceptor::admit_delayed(InFlight call) {
  const Admission* refusing = admission_against(call.number, Admissions::Delayed::Yes);
  if (refusing == nullptr) return forward(std::move(call));
  return fail_request(failure_by(*refusing), std::move(call));
}

void RequestInterceptor::fail(const FailApi& failure, Instant until) {
  faults_.push_back({.failure = failure, .until = until, .left = failure.times});
}

void RequestInterceptor::interleave(RequestFilter filter, std::optional<std::uint64_t> times,
                                    std::function<void()> action) {
  interleaved_.push_back({std::move(filter), times, std::move(action)});
}

void RequestInterceptor::run_interleaved(const SentRequest& request) {
  for (Interleaved& between : interleaved_) {
    if (between.left == 0U || !matches(between.filter, request, chosen_)) continue;
    if (between.left) --*between.left;
    between.action();
  }
}

const RequestInterceptor::Fault* RequestInterceptor::fault_for(const SentRequest& request) {
  const Instant now = env_.clock.now();
  std::erase_if(faults_, [now](const Fault& fault) { return now >= fault.until; });
  for (Fault& fault : faults_) {
    if (fault.left == 0U || !matches(fault.failure.requests, request, chosen_)) continue;
    const double share = fault.failure.share;
    if (share < 1 && chance_.fraction() >= share) continue;
    if (fault.left) --*fault.left;
    return &fault;
  }
  return nullptr;
}

Subscription RequestInterceptor::fail_request(const FailApi& failure, InFlight call) {
  const std::size_t number = call.number;
  const bool takes_effect = failure.applied || failure.action == FailApi::Action::Tear;
  const bool applied = takes_effect && admission_against(number) == nullptr;
  if (applied && failure.action == FailApi::Action::Delay && sent_[number].verb != "WATCH") {
    return answer_late(failure.delay, std::move(call));
  }
  if (applied && failure.action != FailApi::Action::Delay) {
    (void)env_.server.serve(call.request, std::make_unique<Unheard>(*this, number));
  }
  switch (failure.action) {
    case FailApi::Action::Drop:
    case FailApi::Action::Tear:
      answered(number, 0);
      return {};
    case FailApi::Action::Hang:
      return hold_back({}, std::move(call));
    case FailApi::Action::Delay:
      return hold_back({failure.delay, &RequestInterceptor::admit}, std::move(call));
    case FailApi::Action::Answer:
      break;
  }
  client::Response response = failure.respond;
  response.date = dated(std::chrono::floor<std::chrono::seconds>(env_.clock.wall_now()));
  answered(number, response.status);
  translate(call);
  call.reply->send(std::move(response));
  return {};
}

std::optional<WallTime> RequestInterceptor::dated(std::optional<WallTime> date) const {
  if (date) *date += std::chrono::floor<std::chrono::seconds>(date_off_);
  return date;
}

void RequestInterceptor::answer_from(client::Endpoint& past, const StaleReads& reads,
                                     Instant until) {
  pasts_.push_back({.server = past, .reads = reads, .until = until, .left = reads.times});
}

void RequestInterceptor::break_connections() {
  const auto broken = std::exchange(waiting_, {});  // a reply that dies breaks its connection
}

client::Endpoint& RequestInterceptor::server_for(const SentRequest& request) {
  if (request.writes()) return env_.server;
  for (Past& past : pasts_) {
    const bool over = past.left == 0U || env_.clock.now() >= past.until;
    if (over || !matches(past.reads.requests, request, chosen_)) continue;
    if (past.reads.requests.verb.empty() && request.verb == "WATCH") continue;
    if (past.reads.alternating && !std::exchange(past.turn, !past.turn)) continue;
    if (past.left) --*past.left;
    return past.server;
  }
  return env_.server;
}

/// As the last on the way: all that stands before it reads JSON.
void RequestInterceptor::translate(InFlight& call) const {
  if (!speaks_protobuf_ || !asks_for_protobuf(call.request.accept)) return;
  call.reply = translated(std::move(call.reply));
}

Subscription RequestInterceptor::forward(InFlight call) {
  translate(call);
  const SentRequest& sent = sent_[call.number];
  if (sent.verb == "WATCH") call.reply = holds_.obeying(sent.info.resource, std::move(call.reply));
  auto reply = std::make_unique<NotedReply>(*this, call.number, std::move(call.reply));
  return server_for(sent).serve(std::move(call.request), std::move(reply));
}

Subscription RequestInterceptor::hold_back(Later later, InFlight call) {
  const std::size_t number = call.number;
  const bool held_before = waiting_.contains(number);
  Waiting& waiting = waiting_[number];
  waiting.held = std::move(call);
  if (later.go_on != nullptr) {
    const Instant when = env_.clock.now() + later.delay;
    waiting.timer = env_.executor.run_at(when, [this, number, go_on = later.go_on] {
      Subscription serving = (this->*go_on)(std::move(waiting_[number].held));
      if (waiting_.contains(number)) waiting_[number].serving = std::move(serving);
    });
  }
  if (held_before) return {};  // whoever waits holds on to it already
  return Subscription([this, number] { waiting_.erase(number); });
}

Subscription RequestInterceptor::answer_late(Duration delay, InFlight call) {
  const std::size_t number = call.number;
  client::IncomingRequest request = call.request;
  Subscription held = hold_back({delay, &RequestInterceptor::tell_answer}, std::move(call));
  (void)server_for(sent_[number]).serve(std::move(request), std::make_unique<Kept>(*this, number));
  return held;
}

/// A server that was paused has not done it yet.
Subscription RequestInterceptor::tell_answer(InFlight call) {
  std::optional<client::Response> answer = std::exchange(waiting_.at(call.number).answer, {});
  if (!answer) return admit(std::move(call));
  answered(call.number, answer->status);
  answer->date = dated(answer->date);
  translate(call);
  call.reply->send(std::move(*answer));
  return {};
}

void RequestInterceptor::answered(std::size_t number, int status) {
  sent_[number].status = status;
  if (env_.story.is_heard()) env_.story.tell("request", told(sent_[number], status));
}

/// The request has had its effect, whatever the controller will hear of it.
void RequestInterceptor::taken(std::size_t number, int status) {
  if (status < 200 || status >= 300) return;
  if (on_taken_ && sent_[number].writes()) on_taken_(sent_[number]);
  if (!counts_as_write(sent_[number])) return;
  ++writes_;
  if (on_write_) on_write_(writes_, sent_[number].replica);
}

}  // namespace nlc::sim::scenario
