#pragma once

#include <memory>
#include <string>

#include "net/socket_transport.h"

namespace nlc::net {

/// The transport of the programs: Boost.Beast for watches and gated writes, cpprestsdk for single
/// requests. To a server that is named by an IPv6 address everything goes through Beast, because
/// cpprestsdk looks such an address up with its brackets and finds nothing. Lives on the executor's
/// thread.
std::unique_ptr<client::Transport> server_transport(const ClusterConfig& server,
                                                    const Surroundings& surroundings,
                                                    const std::string& user_agent);

}  // namespace nlc::net
