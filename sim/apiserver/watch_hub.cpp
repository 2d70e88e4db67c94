#include "sim/apiserver/watch_hub.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

namespace nlc::sim {
namespace {

constexpr std::size_t batch_bytes = 64 * 1024;
constexpr Duration bookmark_period = std::chrono::seconds(60);
constexpr Duration last_bookmark_before_deadline = std::chrono::seconds(2);

std::string_view name_of(Change change) {
  switch (change) {
    case Change::Added:
      return "ADDED";
    case Change::Modified:
      return "MODIFIED";
    case Change::Deleted:
      return "DELETED";
  }
  std::abort();
}

StatusError too_old(std::uint64_t asked, std::uint64_t oldest) {
  return expired("too old resource version: " + std::to_string(asked) + " (" +
                 std::to_string(oldest) + ")");
}

std::shared_ptr<const std::string> shared(std::string text) {
  return std::make_shared<const std::string>(std::move(text));
}

/// The same object, of which `json` is the tree, under another version.
ObjectRef at_version(StoredObject object, nlohmann::json json, std::uint64_t version) {
  json["metadata"]["resourceVersion"] = std::to_string(version);
  object.version = version;
  object.bytes = json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  return std::make_shared<const StoredObject>(std::move(object));
}

}  // namespace

std::string watch_line(std::string_view type, std::string_view object) {
  std::string line = R"({"type":")";
  line.reserve(type.size() + object.size() + 24);
  return line.append(type).append(R"(","object":)").append(object).append("}\n");
}

/// One event on its way to many streams: parsed and serialised at most once for each way of showing
/// it.
class WatchHub::Fanout {
 public:
  Fanout(const Storage& storage, const Resource& resource, const HistoryEvent& event, WallTime now)
      : storage_(storage),
        resource_(resource),
        event_(event),
        now_(now),
        object_(storage, event.object) {
    if (event.previous) previous_.emplace(storage, event.previous);
  }

  const Resource& resource() const { return resource_; }
  const StoredObject& stored() const { return *event_.object; }

  /// How a stream with that selection sees the event; nothing when it does not.
  std::optional<Change> seen_by(const Selection& selection) const {
    if (selection.empty()) return event_.change;
    const bool before = previous_ && selection.matches(*previous_);
    const bool after = event_.change != Change::Deleted && selection.matches(object_);
    if (before && after) return Change::Modified;
    if (after) return Change::Added;
    return before ? std::optional(Change::Deleted) : std::nullopt;
  }

  std::shared_ptr<const std::string> line(Change seen, Shape shape, bool heads) {
    for (const Line& known : lines_) {
      if (known.seen == seen && known.heads == heads && known.shape == shape) return known.text;
    }
    const ObjectView& shown = seen == Change::Deleted ? last_state() : object_;
    std::string object = shape.form == Form::Table && !heads
                             ? table_row_alone(resource_, shown, shape, now_)
                             : represented(resource_, shown, shape, now_);
    lines_.push_back({seen, shape, heads, shared(watch_line(name_of(seen), object))});
    return lines_.back().text;
  }

 private:
  struct Line {
    Change seen;
    Shape shape;
    bool heads;
    std::shared_ptr<const std::string> text;
  };

  /// For a stream whose selection the object left: the last state that matched, with the event's
  /// version.
  const ObjectView& last_state() {
    if (event_.change == Change::Deleted) return object_;
    if (!left_) {
      left_.emplace(storage_,
                    at_version(*event_.previous, previous_->json(), event_.object->version));
    }
    return *left_;
  }

  const Storage& storage_;
  const Resource& resource_;
  const HistoryEvent& event_;
  const WallTime now_;
  ObjectView object_;
  std::optional<ObjectView> previous_;
  std::optional<ObjectView> left_;
  std::vector<Line> lines_;
};

WatchHub::WatchHub(Storage& storage, const Clock& clock, Executor& executor, std::uint64_t seed)
    : storage_(storage), clock_(clock), executor_(executor), random_(seed) {}

bool WatchHub::is_silent(const Watch& watch) const {
  return !frozen_.empty() &&
         (frozen_.contains("*") || frozen_.contains(watch.wanted.resource->plural));
}

