#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string_view>

#include "api/objects.h"

/// How objects are put together, whatever encoding their fields came in: what is kept, what is
/// refused, and which counts of what comes twice. Fields are views, good during the call only.
namespace nlc::api {

/// Why an object, or a whole text, is not to be used.
struct Unreadable : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// What an object says that it is; empty where it says nothing, as the items of a JSON list.
struct TypeFields {
  std::string_view kind;
  std::string_view api_version;
};

struct MetadataFields {
  std::string_view name;
  std::string_view namespace_;
  std::string_view uid;
  std::string_view resource_version;
  std::int64_t generation = 0;
  std::optional<WallTime> created;
  bool deleting = false;
};

struct ConditionFields {
  std::string_view type;
  std::string_view status;
  std::string_view reason;
  std::string_view message;
  std::optional<WallTime> last_heartbeat;
  std::optional<WallTime> last_transition;
};

struct TaintFields {
  std::string_view key;
  std::string_view value;
  std::string_view effect;
  std::optional<WallTime> time_added;
};

struct TolerationFields {
  std::string_view key;
  std::string_view operator_;
  std::string_view value;
  std::string_view effect;
  std::optional<std::int64_t> seconds;
};

struct OwnerFields {
  std::string_view kind;
  bool controller = false;
};

/// What a bookmark tells.
struct BookmarkFields {
  std::string_view resource_version;
  bool ends_initial_events = false;
};
/// The annotation of the bookmark behind the last initial event.
inline constexpr std::string_view initial_events_end = "k8s.io/initial-events-end";

/// What a server may ask us to wait: at most an hour, whatever it says.
Duration believable_wait(std::int64_t seconds);

/// An object as it is before its first field. What it had allocated may be used again.
void clear(Node& node);
void clear(NodeLease& lease);
void clear(Pod& pod);
void clear(ConfigMap& config);

/// Refuses an object without a name: it cannot be acted on.
void set_metadata(Node& node, const MetadataFields& fields);
void set_metadata(NodeLease& lease, const MetadataFields& fields);
void set_metadata(Pod& pod, const MetadataFields& fields);
void set_metadata(ConfigMap& config, const MetadataFields& fields);

void add_label(Node& node, std::string_view key, std::string_view value);
void set_pause(Node& node, std::string_view word);
void add_taint(Node& node, const TaintFields& fields);
void add_condition(Node& node, const ConditionFields& fields);

void add_entry(ConfigMap& config, std::string_view key, std::string_view value);

void add_owner(Pod& pod, const OwnerFields& fields);
void set_node(Pod& pod, std::string_view node);
void add_toleration(Pod& pod, const TolerationFields& fields);
void set_phase(Pod& pod, std::string_view phase, std::string_view reason);
void add_condition(Pod& pod, const ConditionFields& fields);

}  // namespace nlc::api
