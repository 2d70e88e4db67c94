#include "decoded_objects.h"
#include "readers.h"

namespace nlc::bytes {

/// A body or a line of a watch in JSON.
void read_json_object(std::string_view bytes) { read_as_every_kind(api::Encoding::Json, bytes); }

}  // namespace nlc::bytes
