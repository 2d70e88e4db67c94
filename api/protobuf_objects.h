#pragma once

#include <functional>
#include <string_view>

#include "api/assembly.h"
#include "api/status.h"

/// Objects in Kubernetes' protobuf, read in place: a field that we do not use is skipped, and so is
/// one that is encoded in another way than it should be. What cannot be read throws `Unreadable` or
/// `protozero::exception`.
namespace nlc::api {

/// An object on the wire: "k8s\0" and a `runtime.Unknown`.
struct Envelope {
  TypeFields type;
  std::string_view raw;  ///< the object itself
};
bool is_enveloped(std::string_view bytes);
Envelope open_envelope(std::string_view bytes);

void read(std::string_view raw, Node& node);
void read(std::string_view raw, NodeLease& lease);
void read(std::string_view raw, Pod& pod);
void read(std::string_view raw, ConfigMap& config);

/// An object without its envelope says nothing of its type.
inline TypeFields type_of(std::string_view /*raw*/) { return {}; }

/// Of an object that cannot be read: its name, namespace, uid and version, as far as they can.
MetadataFields readable_identity(std::string_view raw);

Status read_status(std::string_view raw);
BookmarkFields read_bookmark(std::string_view raw);

struct ListFields {
  std::string_view resource_version;
  std::string_view continue_token;
};
/// `visit` is called with each item, raw.
ListFields read_list(std::string_view raw, const std::function<void(std::string_view)>& visit);

struct EventFields {
  std::string_view type;
  std::string_view object;  ///< in its envelope
};
EventFields read_event(std::string_view frame);

}  // namespace nlc::api
