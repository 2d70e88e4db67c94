#pragma once

#include "client/endpoint.h"
#include "sim/apiserver/registry/deletion.h"
#include "sim/apiserver/registry/patched_object.h"
#include "sim/apiserver/requests/request_info.h"

/// The options of writes, read and judged as the real server does: a value that it does not know
/// refuses the write, it is not ignored.
namespace nlc::sim {

struct WriteOptions {
  bool dry_run = false;
  FieldValidation validation = FieldValidation::Warn;
};

enum class WriteKind : std::uint8_t { Create, Update, Patch, Apply };

Outcome<WriteOptions> write_options(const Query& query, WriteKind kind);

/// A body counts alone: what stands beside it in the address is not looked at.
Outcome<DeleteOptions> delete_options(const client::IncomingRequest& request, const Query& query);

}  // namespace nlc::sim
