#include "tests/net/tls_caller.h"

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/write.hpp>
#include <openssl/bn.h>
#include <openssl/ssl.h>

namespace nlc::tests {

namespace asio = boost::asio;
namespace ssl = boost::asio::ssl;
using asio::ip::tcp;
using boost::system::error_code;

struct TlsCaller::Wire : std::enable_shared_from_this<Wire> {
  Wire(net::AsioLoop& loop, const TlsCallerOptions& options)
      : context(ssl::context::tls_client), socket(loop.context()) {
    if (options.version_max != 0) {
      SSL_CTX_set_min_proto_version(context.native_handle(), options.version_max);
      SSL_CTX_set_max_proto_version(context.native_handle(), options.version_max);
      SSL_CTX_set_security_level(context.native_handle(), 0);  // or it would not even offer it
    }
    if (!options.authority.empty()) {
      context.add_certificate_authority(asio::buffer(options.authority));
      context.set_verify_mode(ssl::verify_peer);
    }
    tls.emplace(socket, context);
  }

  void greet(std::uint16_t port) {
    socket.connect({asio::ip::address_v4::loopback(), port});
    tls->async_handshake(ssl::stream_base::client,
                         [self = shared_from_this()](const error_code& error) {
                           (error ? self->failed : self->greeted) = true;
                           if (!error) self->read();
                         });
  }

  void read() {
    tls->async_read_some(asio::buffer(space),
                         [self = shared_from_this()](const error_code& error, std::size_t size) {
                           self->received.append(self->space.data(), size);
                           if (!error) return self->read();
                           self->closed = true;
                           self->told_the_end = error == asio::error::eof;
                         });
  }

  X509* shown() const { return SSL_get0_peer_certificate(tls->native_handle()); }

  ssl::context context;
  tcp::socket socket;
  mutable std::optional<ssl::stream<tcp::socket&>> tls;
  std::array<char, 16 * 1024> space{};
  std::string received;
  bool greeted = false;
  bool failed = false;
  bool closed = false;
  bool told_the_end = false;
};

TlsCaller::TlsCaller(net::AsioLoop& loop, std::uint16_t port, TlsCallerOptions options)
    : wire_(std::make_shared<Wire>(loop, options)) {
  wire_->greet(port);
}

TlsCaller::~TlsCaller() {
  error_code ignored;
  wire_->socket.close(ignored);
}

bool TlsCaller::is_greeted() const { return wire_->greeted; }
bool TlsCaller::has_failed() const { return wire_->failed; }
bool TlsCaller::is_closed() const { return wire_->closed; }
bool TlsCaller::was_told_the_end() const { return wire_->told_the_end; }
const std::string& TlsCaller::received() const { return wire_->received; }

void TlsCaller::send(const std::string& bytes) {
  const auto kept = std::make_shared<std::string>(bytes);
  asio::async_write(*wire_->tls, asio::buffer(*kept),
                    [kept, wire = wire_](const error_code&, std::size_t) {});
}

std::string TlsCaller::version() const { return SSL_get_version(wire_->tls->native_handle()); }

std::string TlsCaller::name() const {
  std::array<char, 256> text{};
  X509_NAME_get_text_by_NID(X509_get_subject_name(wire_->shown()), NID_commonName, text.data(),
                            static_cast<int>(text.size()));
  return text.data();
}

std::string TlsCaller::serial() const {
  BIGNUM* const number = ASN1_INTEGER_to_BN(X509_get0_serialNumber(wire_->shown()), nullptr);
  char* const text = BN_bn2hex(number);
  std::string serial = text;
  OPENSSL_free(text);
  BN_free(number);
  return serial;
}

}  // namespace nlc::tests
