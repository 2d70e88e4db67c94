#pragma once

#include "api/assembly.h"
#include "api/decode.h"
#include "api/json_fields.h"

/// Objects in JSON. What cannot be read throws: `WrongType`, or `Unreadable`.
namespace nlc::api {

void read(Json json, Node& node);
void read(Json json, NodeLease& lease);
void read(Json json, Pod& pod);

Status read_status(Json json);

BookmarkFields read_bookmark(Json json);

}  // namespace nlc::api
