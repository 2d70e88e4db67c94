#include "bench/traffic_meter.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <string>
#include <sys/socket.h>
#include <unistd.h>

namespace nlc::bench {
namespace {

union Address {
  sockaddr any;
  sockaddr_in four;
};

/// A connection of this process to itself.
class Pair {
 public:
  Pair()
      : listener_(::socket(AF_INET, SOCK_STREAM, 0)), client_(::socket(AF_INET, SOCK_STREAM, 0)) {
    Address address{};
    address.four.sin_family = AF_INET;
    address.four.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address.four;
    EXPECT_EQ(::bind(listener_, &address.any, size), 0);
    EXPECT_EQ(::listen(listener_, 1), 0);
    EXPECT_EQ(::getsockname(listener_, &address.any, &size), 0);
    EXPECT_EQ(::connect(client_, &address.any, size), 0);
    port_ = ntohs(address.four.sin_port);
    server_ = ::accept(listener_, nullptr, nullptr);
  }
  Pair(const Pair&) = delete;
  Pair& operator=(const Pair&) = delete;
  ~Pair() {
    hang_up();
    ::close(listener_);
  }

  std::uint16_t port() const { return port_; }
  void exchange(std::size_t asked, std::size_t answered) const {
    pass(client_, server_, asked);
    pass(server_, client_, answered);
  }
  void hang_up() {
    if (client_ < 0) return;
    ::close(client_);
    ::close(server_);
    client_ = -1;
  }

 private:
  static void pass(int from, int to, std::size_t size) {
    const std::string text(size, 'x');
    std::string taken(size, ' ');
    EXPECT_EQ(::send(from, text.data(), size, 0), static_cast<ssize_t>(size));
    EXPECT_EQ(::recv(to, taken.data(), size, MSG_WAITALL), static_cast<ssize_t>(size));
  }

  int listener_;
  int client_;
  int server_ = -1;
  std::uint16_t port_ = 0;
};

TEST(TrafficMeter, CountsBothDirectionsOfTheConnectionsToThePort) {
  const Pair counted;
  const Pair other;
  TrafficMeter meter(::getpid(), counted.port());
  counted.exchange(1000, 300);
  other.exchange(50, 50);
  meter.sample();
  EXPECT_EQ(meter.total().received, 300U);
  EXPECT_NEAR(static_cast<double>(meter.total().sent), 1000, 2);  // the handshake counts as a byte
}

TEST(TrafficMeter, KeepsWhatAConnectionThatEndedHadCarried) {
  Pair pair;
  TrafficMeter meter(::getpid(), pair.port());
  pair.exchange(10, 2000);
  meter.sample();
  pair.hang_up();
  meter.sample();
  EXPECT_EQ(meter.total().received, 2000U);
}

TEST(TrafficMeter, LooksAtOneProcessOnly) {
  const Pair pair;
  TrafficMeter meter(::getppid(), pair.port());
  pair.exchange(1000, 300);
  meter.sample();
  EXPECT_EQ(meter.total().received, 0U);
}

}  // namespace
}  // namespace nlc::bench