bool WatchHub::reaches_back_to(const Resource& resource, std::uint64_t version) const {
  return version >= storage_.history_start(resource);
}

void WatchHub::add(std::uint64_t id, Wanted wanted, std::unique_ptr<client::Reply> reply) {
  const Resource& resource = *wanted.resource;
  const std::uint64_t asked = wanted.options.version.value_or(0);
  const bool initial = wanted.options.initial_events.value_or(false);
  Watch fresh{std::move(wanted), std::move(reply), 0, 0, false, {}, {}, {}};
  fresh.reply->open("application/json", date_of(clock_));
  if (!initial && asked != 0 && !reaches_back_to(resource, asked)) {
    return refuse(fresh, too_old(asked, storage_.history_start(resource)));
  }
  const Key key{resource.id, id};
  Watch& watch = watches_.emplace(key, std::move(fresh)).first->second;
  const Duration lifetime = watch.wanted.options.timeout.value_or(
      random_.between(std::chrono::minutes(30), std::chrono::minutes(60)));
  watch.deadline = clock_.now() + lifetime;
  watch.deadline_timer = executor_.run_at(watch.deadline, [this, key] {
    const auto found = watches_.find(key);
    if (found == watches_.end()) return;
    const std::unique_ptr<client::Reply> ended = std::move(found->second.reply);
    watches_.erase(found);
    ended->close();
  });
  if (initial) {
    if (asked == 0) storage_.note_consistent_read(resource);
    watch.start = watch.position = storage_.version();
    send_initial_events(watch);
  } else {
    watch.start = watch.position = asked == 0 ? storage_.version() : asked;
    catch_up(key);
  }
  if (const auto found = watches_.find(key); found != watches_.end())
    schedule_bookmark(key, found->second);
}

void WatchHub::remove(std::uint64_t id) {
  for (const Resource& resource : resources()) watches_.erase({resource.id, id});
}

void WatchHub::refuse(Watch& watch, const StatusError& error) {
  watch.reply->write(shared(watch_line("ERROR", body_of(error))));
  watch.reply->close();
}

void WatchHub::send_initial_events(Watch& watch) {
  const Wanted& wanted = watch.wanted;
  const WallTime now = clock_.wall_now();
  std::string batch;
  const auto add = [&](const ObjectRef& object) {
    if (!std::string_view(object->key).starts_with(wanted.prefix)) return true;
    const ObjectView view(storage_, object);
    if (!wanted.options.selection.matches(view)) return true;
    const bool heads = std::exchange(watch.heads_sent, true);
    batch += watch_line("ADDED", wanted.shape.form == Form::Table && heads
                                     ? table_row_alone(*wanted.resource, view, wanted.shape, now)
                                     : represented(*wanted.resource, view, wanted.shape, now));
    if (batch.size() >= batch_bytes) watch.reply->write(shared(std::exchange(batch, {})));
    return true;
  };
  const std::optional<std::string_view> node =
      wanted.options.selection.fields.fixed("spec.nodeName");
  if (node && wanted.resource->kind == "Pod")
    storage_.visit_pods_of(*node, add);
  else
    storage_.visit(*wanted.resource, {wanted.prefix, "", 0}, add);
  if (!batch.empty()) watch.reply->write(shared(std::move(batch)));
  if (wanted.options.bookmarks && !marked_bookmarks_never_) send_bookmark(watch, true);
}

void WatchHub::send_bookmark(Watch& watch, bool ends_initial_events) {
  const Wanted& wanted = watch.wanted;
  const std::uint64_t version = ends_initial_events
                                    ? watch.position
                                    : std::max(storage_.progress(*wanted.resource), watch.position);
  watch.reply->write(shared(watch_line(
      "BOOKMARK", bookmark_object(*wanted.resource, version, ends_initial_events, wanted.shape))));
}

