#pragma once

#include <memory>

#include "client/endpoint.h"
#include "runtime/clock.h"

/// Replies that carry something else than the server says.
namespace nlc::sim::scenario {

/// Until then a stream breaks off inside the first bytes that it has to carry.
std::unique_ptr<client::Reply> torn_until(Instant until, const Clock& clock,
                                          std::unique_ptr<client::Reply> inner);

/// Makes protobuf of the JSON that a server says.
std::unique_ptr<client::Reply> translated(std::unique_ptr<client::Reply> inner);

}  // namespace nlc::sim::scenario
