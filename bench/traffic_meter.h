#pragma once

#include <cstdint>
#include <map>
#include <sys/types.h>
#include <vector>

namespace nlc::bench {

/// What went over one TCP connection, as the kernel counts it: with TLS, without headers below it.
struct ConnectionTraffic {
  std::uint64_t inode = 0;
  std::uint16_t remote_port = 0;
  std::uint64_t bytes_received = 0;
  std::uint64_t bytes_sent = 0;
};

/// Every TCP connection of this machine over IPv4 (sock_diag of Linux); empty where that is not
/// told.
std::vector<ConnectionTraffic> all_connections();

/// Inodes of the sockets that a process holds.
std::vector<std::uint64_t> sockets_of(pid_t process);

/// Adds up the bytes between one process and one port, connections that ended included: what came
/// between the last sample and their end is missed, so sample about once a second.
class TrafficMeter {
 public:
  TrafficMeter(pid_t process, std::uint16_t server_port)
      : process_(process), server_port_(server_port) {}

  void sample();

  struct Bytes {
    std::uint64_t received = 0;
    std::uint64_t sent = 0;
  };
  Bytes total() const;

 private:
  pid_t process_;
  std::uint16_t server_port_;
  std::map<std::uint64_t, Bytes> connections_;
};

}  // namespace nlc::bench
