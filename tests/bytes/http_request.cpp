#include <array>
#include <boost/asio/ip/tcp.hpp>
#include <memory>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include "client/endpoint.h"
#include "net/http_server/http_session.h"
#include "net/loop/asio_loop.h"
#include "net/loop/system_clock.h"
#include "readers.h"
#include "rule.h"

namespace nlc::bytes {
namespace {

/// Answers at once and keeps what was asked.
class Pages final : public client::Endpoint {
 public:
  Subscription serve(client::IncomingRequest request,
                     std::unique_ptr<client::Reply> reply) override {
    asked.push_back(request.method + "\n" + request.target + "\n" + request.host + "\n" +
                    request.authorization + "\n" + request.body);
    reply->send({.status = 200, .content_type = "text/plain", .body = "ok\n"});
    return {};
  }
  std::vector<std::string> asked;
};

/// The caller's end of a connection that no port carries.
class Caller {
 public:
  explicit Caller(int descriptor) : descriptor_(descriptor) {}
  ~Caller() { close(descriptor_); }
  Caller(const Caller&) = delete;
  Caller& operator=(const Caller&) = delete;

  void say(std::string_view bytes) const {
    // What the server does not want any more is refused.
    (void)send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  }
  void finish() const { (void)shutdown(descriptor_, SHUT_WR); }

 private:
  const int descriptor_;
};

/// What is asked by `bytes`, which come in portions of that size.
std::vector<std::string> asked_in_portions(std::string_view bytes, std::size_t portion) {
  static const net::SystemClock clock;
  static net::AsioLoop loop(clock);
  std::array<int, 2> ends{};
  must_hold(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) == 0,
            "there are sockets");
  const Caller caller(ends[0]);
  boost::asio::ip::tcp::socket socket(loop.context());
  socket.assign(boost::asio::ip::tcp::v4(), ends[1]);
  Pages pages;
  bool left = false;
  const auto session =
      std::make_shared<net::HttpSession>(loop, pages, net::small_pages, std::move(socket), nullptr);
  session->start([&left] { left = true; });
  while (!bytes.empty() && !left) {
    caller.say(bytes.substr(0, portion));
    bytes.remove_prefix(std::min(portion, bytes.size()));
    while (loop.context().poll() > 0) {
    }
  }
  caller.finish();
  must_hold(loop.run_until([&] { return left; }, std::chrono::seconds(5)),
            "a session ends when its caller has gone");
  return std::move(pages.asked);
}

}  // namespace

/// What a caller sends to a port of ours: the first byte says in which portions it comes.
void read_http_request(std::string_view bytes) {
  if (bytes.empty()) return;
  const std::size_t portion = static_cast<unsigned char>(bytes.front()) + 1U;
  bytes.remove_prefix(1);
  must_hold(asked_in_portions(bytes, bytes.size() + 1) == asked_in_portions(bytes, portion),
            "where a request is cut changes nothing of it");
}

}  // namespace nlc::bytes
