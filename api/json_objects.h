#pragma once

#include "api/assembly.h"
#include "api/json_fields.h"
#include "api/status.h"

/// Objects in JSON. What cannot be read throws: `WrongType`, or `Unreadable`.
namespace nlc::api {

/// What is no object at all says nothing.
TypeFields type_of(Json json);

void read(Json json, Node& node);
void read(Json json, NodeLease& lease);
void read(Json json, Pod& pod);
void read(Json json, ConfigMap& config);

/// Of an object that cannot be read: its name, namespace, uid and version, as far as they can.
MetadataFields readable_identity(Json json);

Status read_status(Json json);

BookmarkFields read_bookmark(Json json);

}  // namespace nlc::api
