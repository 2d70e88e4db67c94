#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "client/transport.h"
#include "runtime/time.h"
#include "sim/scenario/model/object_steps.h"

/// Steps that change how the API server answers, and those that take it back in time.
namespace nlc::sim::scenario {

/// Which requests of the controller are meant. Empty and "*" stand for all.
struct RequestFilter {
  std::optional<std::string> replica;  ///< unset: of all of them
  std::string verb;                    ///< GET LIST WATCH PUT PATCH POST DELETE
  std::vector<std::string> resources;
  std::string subresource;
  std::string namespace_name;
  std::vector<std::string> names;  ///< or patterns such as node-*
  /// Whether a watch begins with everything there is.
  std::optional<bool> streams_list;
  std::optional<bool> continued;   ///< whether a list goes on with a token
  std::optional<bool> from_cache;  ///< whether a read takes any version: resourceVersion=0
  bool resource_itself = false;  ///< without a subresource that itself is meant, whatever the verb
  bool deleted_one = false;      ///< instead of `names`: whatever `one_of_untainted` chose
  bool writes_only = false;
};

/// The API server answers the controller's requests badly.
struct FailApi {
  enum class Action : std::uint8_t {
    Answer,
    Drop,
    Hang,
    Delay,
    Tear  ///< it takes effect, and the connection breaks inside the body of its answer
  };
  RequestFilter requests;
  std::optional<std::uint64_t> times;
  Action action = Action::Answer;
  client::Response respond;
  Duration delay{0};
  bool applied = false;  ///< the request takes effect nevertheless
  double share = 1;      ///< of such requests, by chance
};

/// The controller's watches do not tell of a resource, or of one object, while live reads do.
struct HoldCache {
  std::string resource;
  std::string key;  ///< name, or namespace/name; empty: all of the resource
};

/// The API server accepts everything and answers nothing.
struct PauseApi {};

/// A moment in the cluster's past that the case wants to come back to.
struct PastMoment {
  std::optional<Duration> at;  ///< unset: that of the last backup
  auto operator<=>(const PastMoment&) const = default;
};

/// Remembers everything that is stored, as `etcdctl snapshot save` does.
struct Backup {};

/// `etcdctl snapshot restore`, and a start of kube-apiserver on it: the last backup is back.
struct Restore {
  bool bump_revision = false;  ///< the counter of versions jumps ahead instead of going back
  Duration down{0};            ///< so long before that the server is gone
};

/// What a mutating webhook makes of an object.
struct Mutation {
  nlohmann::json merge;  ///< null: nothing
  std::vector<TaintName> remove_taints;
  std::vector<std::string> remove_labels;
  std::vector<std::string> keep;  ///< paths such as status.conditions: they stay as they were
};

/// What stands between writes and the storage: webhooks, policies, a storage that takes nothing.
struct Admission {
  enum class Action : std::uint8_t { Mutate, Refuse, Hang, Delay };
  RequestFilter requests;
  bool of_anybody = false;  ///< else of the controller alone
  std::optional<std::uint64_t> times;
  Action action = Action::Refuse;
  Mutation mutation;
  client::Response refusal;
  Duration delay{0};
};

/// Reads of the controller are answered as they would have been then.
struct StaleReads {
  RequestFilter requests;
  PastMoment as_of;
  bool alternating = false;  ///< every second one, beginning with the first
  std::optional<std::uint64_t> times;
};

/// The Date header of what the controller is answered is off by this.
struct ServerClockOff {
  Duration offset{0};
};

/// Open watches of a resource end.
struct EndWatches {
  enum class How : std::uint8_t { Closed, Cut, Expired };
  std::string resource;  ///< empty: all
  How how = How::Closed;
};

/// The API server remembers so few changes of each resource: who wants to go on from before them
/// has to list anew.
struct ShortHistory {
  std::size_t events = 1;
};

/// Pages of lists have no more than so many objects, whatever limit is asked for.
struct SmallPages {
  std::size_t objects = 1;
};

/// Who asks for protobuf is answered so; else everybody is answered in JSON.
struct SpeakProtobuf {};

/// Watches are told once more what an object was then.
struct Replay {
  ObjectName object;
  PastMoment as_of;
  bool as_new = false;  ///< as if that were written now: one that is gone is believed
};

}  // namespace nlc::sim::scenario
