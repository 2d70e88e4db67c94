#include "program/guarded_pages.h"

#include <absl/strings/ascii.h>
#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <variant>

#include "client/text_response.h"

namespace nlc::program {
namespace {

/// kube-controller-manager's --authorization-always-allow-paths by default.
constexpr std::array<std::string_view, 3> everybodys{"/healthz", "/livez", "/readyz"};

constexpr std::size_t token_limit = 8 * 1024;
constexpr std::size_t path_limit = 1024;

/// Empty where the header holds none, or nothing that could be one.
std::string bearer_token(std::string_view header) {
  constexpr std::string_view scheme = "bearer ";
  if (absl::AsciiStrToLower(std::string(header.substr(0, scheme.size()))) != scheme) return {};
  const std::string_view token = header.substr(scheme.size());
  const auto is_printable = [](char letter) { return letter > ' ' && letter < '\x7f'; };
  if (token.size() > token_limit || !std::ranges::all_of(token, is_printable)) return {};
  return std::string(token);
}

int status_of(Access access) {
  switch (access) {
    case Access::Granted:
      return 200;
    case Access::Unauthenticated:
      return 401;
    case Access::Forbidden:
      return 403;
    case Access::Unknown:
      return 503;
  }
  return 503;
}

}  // namespace

Subscription GuardedPages::serve(client::IncomingRequest request,
                                 std::unique_ptr<client::Reply> reply) {
  const std::string_view target = request.target;
  const std::string_view path = target.substr(0, target.find('?'));
  if (std::ranges::find(everybodys, path) != everybodys.end()) {
    return pages_.serve(std::move(request), std::move(reply));
  }
  if (path.size() > path_limit) {
    reply->send(client::line_response(414, "no page has so long a name"));
    return {};
  }
  AccessRequest wanted{.token = bearer_token(request.authorization),
                       .verb = absl::AsciiStrToLower(request.method),
                       .path = std::string(path)};
  const CallerId caller = ++last_caller_;
  callers_.emplace(caller, Caller{std::move(request), std::move(reply), {}});
  perform(machine_.called(caller, std::move(wanted), env_.clock.now()));
  return Subscription([this, caller] {
    machine_.left(caller);
    callers_.erase(caller);
  });
}

void GuardedPages::perform(const AccessMachine::Outputs& outputs) {
  for (const AccessMachine::Output& output : outputs) {
    if (const auto* told = std::get_if<AccessMachine::Tell>(&output)) {
      tell(*told);
    } else {
      env_.controller.post(
          callbacks_.guard([this, ask = std::get<AccessMachine::Ask>(output)] { send(ask); }));
    }
  }
  wake_.end();
  const Instant now = env_.clock.now();
  if (const std::optional<Instant> wakes = machine_.wakes(now)) {
    wake_ = env_.port.run_at(*wakes, [this] { perform(machine_.time_passed(env_.clock.now())); });
  }
}

/// On the controller's thread; the machine is the port's, and heard there.
void GuardedPages::send(const AccessMachine::Ask& ask) {
  const AccessMachine::ReviewId review = ask.review;
  if (const auto* whose = std::get_if<AccessMachine::TokenQuestion>(&ask.question)) {
    using Answer = std::optional<api::User>;
    return client::review_token(
        env_.transport, whose->token, heard_on_port<Answer>([this, review](Result<Answer> answer) {
          return machine_.token_reviewed(review, std::move(answer), env_.clock.now());
        }));
  }
  client::review_access(env_.transport, std::get<api::AccessQuestion>(ask.question),
                        heard_on_port<bool>([this, review](Result<bool> answer) {
                          return machine_.access_reviewed(review, std::move(answer),
                                                          env_.clock.now());
                        }));
}

template <typename T, typename Learn>
client::Done<T> GuardedPages::heard_on_port(Learn learn) {
  auto heard = callbacks_.guard([this, learn = std::move(learn)](Result<T> answer) {
    note(answer ? "" : answer.error().path);
    perform(learn(std::move(answer)));
  });
  return [&port = env_.port, heard = std::move(heard)](Result<T> answer) {
    port.post([heard, answer = std::move(answer)]() mutable { heard(std::move(answer)); });
  };
}

void GuardedPages::tell(const AccessMachine::Tell& told) {
  const auto found = callers_.find(told.caller);
  if (found == callers_.end()) return;
  Caller& caller = found->second;
  if (told.access == Access::Granted) {
    caller.served = pages_.serve(std::move(caller.request), std::move(caller.reply));
    return;
  }
  const std::string before = told.access == Access::Unknown ? "callers cannot be checked: " : "";
  caller.reply->send(client::line_response(status_of(told.access), before + told.why));
}

/// Once when it begins or is another one, and once when it is over.
void GuardedPages::note(const std::string& trouble) {
  if (trouble == trouble_) return;
  if (trouble.empty()) {
    env_.log.info("callers of the secure port can be checked again", {{"was", trouble_}});
  } else {
    env_.log.warning("callers of the secure port cannot be checked", {{"error", trouble}});
  }
  trouble_ = trouble;
}

}  // namespace nlc::program
