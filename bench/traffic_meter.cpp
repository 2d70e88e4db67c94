#include "bench/traffic_meter.h"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <optional>
#include <string>
#include <sys/socket.h>
#include <unistd.h>

namespace nlc::bench {
namespace {

class NetlinkSocket {
 public:
  NetlinkSocket() : number_(::socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, NETLINK_SOCK_DIAG)) {}
  NetlinkSocket(const NetlinkSocket&) = delete;
  NetlinkSocket& operator=(const NetlinkSocket&) = delete;
  ~NetlinkSocket() {
    if (number_ >= 0) ::close(number_);
  }
  int number() const { return number_; }

 private:
  int number_;
};

struct Question {
  nlmsghdr head;
  inet_diag_req_v2 body;
};

Question question() {
  Question asked{};
  asked.head.nlmsg_len = sizeof asked;
  asked.head.nlmsg_type = SOCK_DIAG_BY_FAMILY;
  asked.head.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
  asked.body.sdiag_family = AF_INET;
  asked.body.sdiag_protocol = IPPROTO_TCP;
  asked.body.idiag_ext = 1U << (INET_DIAG_INFO - 1);
  asked.body.idiag_states = ~0U;
  return asked;
}

/// The kernel's record may be shorter or longer than the one this was compiled with.
void take_info(const void* data, std::size_t size, ConnectionTraffic& connection) {
  tcp_info info{};
  std::memcpy(&info, data, std::min(size, sizeof info));
  connection.bytes_received = info.tcpi_bytes_received;
  connection.bytes_sent = info.tcpi_bytes_acked;
}

std::optional<ConnectionTraffic> connection_in(const nlmsghdr* message) {
  if (message->nlmsg_len < NLMSG_LENGTH(sizeof(inet_diag_msg))) return std::nullopt;
  const char* body = reinterpret_cast<const char*>(message) + NLMSG_HDRLEN;
  const auto* told = reinterpret_cast<const inet_diag_msg*>(body);
  ConnectionTraffic connection{.inode = told->idiag_inode,
                               .remote_port = ntohs(told->id.idiag_dport)};
  auto left = static_cast<int>(message->nlmsg_len - NLMSG_LENGTH(sizeof *told));
  const auto* attribute = reinterpret_cast<const rtattr*>(told + 1);
  for (; RTA_OK(attribute, left); attribute = RTA_NEXT(attribute, left)) {
    if (attribute->rta_type == INET_DIAG_INFO) {
      take_info(RTA_DATA(attribute), RTA_PAYLOAD(attribute), connection);
    }
  }
  return connection;
}

/// Whether more of the answer is to come.
bool take_part(const nlmsghdr* message, std::size_t size,
               std::vector<ConnectionTraffic>& connections) {
  for (; NLMSG_OK(message, size); message = NLMSG_NEXT(message, size)) {
    if (message->nlmsg_type == NLMSG_DONE || message->nlmsg_type == NLMSG_ERROR) return false;
    if (const auto connection = connection_in(message)) connections.push_back(*connection);
  }
  return true;
}

}  // namespace

std::vector<ConnectionTraffic> all_connections() {
  const NetlinkSocket socket;
  const Question asked = question();
  std::vector<ConnectionTraffic> connections;
  if (socket.number() < 0 || ::send(socket.number(), &asked, sizeof asked, 0) < 0) return {};
  alignas(nlmsghdr) std::array<char, 64 * 1024> part{};
  for (bool more = true; more;) {
    const ssize_t size = ::recv(socket.number(), part.data(), part.size(), 0);
    if (size <= 0) break;
    more = take_part(reinterpret_cast<const nlmsghdr*>(part.data()), static_cast<std::size_t>(size),
                     connections);
  }
  return connections;
}

std::vector<std::uint64_t> sockets_of(pid_t process) {
  constexpr std::string_view before = "socket:[";
  std::vector<std::uint64_t> inodes;
  std::error_code error;
  const std::filesystem::path folder = "/proc/" + std::to_string(process) + "/fd";
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const std::string target = std::filesystem::read_symlink(entry.path(), error).string();
    if (!target.starts_with(before)) continue;
    std::uint64_t inode = 0;
    std::from_chars(target.data() + before.size(), target.data() + target.size(), inode);
    inodes.push_back(inode);
  }
  return inodes;
}

void TrafficMeter::sample() {
  const std::vector<std::uint64_t> own = sockets_of(process_);
  for (const ConnectionTraffic& connection : all_connections()) {
    if (connection.remote_port != server_port_) continue;
    if (std::ranges::find(own, connection.inode) == own.end()) continue;
    connections_[connection.inode] = {.received = connection.bytes_received,
                                      .sent = connection.bytes_sent};
  }
}

TrafficMeter::Bytes TrafficMeter::total() const {
  Bytes sum;
  for (const auto& [inode, bytes] : connections_) {
    sum.received += bytes.received;
    sum.sent += bytes.sent;
  }
  return sum;
}

}  // namespace nlc::bench
