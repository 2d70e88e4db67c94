#include <string>

#include "net/http/listen_address.h"
#include "net/http/server_address.h"
#include "readers.h"
#include "rule.h"

namespace nlc::bytes {

/// Where to listen, and an API server's URL.
void read_address(std::string_view bytes) {
  if (const Result<net::ListenAddress> read = net::parse_listen_address(bytes)) {
    const Result<net::ListenAddress> again =
        net::parse_listen_address(net::address_text(read->host, read->port));
    must_hold(again && *again == *read, "where to listen is written as it reads");
  }
  if (const std::optional<net::ServerAddress> read = net::parse_server_address(bytes)) {
    const std::string written = (read->tls ? "https://" : "http://") +
                                net::address_text(read->host, read->port) + read->path_prefix;
    must_hold(net::parse_server_address(written) == read, "a server's URL is written as it reads");
  }
}

}  // namespace nlc::bytes
