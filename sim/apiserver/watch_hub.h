#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "client/endpoint.h"
#include "runtime/clock.h"
#include "runtime/executor.h"
#include "runtime/random.h"
#include "sim/apiserver/answers/representation.h"
#include "sim/apiserver/registry/storage.h"
#include "sim/apiserver/requests/read_options.h"

namespace nlc::sim {

/// All open watches. Each stream gets the events after its position in order, without gap or
/// repetition; an event is serialised once for all streams that show it alike. A stream that is
/// silent for a while (a frozen resource, a paused server) goes on from its position afterwards, or
/// ends with 410 when the history no longer has it.
///
/// Single-threaded; `changed` is called for every change of the storage.
class WatchHub {
 public:
  struct Wanted {
    const Resource* resource = nullptr;
    std::string prefix;  ///< "" or "namespace/"
    ReadOptions options;
    Shape shape;
  };

  enum class Ending : std::uint8_t {
    Orderly,
    Cut,     ///< the connection breaks
    Expired  ///< with 410, as when the history no longer reaches back
  };

  /// `seed`: of the lifetimes of watches that ask for none.
  WatchHub(Storage& storage, const Clock& clock, Executor& executor, std::uint64_t seed);

  /// Opens the stream and sends what is due at once. The version it waits for must have been
  /// reached.
  void add(std::uint64_t id, Wanted wanted, std::unique_ptr<client::Reply> reply);
  void remove(std::uint64_t id);
  void changed(const Resource& resource, const HistoryEvent& event);

  /// Tells once more what an object was, as a change, whatever was told since. `as_new`: with the
  /// version of now, as a server does whose cache missed what became of it.
  void tell_again(const Resource& resource, ObjectRef then, bool as_new);

  /// Ends streams: all, or those of one resource (plural name).
  void end_all(Ending ending, std::string_view resource = {});

  /// Silences the streams of a resource (plural name), or of all with "*", until `thaw`.
  void freeze(std::string_view resource);
  void thaw(std::string_view resource);

  void bookmarks_never(bool never) { bookmarks_never_ = never; }
  void initial_events_end_never(bool never) { marked_bookmarks_never_ = never; }

  std::size_t count() const { return watches_.size(); }

 private:
  struct Watch {
    Wanted wanted;
    std::unique_ptr<client::Reply> reply;
    std::uint64_t start = 0;     ///< bookmarks tell only versions after this one
    std::uint64_t position = 0;  ///< everything up to here was sent or is not wanted
    bool heads_sent = false;     ///< of tables
    Instant deadline;
    Timer bookmark_timer;
    Timer deadline_timer;
  };
  class Fanout;
  /// Resource first: an event looks at no stream of another resource.
  using Key = std::pair<std::size_t, std::uint64_t>;

  bool is_silent(const Watch& watch) const;
  void send_initial_events(Watch& watch);
  void send_bookmark(Watch& watch, bool ends_initial_events);
  void schedule_bookmark(Key key, Watch& watch);
  void catch_up(Key key);
  void deliver(Watch& watch, Fanout& fanout);
  void show(Watch& watch, Fanout& fanout);
  void refuse(Watch& watch, const StatusError& error);
  bool reaches_back_to(const Resource& resource, std::uint64_t version) const;

  Storage& storage_;
  const Clock& clock_;
  Executor& executor_;
  Random random_;
  bool bookmarks_never_ = false;
  bool marked_bookmarks_never_ = false;
  std::set<std::string, std::less<>> frozen_;
  std::map<Key, Watch> watches_;
};

/// One line of a watch stream.
std::string watch_line(std::string_view type, std::string_view object);

}  // namespace nlc::sim
