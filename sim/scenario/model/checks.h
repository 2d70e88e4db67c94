#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "controller/why/answer.h"
#include "runtime/log.h"
#include "runtime/time.h"
#include "sim/scenario/model/steps.h"

/// What an expectation can ask.
namespace nlc::sim::scenario {

/// A number that lies between these, both included.
struct Amount {
  double min;
  double max;
  bool contains(double value) const { return min <= value && value <= max; }
};

/// What one field should say. Timestamps may differ by a second, the resolution they are stored
/// with; null stands for a field that is not there.
struct FieldWish {
  nlohmann::json value;
  std::optional<std::pair<Duration, Duration>> between;  ///< instead: a timestamp of these offsets
};
using FieldWishes = std::map<std::string, FieldWish>;
using ConditionWishes = std::map<std::string, FieldWishes>;  ///< by type

/// Taints in the order of the list; those of one group in any order.
using TaintGroups = std::vector<std::vector<TaintName>>;

struct NodeCheck {
  std::string name;
  std::optional<bool> exists;
  ConditionWishes conditions;  ///< only the fields that are listed are compared
  std::vector<std::string> conditions_absent;
  std::optional<std::vector<std::string>> condition_order;
  std::vector<TaintName> has_taints;
  std::vector<TaintName> lacks_taints;
  std::optional<TaintGroups> taints;  ///< exactly these
  /// Exactly these among the NoSchedule taints that the controller manages.
  std::optional<std::set<std::string>> noschedule_taints;
  FieldWishes taint_detail;  ///< of the taint with its `key` and `effect`
  std::map<std::string, std::string> labels;
  std::optional<std::map<std::string, std::string>> labels_exact;
  std::vector<std::string> labels_absent;
  nlohmann::json status;  ///< capacity, allocatable, …: equal where listed
};

struct PodCheck {
  std::string namespace_name = "default";
  std::string name;
  std::optional<bool> exists;
  std::optional<bool> deletion_requested;
  ConditionWishes conditions;
  std::vector<std::string> conditions_absent;
  FieldWishes status;  ///< reason, message, phase
};

/// No stretch of that length, wherever it begins, has more of them.
struct Rate {
  Duration span;
  double max;
};

struct RequestCheck {
  RequestFilter requests;
  std::optional<Amount> count;
  std::vector<Rate> rates;
  std::optional<Amount> per_pass;  ///< of those within one monitor period
  std::optional<Duration> after;   ///< earlier ones do not count
  std::string content_type;
  nlohmann::json body;                  ///< each such request says at least this
  std::vector<std::string> body_has;    ///< paths, such as metadata.resourceVersion
  std::vector<std::string> body_lacks;  ///< paths, or "path: value"
};

struct EventCheck {
  std::string reason;  ///< "*": any
  std::string object;  ///< "Node/n", "Pod/p", "Pod/ns/p", "Node/*", "*"
  FieldWishes fields;  ///< type, message
  std::string component;
  std::optional<std::string> uid;
  std::string namespace_name;
  FieldWishes object_fields;
  Amount count;
};

/// The state of a zone, which nothing but the metric `nlc_zone_state` shows.
struct ZoneCheck {
  std::optional<std::string> replica;  ///< of the controller: who is asked
  std::string key;
  std::string state;
};

struct EvictionCheck {
  std::string key;  ///< of the zone
  Amount nodes;
};

/// Pods whose deletion the controller requested, and the server took.
struct PodsEvictedCheck {
  std::vector<std::string> nodes;  ///< names or patterns; none: of any node
  std::vector<std::string> names;  ///< likewise, with or without the namespace
  Amount count;
};

/// Lines of the controller's log that contain a text.
struct LogCheck {
  std::optional<std::string> replica;
  std::string message;
  std::optional<LogLevel> level;
  Amount count;
};

/// One line of `/readyz?verbose`.
struct HealthLineCheck {
  std::optional<std::string> replica;
  std::string name;
  std::optional<bool> ok;
  std::string detail_has;
};

/// What the controller answers when it is asked why, as text.
struct WhyCheck {
  std::optional<std::string> replica;
  controller::why::Question question;
  std::string state;              ///< empty: any
  std::vector<std::string> says;  ///< parts of the answer
  std::vector<std::string> lacks;
  std::optional<std::string> text;  ///< the whole answer
};

struct MetricCheck {
  std::optional<std::string> replica;
  std::string name;
  std::map<std::string, std::string> labels;
  bool exists = true;  ///< false: there is no such series
  Amount value;
};

struct ProcessCheck {};

/// Replicas that may write, at one and the same moment.
struct LeadersCheck {
  std::optional<std::string> replica;  ///< this one
  bool leads = true;                   ///< false: does not
  std::optional<Amount> count;         ///< so many of all
};

struct ControllersCheck {
  std::vector<std::string> running;
  std::vector<std::string> not_running;
};

struct DelayCheck {
  Fact from;
  Fact to;
  Duration max;
};

struct LeaseCheck {
  std::string namespace_name = "kube-node-lease";
  std::string name;
  bool exists = true;
  std::optional<Duration> renewed_within;
  bool within_its_duration = false;  ///< instead: spec.leaseDurationSeconds
  FieldWishes owner;                 ///< of one of its owners
  FieldWishes spec;
};

/// Whether the rules that hold on every day have been kept so far.
struct RulesCheck {};

/// Whether the cluster is as the reference model says, and nothing has been written for so long.
struct SettledCheck {
  Duration quiet{0};
};

struct SequenceCheck {
  std::vector<std::string> requests;  ///< "GET pods/p", "PATCH pods/p/status": exactly this order
};

struct Check {
  std::variant<NodeCheck, PodCheck, RequestCheck, EventCheck, ZoneCheck, EvictionCheck,
               PodsEvictedCheck, LogCheck, HealthLineCheck, MetricCheck, WhyCheck, ProcessCheck,
               LeadersCheck, ControllersCheck, DelayCheck, LeaseCheck, RulesCheck, SettledCheck,
               SequenceCheck>
      what;
  std::string text;  ///< as the file says it
  /// What it speaks of: "node node0 taints". Of two expectations of one subject the later takes
  /// over.
  std::set<std::string> subjects;
};

}  // namespace nlc::sim::scenario
