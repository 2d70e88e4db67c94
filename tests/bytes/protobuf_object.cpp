#include "decoded_objects.h"
#include "readers.h"

namespace nlc::bytes {

/// A body or a frame of a watch in protobuf.
void read_protobuf_object(std::string_view bytes) {
  read_as_every_kind(api::Encoding::Protobuf, bytes);
}

}  // namespace nlc::bytes