void WatchHub::schedule_bookmark(Key key, Watch& watch) {
  if (!watch.wanted.options.bookmarks) return;
  const Instant now = clock_.now();
  const Instant last = watch.deadline - last_bookmark_before_deadline;
  if (last <= now) return;
  const Instant next = std::min(now + bookmark_period, last);
  watch.bookmark_timer = executor_.run_at(next, [this, key] {
    const auto found = watches_.find(key);
    if (found == watches_.end()) return;
    Watch& due = found->second;
    const bool moved = storage_.progress(*due.wanted.resource) > due.start;
    if (moved && !is_silent(due) && !bookmarks_never_) send_bookmark(due, false);
    if (watches_.contains(key)) schedule_bookmark(key, due);
  });
}

void WatchHub::deliver(Watch& watch, Fanout& fanout) {
  const StoredObject& object = fanout.stored();
  if (object.version <= watch.position) return;
  watch.position = object.version;
  show(watch, fanout);
}

void WatchHub::show(Watch& watch, Fanout& fanout) {
  const StoredObject& object = fanout.stored();
  if (!std::string_view(object.key).starts_with(watch.wanted.prefix)) return;
  const std::optional<Change> seen = fanout.seen_by(watch.wanted.options.selection);
  if (!seen) return;
  const bool heads =
      watch.wanted.shape.form == Form::Table && !std::exchange(watch.heads_sent, true);
  watch.reply->write(fanout.line(*seen, watch.wanted.shape, heads));
}

void WatchHub::changed(const Resource& resource, const HistoryEvent& event) {
  auto at = watches_.lower_bound({resource.id, 0});
  if (at == watches_.end() || at->first.first != resource.id) return;
  Fanout fanout(storage_, resource, event, clock_.wall_now());
  // A carrier may end any watch while it is written to, so the place is found anew after each.
  while (at != watches_.end() && at->first.first == resource.id) {
    const Key key = at->first;
    if (!is_silent(at->second)) deliver(at->second, fanout);
    at = watches_.upper_bound(key);
  }
}

void WatchHub::tell_again(const Resource& resource, ObjectRef then, bool as_new) {
  if (as_new) then = at_version(*then, ObjectView(storage_, then).json(), storage_.version());
  const HistoryEvent event{Change::Modified, clock_.now(), then, then};
  Fanout fanout(storage_, resource, event, clock_.wall_now());
  auto at = watches_.lower_bound({resource.id, 0});
  while (at != watches_.end() && at->first.first == resource.id) {
    const Key key = at->first;
    if (!is_silent(at->second)) show(at->second, fanout);
    at = watches_.upper_bound(key);
  }
}

void WatchHub::catch_up(Key key) {
  const auto found = watches_.find(key);
  if (found == watches_.end() || is_silent(found->second)) return;
  Watch& watch = found->second;
  const Resource& resource = *watch.wanted.resource;
  if (!reaches_back_to(resource, watch.position)) {
    refuse(watch, too_old(watch.position, storage_.history_start(resource)));
    watches_.erase(key);
    return;
  }
  const WallTime now = clock_.wall_now();
  storage_.visit_history(resource, watch.position, [&](const HistoryEvent& event) {
    if (!watches_.contains(key)) return;
    Fanout fanout(storage_, resource, event, now);
    deliver(watch, fanout);
  });
}

void WatchHub::end_all(Ending ending, std::string_view resource) {
  std::vector<std::unique_ptr<client::Reply>> ended;
  for (auto at = watches_.begin(); at != watches_.end();) {
    const bool stays = !resource.empty() && at->second.wanted.resource->plural != resource;
    if (!stays) ended.push_back(std::move(at->second.reply));
    at = stays ? std::next(at) : watches_.erase(at);
  }
  if (ending == Ending::Cut) return;  // a reply that dies unfinished breaks the connection
  for (const std::unique_ptr<client::Reply>& reply : ended) {
    if (ending == Ending::Expired) {
      reply->write(shared(watch_line(
          "ERROR", body_of(expired("The resourceVersion for the provided watch is too old.")))));
    }
    reply->close();
  }
}

void WatchHub::freeze(std::string_view resource) { frozen_.emplace(resource); }

void WatchHub::thaw(std::string_view resource) {
  frozen_.erase(std::string(resource));
  std::vector<Key> keys;
  for (const auto& [key, watch] : watches_) keys.push_back(key);
  for (const Key& key : keys) catch_up(key);
}

}  // namespace nlc::sim
