#include "loopback.h"

#include <arpa/inet.h>
#include <cstdlib>
#include <netinet/in.h>
#include <stdexcept>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

namespace nlc::real {
namespace {

class Socket {
 public:
  Socket() : number_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    if (number_ < 0) throw std::runtime_error("no socket");
  }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;
  ~Socket() { ::close(number_); }

  int number() const { return number_; }

 private:
  int number_;
};

union Address {
  sockaddr any;
  sockaddr_in four;
};

Address loopback(int port) {
  Address address{};
  address.four.sin_family = AF_INET;
  address.four.sin_port = htons(static_cast<std::uint16_t>(port));
  address.four.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

std::string received(const Socket& socket) {
  std::string text;
  char piece[4096];
  for (ssize_t count; (count = ::recv(socket.number(), piece, sizeof piece, 0)) > 0;) {
    text.append(piece, static_cast<std::size_t>(count));
  }
  return text;
}

}  // namespace

int free_port() {
  // Test programs that run at once start far apart.
  static int next = 20000 + ::getpid() * 97 % 10000;
  for (int tries = 0; tries < 1000; ++tries) {
    const Address address = loopback(next++);
    const Socket socket;
    if (::bind(socket.number(), &address.any, sizeof address.four) == 0) {
      return ntohs(address.four.sin_port);
    }
  }
  throw std::runtime_error("no free port on 127.0.0.1");
}

std::optional<Page> read_page(int port, const std::string& path) {
  const Socket socket;
  const timeval limit{.tv_sec = 5, .tv_usec = 0};
  ::setsockopt(socket.number(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  const Address address = loopback(port);
  if (::connect(socket.number(), &address.any, sizeof address.four) != 0) return std::nullopt;

  const std::string request =
      "GET " + path + " HTTP/1.0\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n";
  if (::send(socket.number(), request.data(), request.size(), MSG_NOSIGNAL) < 0)
    return std::nullopt;
  const std::string answer = received(socket);
  const std::size_t space = answer.find(' ');
  const std::size_t body = answer.find("\r\n\r\n");
  if (space == std::string::npos || body == std::string::npos) return std::nullopt;
  return Page{.status = std::atoi(answer.c_str() + space + 1), .text = answer.substr(body + 4)};
}

}  // namespace nlc::real
