#pragma once

#include <memory>
#include <string>

#include "client/resources.h"
#include "client/streams/watch_reader.h"

namespace nlc::client {

/// A watch for an onlooker: it begins with all that is there now (a watch without a version,
/// spec/api-server.md "Watch"), every event is heard at once, and nobody takes it up again when it
/// ends.
template <typename T>
Subscription watch_from_now(Transport& transport, WatchListener<T>& listener) {
  return transport.watch({.target = std::string(collection_of<T>()) + "?watch=true"},
                         std::make_unique<WatchReader<T>>(listener));
}

}  // namespace nlc::client
