#pragma once

#include <optional>
#include <string>

namespace boost::asio::ssl {
class context;
}

/// Certificates and keys as PEM texts, and why one cannot be used, in words: "it" is the text, or
/// the certificate with which it begins.
namespace nlc::net {

/// Trusts the certificates of `pem` and no others. Answers why it could not; that the text is cut
/// short counts where it must be `whole`.
std::optional<std::string> trust_roots(boost::asio::ssl::context& context, const std::string& pem,
                                       bool whole);

/// One text of a certificate and its key, which have places of their own.
struct PlacedPem {
  std::string place;  ///< "client-key: /etc/tls.key"
  std::string text;
};

/// Shows this certificate where one is asked for. Answers why it could not, which begins with the
/// place of whichever of the two is at fault.
std::optional<std::string> show_certificate(boost::asio::ssl::context& context,
                                            const PlacedPem& certificate, const PlacedPem& key);

/// What those two would answer, tried on a context that nobody uses.
std::optional<std::string> roots_fault(const std::string& pem, bool whole);
std::optional<std::string> pair_fault(const PlacedPem& certificate, const PlacedPem& key);

/// Why the time of a certificate is not now, by the calendar of this machine: it has expired, or is
/// not yet valid. Nothing where its time is now, or it cannot be read.
std::optional<std::string> out_of_its_time(const std::string& certificate);

}  // namespace nlc::net
