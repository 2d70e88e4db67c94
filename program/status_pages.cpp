#include "program/status_pages.h"

#include <algorithm>
#include <cctype>
#include <string>
#include <utility>

#include "client/text_response.h"
#include "controller/why/question.h"
#include "controller/why/render.h"
#include "program/observe_summary.h"
#include "program/page_files.h"

namespace nlc::program {

using client::json_response;
using client::line_response;
using client::text_response;

namespace {

/// Questions take one part in so many of the controller's time, however many are asked.
constexpr int share_of_questions = 10;
constexpr Duration between_questions = std::chrono::milliseconds(2);

client::Response why_page(const controller::why::Answer& answer, bool as_text) {
  const int status = answer.known ? 200 : 404;
  if (as_text) return text_response(status, controller::why::text_of(answer));
  return json_response(status, controller::why::json_of(answer));
}

client::Response observe_page(const std::optional<controller::observe::Record>& record,
                              bool as_text) {
  if (!record)
    return line_response(404, "this replica performs what it decides; --observe compares");
  if (!as_text) return json_response(200, controller::observe::json_of(*record));
  std::string text;
  for (const std::string& line : observe_summary(*record)) text += line + "\n";
  return text_response(200, std::move(text));
}

/// "[::1]", "[::1]:10291".
bool is_address_in_brackets(std::string_view host) {
  const std::size_t end = host.find(']');
  if (end == host.npos) return false;
  const std::string_view rest = host.substr(end + 1);
  const auto is_of_address = [](unsigned char letter) {
    return std::isxdigit(letter) != 0 || letter == ':' || letter == '.';
  };
  return std::ranges::all_of(host.substr(1, end - 1), is_of_address) &&
         (rest.empty() || rest.front() == ':');
}

/// Any name but that of this machine itself: an address cannot be made to point elsewhere.
bool is_foreign(std::string_view host) {
  if (host.empty()) return false;
  if (host.front() == '[') return !is_address_in_brackets(host);
  host = host.substr(0, host.find(':'));
  const auto is_of_address = [](unsigned char letter) {
    return std::isdigit(letter) != 0 || letter == '.';
  };
  if (std::ranges::all_of(host, is_of_address)) return false;
  return !std::ranges::equal(host, std::string_view("localhost"),
                             [](unsigned char a, unsigned char b) { return std::tolower(a) == b; });
}

/// The path of a target, and what stands after its ?.
std::pair<std::string_view, std::string_view> cut(std::string_view target) {
  const std::size_t mark = target.find('?');
  return {target.substr(0, mark), mark == target.npos ? "" : target.substr(mark + 1)};
}

/// Before anything is asked.
std::optional<client::Response> refusal_of(const client::IncomingRequest& request) {
  if (is_foreign(request.host)) {
    return line_response(403, "the host must be localhost or an address of this machine");
  }
  if (request.method != "GET" && request.method != "HEAD") {
    return line_response(405, "only GET is served here");
  }
  const std::string_view query = cut(request.target).second;
  if (!query.empty() && query != "output=json" && query != "output=text") {
    return line_response(400, "after the ? there may be output=json or output=text");
  }
  return std::nullopt;
}

}  // namespace

Result<StatusPages::Ask> StatusPages::asked_for(std::string_view path) const {
  if (path == "/v1/observe" && knowledge_.observed) {
    return Ask([this] {
      return Page([record = knowledge_.observed()](Output output) {
        return observe_page(record, output == Output::Text);
      });
    });
  }
  Result<Question> question = controller::why::question_of_path(path);
  if (!question) {
    const bool is_why = path.starts_with("/v1/why");
    return bad_input(question.error().path + (is_why ? "" : " /v1/observe /v1/live /"));
  }
  return Ask([this, question = *std::move(question)] {
    return Page([answer = knowledge_.explain(question)](Output output) {
      return why_page(answer, output == Output::Text);
    });
  });
}

Subscription StatusPages::serve(client::IncomingRequest request,
                                std::unique_ptr<client::Reply> reply) {
  if (const auto refusal = refusal_of(request)) {
    reply->send(*refusal);
    return {};
  }
  if (const PageFile* file = page_file(request.target)) {
    reply->send({.status = 200,
                 .content_type = std::string(file->content_type),
                 .body = std::string(file->text)});
    return {};
  }
  if (request.target == "/v1/live") return live_.serve(request, std::move(reply));
  const auto [path, query] = cut(request.target);
  Result<Ask> ask = asked_for(path);
  if (!ask) {
    reply->send(line_response(404, ask.error().path));
    return {};
  }
  const Output output = query == "output=text" ? Output::Text : Output::Json;
  return wait_for(*std::move(ask), output, std::move(reply));
}

Subscription StatusPages::wait_for(Ask ask, Output output, std::unique_ptr<client::Reply> reply) {
  if (callers_.size() >= waiting_max) {
    reply->send(line_response(503, "too many questions at once; ask again in a moment"));
    return {};
  }
  const std::uint64_t caller = ++last_caller_;
  callers_.emplace(caller,
                   Caller{.ask = std::move(ask),
                          .output = output,
                          .reply = std::move(reply),
                          .time_out = env_.port.run_at(env_.clock.now() + time_out,
                                                       [this, caller] { give_up(caller); })});
  line_.push_back(caller);
  ask_next();
  return Subscription([this, caller] { callers_.erase(caller); });
}

void StatusPages::ask_next() {
  while (!line_.empty() && !callers_.contains(line_.front())) line_.pop_front();
  if (asking_ || line_.empty()) return;
  if (env_.clock.now() < next_question_) {
    pause_ = env_.port.run_at(next_question_, [this] { ask_next(); });
    return;
  }
  const std::uint64_t caller = line_.front();
  line_.pop_front();
  asking_ = true;
  auto told = callbacks_.guard(
      [this, caller](const Page& page, Duration took) { answered(caller, page, took); });
  env_.controller.post(callbacks_.guard([this, ask = callers_.at(caller).ask, told]() mutable {
    const Instant begun = env_.clock.now();
    Page page = ask();
    const Duration took = env_.clock.now() - begun;
    env_.port.post([told, page = std::move(page), took]() mutable { told(page, took); });
  }));
}

/// The caller may have left, or have been told that nobody answers.
void StatusPages::answered(std::uint64_t caller, const Page& page, Duration took) {
  asking_ = false;
  next_question_ = env_.clock.now() + std::max(between_questions, (share_of_questions - 1) * took);
  const auto found = callers_.find(caller);
  if (found != callers_.end()) {
    Caller waiting = std::move(found->second);
    callers_.erase(found);
    if (waiting.reply) waiting.reply->send(page(waiting.output));
  }
  ask_next();
}

void StatusPages::give_up(std::uint64_t caller) {
  const auto found = callers_.find(caller);
  if (found == callers_.end()) return;
  const std::unique_ptr<client::Reply> reply = std::move(found->second.reply);
  std::erase(line_, caller);
  // Not before this call is over: it is the caller's own timer that calls.
  env_.port.post(callbacks_.guard([this, caller] { callers_.erase(caller); }));
  reply->send(line_response(503, "the controller's thread has not answered in time; see /livez"));
}

}  // namespace nlc::program
