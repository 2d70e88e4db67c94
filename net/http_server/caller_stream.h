#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/write.hpp>
#include <optional>
#include <utility>

/// Private to this folder: it shows Asio.
namespace nlc::net {

/// One caller's bytes, with TLS or without: all that a session knows of its socket. One read and
/// one write at a time; it stays alive for as long as one of them is under way.
class CallerStream {
 public:
  /// `tls`: none for plain bytes.
  CallerStream(boost::asio::ip::tcp::socket socket, boost::asio::ssl::context* tls)
      : socket_(std::move(socket)) {
    if (tls != nullptr) tls_.emplace(socket_, *tls);
  }
  CallerStream(const CallerStream&) = delete;
  CallerStream& operator=(const CallerStream&) = delete;

  bool is_secured() const { return tls_.has_value(); }

  /// First of all, where it is secured.
  template <typename Done>
  void shake_hands(Done done) {
    tls_->async_handshake(boost::asio::ssl::stream_base::server, std::move(done));
  }

  template <typename Buffers, typename Done>
  void read_some(const Buffers& buffers, Done done) {
    if (tls_) {
      tls_->async_read_some(buffers, std::move(done));
    } else {
      socket_.async_read_some(buffers, std::move(done));
    }
  }

  template <typename Buffers, typename Done>
  void write(const Buffers& buffers, Done done) {
    if (tls_) {
      boost::asio::async_write(*tls_, buffers, std::move(done));
    } else {
      boost::asio::async_write(socket_, buffers, std::move(done));
    }
  }

  /// Nothing follows: what was written arrives, and what the caller sends still comes. `alive`
  /// keeps this stream until it was said.
  template <typename Alive>
  void finish_writing(Alive alive) {
    if (!tls_) return shut();
    tls_->async_shutdown([this, alive = std::move(alive)](const auto&) { shut(); });
  }

  void close() {
    boost::system::error_code ignored;
    socket_.close(ignored);
  }

 private:
  void shut() {
    boost::system::error_code ignored;
    socket_.shutdown(boost::asio::ip::tcp::socket::shutdown_send, ignored);
  }

  boost::asio::ip::tcp::socket socket_;
  std::optional<boost::asio::ssl::stream<boost::asio::ip::tcp::socket&>> tls_;
};

}  // namespace nlc::net
