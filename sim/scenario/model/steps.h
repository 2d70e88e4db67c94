#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "client/transport.h"
#include "runtime/time.h"
#include "sim/loopback_transport.h"

/// What can happen on a timeline. All of it comes from outside the controller.
namespace nlc::sim::scenario {

/// Flags of the controller: names without dashes, and values.
using Settings = std::vector<std::pair<std::string, std::string>>;

/// A taint as scenario files write it: `key:effect` or `key=value:effect`.
struct TaintName {
  std::string key;
  std::string value;
  std::string effect;
};

/// Of the taints that the controller derives from conditions and `spec.unschedulable`.
inline constexpr std::array<std::string_view, 7> managed_taint_keys{
    "node.kubernetes.io/not-ready",          "node.kubernetes.io/unreachable",
    "node.kubernetes.io/unschedulable",      "node.kubernetes.io/memory-pressure",
    "node.kubernetes.io/disk-pressure",      "node.kubernetes.io/pid-pressure",
    "node.kubernetes.io/network-unavailable"};

struct ObjectName {
  std::string kind;
  std::string namespace_name;  ///< empty for nodes
  std::string name;
  /// Instead of `name`: the first of these nodes that has no NoExecute taint at that moment.
  std::vector<std::string> one_of_untainted;
};

/// Creates or replaces whole objects, status included.
struct Apply {
  std::vector<nlohmann::json> objects;
};

struct MergePatch {
  ObjectName object;
  nlohmann::json merge;
};

/// A server-side apply by somebody else.
struct ApplyPatch {
  ObjectName object;
  std::vector<TaintName> add_taints;
};

struct Delete {
  ObjectName object;
  std::optional<long long> grace_seconds;
};

/// What makes heartbeats like those of real machines. Without it they come exactly when the step
/// says.
struct Chance {
  double loss = 0;  ///< of all heartbeats, the share that never arrives
  Duration jitter{
      0};  ///< each heartbeat comes up to so much late, and each node has a phase of its own

  bool matters() const { return loss > 0 || jitter > Duration{0}; }
};

/// A kubelet posts its status.
struct Heartbeat {
  std::vector<std::string> nodes;    ///< names; in a file also patterns such as node-*
  std::optional<std::string> ready;  ///< unset: as it stands
  Duration clock_offset{0};          ///< how far that machine's clock is ahead
  bool only_changes = false;         ///< says nothing where the server knows it already
  Chance chance;
};

/// A kubelet renews its lease; one that does not exist is created.
struct RenewLease {
  std::vector<std::string> nodes;
  std::string namespace_name = "kube-node-lease";
  Duration clock_offset{0};
  std::optional<Duration> step;  ///< instead of now: the previous value plus this
  Chance chance;
};

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

/// Which replica of the controller a step is about.
struct Target {
  std::string replica;  ///< empty: the only one
  bool leader = false;  ///< instead: whoever leads at that moment
};

struct StartController {
  std::string replica;
  /// Somebody else holds the leader lease so long; unset: nobody does.
  std::optional<Duration> held_until;
  Settings flags{};  ///< of this replica alone; win over those of the case
  /// When it ends by itself it starts anew so much later, as a kubelet sees to; unset: nobody does.
  std::optional<Duration> restarts = {};
};

/// What a signal does to the process.
struct SignalController {
  enum class Signal : std::uint8_t {
    Stop,   ///< SIGTERM: what is under way is awaited, and the lease given back
    Kill,   ///< SIGKILL: it ends without a word, and no new one starts
    Pause,  ///< SIGSTOP: nothing of it runs until it is resumed; its connections stay open
    Resume  ///< SIGCONT
  };
  Target target;
  Signal signal = Signal::Stop;
};

/// The process ends without a word, and a new one without memory starts later.
struct RestartController {
  Target target;
  Duration down{0};
};

/// How the network between a replica and the server behaves.
struct SetLink {
  Target target;
  Link link = Link::Up;
};

/// The calendar of a replica's machine is ahead of everybody else's.
struct SetCalendar {
  Target target;
  Duration offset{0};
};

/// A remark, or something that nobody outside can bring about.
struct Remark {
  std::string text;
};

using Action =
    std::variant<Apply, MergePatch, ApplyPatch, Delete, Heartbeat, RenewLease, FailApi, HoldCache,
                 PauseApi, Backup, Restore, Admission, StaleReads, ServerClockOff, EndWatches,
                 ShortHistory, SmallPages, SpeakProtobuf, Replay, StartController, SignalController,
                 RestartController, SetLink, SetCalendar, Remark>;

/// Something that is true of one object: "node0 Ready is Unknown", "node0 has k:NoExecute",
/// "pod0 deletion requested".
struct Fact {
  enum class Kind : std::uint8_t { Condition, HasTaint, LacksTaint, DeletionRequested, Exists };
  std::string object;  ///< a node's name, or a pod's, with or without its namespace
  Kind kind = Kind::Exists;
  std::string condition;
  std::string status;
  TaintName taint;
  std::string text;  ///< as the file says it
};

struct Step {
  Duration from{0};
  Duration until{0};              ///< of repeated and lasting steps; else equal to `from`
  std::optional<Duration> every;  ///< repeats from `from` until `until`, both included
  std::optional<Fact> when;       ///< once, as soon as this is true after `from`
  std::optional<RequestFilter> before_request;  ///< just before such a request is executed
  std::optional<std::uint64_t> times;           ///< of `before_request`
  Action action;
  std::string text;  ///< for the trace
  int line = 0;      ///< where it stands in its file
};

}  // namespace nlc::sim::scenario
