#pragma once

#include "api/assembly.h"
#include "api/json_fields.h"
#include "api/status.h"

/// Objects in JSON. What cannot be read throws: `WrongType`, or `Unreadable`.
namespace nlc::api {

/// What is no object at all says nothing.
TypeFields type_of(JsonElement json);

void read(JsonElement json, Node& node);
void read(JsonElement json, NodeLease& lease);
void read(JsonElement json, Pod& pod);
void read(JsonElement json, ConfigMap& config);

/// Of an object that cannot be read: its name, namespace, uid and version, as far as they can.
MetadataFields readable_identity(JsonElement json);

Status read_status(JsonElement json);

BookmarkFields read_bookmark(JsonElement json);

}  // namespace nlc::api
