#include "nlc/why/why.h"

#include <algorithm>
#include <cassert>
#include <chrono>
#include <optional>
#include <unistd.h>

#include "controller/why/question.h"
#include "net/http/server_address.h"
#include "net/http_client/server_link.h"
#include "net/http_client/socket_transport.h"
#include "net/loop/asio_loop.h"
#include "net/loop/system_clock.h"
#include "net/process/environment.h"
#include "nlc/console/console.h"
#include "nlc/why/kubectl.h"
#include "nlc/why/words.h"
#include "runtime/go_duration.h"
#include "runtime/parse_number.h"
#include "runtime/utf8.h"

namespace nlc::workbench {
namespace {

using controller::why::Question;

constexpr int status_port = 10291;
constexpr const char* default_server = "http://127.0.0.1:10291";
/// The clock of this machine may be off by so much.
constexpr Duration clock_skew = std::chrono::minutes(1);

/// The only thing that this program asks of others and does not come from an API server.
Result<client::Response> get(const net::ServerAddress& server, const std::string& target) {
  const net::SystemClock clock;
  net::AsioLoop loop(clock);
  ConsoleLog log;
  client::Gate gate;
  gate.open_for_ever();
  net::SocketTransport transport({.host = server.host,
                                  .port = server.port,
                                  .tls = server.tls,
                                  .path_prefix = server.path_prefix},
                                 {clock, loop, gate, log, &loop},
                                 {.user_agent = net::user_agent("nlc-why")});
  std::optional<Result<client::Response>> answered;
  transport.send({.target = target, .accept = "*/*"}, [&](Result<client::Response> answer) {
    answered = std::move(answer);
    loop.stop();
  });
  loop.run();
  return std::move(*answered);
}

/// The error is a whole line.
Result<int> ask(const std::string& url, const Question& question, bool json) {
  const std::string target =
      controller::why::path_of(question) + (json ? "?output=json" : "?output=text");
  const std::optional<net::ServerAddress> server = net::parse_server_address(url);
  assert(server);
  const Result<client::Response> answer = get(*server, target);
  if (!answer) {
    return bad_input(answer.error().path +
                     ": no status port of a controller; --server URL names one");
  }
  // A name that is not known is a 404 as well, which says so in its own words.
  const bool answers = answer->status == 200 || answer->status == 404;
  if (!answers || !is_answer(answer->body, question, json)) {
    return bad_input(
        url + " is no status port of a controller, or of another version: it answered with " +
        std::to_string(answer->status) + ": " + shortened(one_line(answer->body), 300));
  }
  say_text(without_controls(answer->body));
  return answer->status == 200 ? 0 : 1;
}

bool has_kubeconfig(const WhyFlags& flags) {
  if (!flags.kubeconfig.empty() || !flags.context.empty()) return true;
  const net::Environment environment = net::process_environment();
  if (!environment("KUBECONFIG").empty()) return true;
  return ::access((environment("HOME") + "/.kube/config").c_str(), R_OK) == 0;
}

std::string name_of_lease(const WhyFlags& flags) { return flags.namespace_ + "/" + flags.lease; }

bool is_not_found(const Error& error) { return error.path.find("(NotFound)") != std::string::npos; }

/// What kubectl said, and the rights that it needs where one of them is missing.
std::string with_rights(const std::string& said) {
  const bool is_forbidden = said.find("orbidden") != std::string::npos;
  return said + (is_forbidden ? " (needed are get on leases and pods and create on "
                                "pods/portforward)"
                              : "");
}

/// The Lease by which a leader is elected.
struct Lock {
  Duration duration{0};
  std::optional<WallTime> renewed;
  std::string holder;
};
constexpr const char* lock_format =
    "jsonpath={.spec.leaseDurationSeconds} {.spec.renewTime} {.spec.holderIdentity}";

Lock lock_in(const std::string& printed) {
  const std::size_t first = printed.find(' ');
  const std::size_t second = first == printed.npos ? first : printed.find(' ', first + 1);
  if (second == printed.npos) return {};
  const std::string_view text = printed;
  return {.duration = std::chrono::seconds(parse_number<int>(text.substr(0, first)).value_or(0)),
          .renewed = parse_rfc3339(text.substr(first + 1, second - first - 1)),
          .holder = printed.substr(second + 1)};
}

/// How long ago it was renewed, where that is so long that nobody leads by it.
std::optional<Duration> expired_for(const Lock& lock) {
  if (!lock.renewed) return std::nullopt;
  const auto ago = std::min<std::chrono::microseconds>(
      net::SystemClock().wall_now() - *lock.renewed, std::chrono::hours(87'600));
  return ago > lock.duration + clock_skew ? std::optional<Duration>(ago) : std::nullopt;
}

Result<Lock> read_lock(const Kubectl& kubectl, const WhyFlags& flags) {
  const Result<std::string> printed = kubectl.run({"get", "lease", flags.lease, "-o", lock_format});
  if (!printed && is_not_found(printed.error())) {
    return bad_input("there is no Lease " + name_of_lease(flags) +
                     ": --lease and --namespace name another; with --leader-elect=false or a "
                     "lock of another kind there is none, and --server " +
                     default_server + " asks on the controller's machine");
  }
  if (!printed) {
    return bad_input("who leads cannot be read from Lease " + name_of_lease(flags) + ": " +
                     with_rights(printed.error().path));
  }
  Lock lock = lock_in(*printed);
  if (lock.holder.empty()) {
    return bad_input("nobody leads: Lease " + name_of_lease(flags) + " has no holder");
  }
  return lock;
}

/// A controller calls itself by its host's name, an underscore, and what tells its lives apart.
/// Empty: by no such name.
std::string host_in(const std::string& holder) {
  const std::size_t end = holder.rfind('_');
  return end == std::string::npos ? std::string() : holder.substr(0, end);
}

Error no_pod_leads(const Lock& lock, const std::string& host, const WhyFlags& flags) {
  if (host.empty()) {
    return bad_input(
        "nobody leads: Lease " + name_of_lease(flags) + " is held by " + lock.holder +
        ", which is no pod in " + flags.namespace_ +
        " and no controller by its name; by hand perhaps, for a takeover "
        "(docs/deploy.md). A standby answers, too: --server URL names its status port");
  }
  if (const std::optional<Duration> ago = expired_for(lock)) {
    return bad_input("nobody leads: Lease " + name_of_lease(flags) + " was last renewed " +
                     go_duration(std::chrono::round<std::chrono::seconds>(*ago)) + " ago by " +
                     host + ", which is gone: it is no pod in " + flags.namespace_);
  }
  return bad_input("the leader, " + host + ", is no pod in " + flags.namespace_ +
                   "; ask its status port on its machine: --server " + default_server);
}

Result<int> ask_leader(const Kubectl& kubectl, const WhyFlags& flags, const Question& question) {
  const Result<Lock> lock = read_lock(kubectl, flags);
  if (!lock) return lock.error();
  const std::string host = host_in(lock->holder);
  const std::string& pod = host.empty() ? lock->holder : host;
  const Result<Kubectl::Forward> forward = kubectl.forward(pod, status_port);
  if (!forward && is_not_found(forward.error())) return no_pod_leads(*lock, host, flags);
  if (!forward) {
    return bad_input("kubectl port-forward pod/" + pod + " in " + flags.namespace_ + ": " +
                     with_rights(forward.error().path));
  }
  return ask(forward->url(), question, flags.json);
}

}  // namespace

int run_why(const WhyFlags& flags) {
  const Result<Question> question = controller::why::question_of(flags.kind, flags.name);
  if (!question) {
    complain(question.error().path);
    return 2;
  }
  if (!flags.server.empty() && !net::parse_server_address(flags.server)) {
    complain("--server " + flags.server + ": must be a URL such as " + default_server);
    return 2;
  }
  std::optional<Kubectl> kubectl;
  if (flags.server.empty() && has_kubeconfig(flags)) {
    kubectl = Kubectl::find({flags.kubeconfig, flags.context, flags.namespace_});
    if (!kubectl) {
      complain(
          "there is no kubectl in PATH to reach the leader with; --server URL names a status port");
      return 1;
    }
  }
  const Result<int> code =
      kubectl ? ask_leader(*kubectl, flags, *question)
              : ask(flags.server.empty() ? default_server : flags.server, *question, flags.json);
  if (code) return *code;
  complain(code.error().path);
  return 1;
}

}  // namespace nlc::workbench
