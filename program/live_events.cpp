#include "program/live_events.h"

#include <algorithm>
#include <utility>

#include "client/text_response.h"
#include "runtime/parse_number.h"

namespace nlc::program {

using client::line_response;

namespace {

/// Looking takes one part in so many of the controller's time.
constexpr int share_of_looks = 100;

template <typename T>
void replace(std::optional<T>& old, const std::optional<T>& by) {
  if (by) old = by;
}

}  // namespace

Subscription LiveEvents::serve(const client::IncomingRequest& request,
                               std::unique_ptr<client::Reply> reply) {
  const auto answer = [&reply](client::Response response) {
    reply->send(std::move(response));
    return Subscription();
  };
  if (request.method == "HEAD") return answer({.status = 200, .content_type = "text/event-stream"});
  if (viewers_.size() >= viewers_max) {
    return answer(line_response(
        503, "the page is open " + std::to_string(viewers_max) + " times already; close one"));
  }
  const std::uint64_t viewer = ++last_viewer_;
  viewers_.emplace(viewer,
                   Viewer{.reply = std::move(reply),
                          .last_id = request.last_event_id,
                          .time_out = env_.port.run_at(env_.clock.now() + time_out,
                                                       [this, viewer] { give_up(viewer); })});
  if (viewers_.size() == 1) look();
  return Subscription([this, viewer] { viewers_.erase(viewer); });
}

void LiveEvents::look() {
  if (looking_) return;
  if (viewers_.empty()) return rest();
  if (env_.clock.now() < next_look_) {
    next_ = env_.port.run_at(next_look_, [this] { look(); });
    return;
  }
  looking_ = true;
  auto told = callbacks_.guard([this](const Change& change) { looked(change); });
  env_.controller.post(callbacks_.guard([this, told]() mutable {
    const Instant begun = env_.clock.now();
    Change change = source_.look();
    change.took = env_.clock.now() - begun;
    env_.port.post([told, change = std::move(change)]() mutable { told(change); });
  }));
}

void LiveEvents::looked(const Change& change) {
  looking_ = false;
  next_look_ = env_.clock.now() + std::max<Duration>(period, (share_of_looks - 1) * change.took);
  if (number_ == 0) {
    const auto began = std::chrono::floor<std::chrono::milliseconds>(env_.clock.wall_now());
    epoch_ = std::to_string(began.time_since_epoch().count()) + "-";
  }
  ++number_;
  apply(change);
  const Event made{.number = number_, .text = event("change", number_, change)};
  keep(made);
  for (auto& [number, viewer] : viewers_) {
    if (!viewer.reply) continue;  // it was told that nobody answers
    viewer.open ? viewer.reply->write(made.text) : begin(viewer);
  }
  look();
}

void LiveEvents::apply(const Change& change) {
  for (const std::string& name : change.gone) nodes_.erase(name);
  for (const controller::live::Node& node : change.nodes) nodes_[node.name] = node;
  whole_.at = change.at;
  whole_.took = change.took;
  replace(whole_.replica, change.replica);
  replace(whole_.zones, change.zones);
  replace(whole_.next, change.next);
  replace(whole_.past, change.past);
}

LiveEvents::Text LiveEvents::event(std::string_view kind, std::uint64_t number,
                                   const Change& change) const {
  return std::make_shared<const std::string>(
      "id: " + epoch_ + std::to_string(number) + "\nevent: " + std::string(kind) +
      "\ndata: " + controller::live::json_of(change) + "\n\n");
}

void LiveEvents::keep(Event event) {
  bytes_ += event.text->size();
  events_.push_back(std::move(event));
  while (events_.size() > events_max || (bytes_ > bytes_max && !events_.empty())) {
    bytes_ -= events_.front().text->size();
    events_.pop_front();
  }
}

/// Everything in one go: what a stream begins with is not held against a slow reader.
void LiveEvents::begin(Viewer& viewer) {
  viewer.open = true;
  viewer.time_out.end();
  viewer.reply->open("text/event-stream");
  std::optional<std::uint64_t> seen = held_since(viewer.last_id);
  if (!seen) {
    const bool fresh = snapshot_ && held_since(epoch_ + std::to_string(snapshot_->number));
    if (!fresh) {
      Change all = whole_;
      for (const auto& [name, node] : nodes_) all.nodes.push_back(node);
      snapshot_ = Event{.number = number_, .text = event("snapshot", number_, all)};
    }
    viewer.reply->write(snapshot_->text);
    seen = snapshot_->number;
  }
  for (const Event& held : events_) {
    if (held.number > *seen) viewer.reply->write(held.text);
  }
}

/// The number in that id, where all that followed it is held.
std::optional<std::uint64_t> LiveEvents::held_since(std::string_view id) const {
  if (number_ == 0 || !id.starts_with(epoch_)) return std::nullopt;
  const std::optional<std::uint64_t> number = parse_number<std::uint64_t>(id.substr(epoch_.size()));
  const std::uint64_t first = number_ - events_.size();
  if (!number || *number < first || *number > number_) return std::nullopt;
  return number;
}

void LiveEvents::give_up(std::uint64_t viewer) {
  const auto found = viewers_.find(viewer);
  if (found == viewers_.end()) return;
  const std::unique_ptr<client::Reply> reply = std::move(found->second.reply);
  // Not before this call is over: it is the viewer's own timer that calls.
  env_.port.post(callbacks_.guard([this, viewer] { viewers_.erase(viewer); }));
  reply->send(line_response(503, "the controller's thread has not answered in time; see /livez"));
}

void LiveEvents::rest() {
  next_ = env_.port.run_at(env_.clock.now() + kept_for, [this] { forget(); });
}

void LiveEvents::forget() {
  if (looking_ || !viewers_.empty()) return;
  env_.controller.post(callbacks_.guard([this] { source_.forget(); }));
  epoch_.clear();
  number_ = 0;
  whole_ = {};
  nodes_.clear();
  events_.clear();
  bytes_ = 0;
  snapshot_.reset();
}

}  // namespace nlc::program
