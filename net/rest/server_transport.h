#pragma once

#include <memory>
#include <string>

#include "net/http_client/socket_transport.h"

namespace nlc::net {

/// The transport of the programs: Boost.Beast for everything but reads of single objects, which go
/// through cpprestsdk. To a server that is named by an IPv6 address these go through Beast as well,
/// because cpprestsdk looks such an address up with its brackets and finds nothing; and so they do
/// without TLS, where nothing would limit what cpprestsdk reads. Lives on the executor's thread,
/// not longer than the credentials.
std::unique_ptr<client::Transport> server_transport(Credentials& credentials,
                                                    const Surroundings& surroundings,
                                                    const std::string& user_agent);

}  // namespace nlc::net
