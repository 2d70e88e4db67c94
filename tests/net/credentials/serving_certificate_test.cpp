#include "net/credentials/serving_certificate.h"

#include <boost/asio/ssl/context.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/ssl.h>

#include "sim/virtual_time.h"
#include "tests/memory_log.h"
#include "tests/net/certificates.h"
#include "tests/net/temporary_folder.h"

namespace nlc::tests {
namespace {

using std::chrono_literals::operator""h;
using testing::HasSubstr;

class ServingCertificateTest : public testing::Test {
 protected:
  net::ServingFiles files() const {
    return {.certificate = folder.path("tls.crt"), .key = folder.path("tls.key")};
  }
  void write(const KeyPair& pair) {
    folder.write("tls.crt", pair.certificate);
    folder.write("tls.key", pair.key);
  }
  std::unique_ptr<net::ServingCertificate> read(net::ServingFiles from) {
    auto certificate = net::ServingCertificate::read(std::move(from), time, log);
    EXPECT_TRUE(certificate) << certificate.error().path;
    return *std::move(certificate);
  }
  std::string why_not(net::ServingFiles from) {
    auto certificate = net::ServingCertificate::read(std::move(from), time, log);
    return certificate ? "" : certificate.error().path;
  }

  sim::VirtualTime time{WallTime{}};
  MemoryLog log;
  TestCa authority;
  TemporaryFolder folder;
};

/// As a number that differs for each.
std::string serial_of(boost::asio::ssl::context& context) {
  const ASN1_INTEGER* const serial =
      X509_get0_serialNumber(SSL_CTX_get0_certificate(context.native_handle()));
  return {reinterpret_cast<const char*>(serial->data), static_cast<std::size_t>(serial->length)};
}

TEST_F(ServingCertificateTest, WhatCannotBeUsedAtTheStartIsNamed) {
  EXPECT_THAT(why_not(files()), HasSubstr("certificate file " + folder.path("tls.crt") +
                                          ": No such file or directory"));
  const KeyPair pair = authority.issue({});
  folder.write("tls.crt", pair.certificate);
  EXPECT_THAT(why_not(files()),
              HasSubstr("key file " + folder.path("tls.key") + ": No such file or directory"));
  folder.write("tls.key", authority.issue({}).key);
  EXPECT_THAT(
      why_not(files()),
      HasSubstr("key file " + folder.path("tls.key") + ": it does not belong to certificate file " +
                folder.path("tls.crt") + "; the key that this was issued for is expected"));
  folder.write("tls.key", encrypted(pair.key, "secret"));
  EXPECT_THAT(why_not(files()), HasSubstr("tls.key: it is encrypted"));
  folder.write("tls.crt", "no certificate");
  EXPECT_THAT(why_not(files()), HasSubstr("no certificate is in it"));
}

TEST_F(ServingCertificateTest, FilesThatDidNotChangeAreNotReadAgain) {
  write(authority.issue({}));
  const auto certificate = read(files());
  const auto* const before = &certificate->context();
  EXPECT_EQ(&certificate->context(), before);
  write(authority.issue({}));
  EXPECT_NE(&certificate->context(), before);
}

TEST_F(ServingCertificateTest, HalfARotationLeavesTheOldPairInForceAndIsToldOnce) {
  write(authority.issue({}));
  const auto certificate = read(files());
  const std::string old = serial_of(certificate->context());
  const KeyPair fresh = authority.issue({});
  folder.write("tls.crt", fresh.certificate);
  EXPECT_EQ(serial_of(certificate->context()), old);
  EXPECT_EQ(serial_of(certificate->context()), old);
  EXPECT_EQ(log.count("the old one stays"), 1U);
  folder.write("tls.key", fresh.key);
  EXPECT_NE(serial_of(certificate->context()), old);
  EXPECT_EQ(log.count("can be used again"), 1U);
}

TEST_F(ServingCertificateTest, ExpiredOneDoesNotTakeThePlaceOfOneThatHolds) {
  write(authority.issue({}));
  const auto certificate = read(files());
  const std::string old = serial_of(certificate->context());
  write(authority.issue({.valid_from = -3600, .valid_to = -60}));
  EXPECT_EQ(serial_of(certificate->context()), old);
  EXPECT_EQ(log.count("it has expired"), 1U);
}

TEST_F(ServingCertificateTest, OneThatIsNotYetValidDoesNotTakeThePlaceOfOneThatHolds) {
  write(authority.issue({}));
  const auto certificate = read(files());
  const std::string old = serial_of(certificate->context());
  write(authority.issue({.valid_from = 600, .valid_to = 3600}));
  EXPECT_EQ(serial_of(certificate->context()), old);
  EXPECT_EQ(log.count("the old one stays"), 1U);
  EXPECT_EQ(log.count("it is not yet valid: notBefore "), 1U);
}

TEST_F(ServingCertificateTest, WhatIsOutOfItsTimeAtTheStartIsServedAndWarnedOfWithFileAndEnd) {
  const std::string told = "out of its time, callers that verify it will refuse it certificate=" +
                           folder.path("tls.crt") + " why=";
  write(authority.issue({.valid_from = -3600, .valid_to = -60}));
  const auto certificate = read(files());
  const std::string first = serial_of(certificate->context());
  EXPECT_EQ(log.count(told + "it has expired, notAfter 2"), 1U) << "once, not for each caller";
  EXPECT_EQ(log.count("out of its time"), 1U);

  write(authority.issue({.valid_from = 600, .valid_to = 3600}));
  EXPECT_NE(serial_of(certificate->context()), first) << "there is none that holds";
  EXPECT_EQ(log.count(told + "it is not yet valid: notBefore 2"), 1U);
  EXPECT_EQ(log.count(", notAfter 2"), 2U);

  write(authority.issue({}));
  certificate->context();
  EXPECT_EQ(log.count("out of its time"), 2U);
}

TEST_F(ServingCertificateTest, SelfMadeOneIsMadeAnewBeforeItsYearIsOver) {
  const auto certificate = read({});
  const std::string first = serial_of(certificate->context());
  time.run_for(24h * 300 - 1h);
  EXPECT_EQ(serial_of(certificate->context()), first);
  time.run_for(1h);
  EXPECT_NE(serial_of(certificate->context()), first);
  EXPECT_EQ(certificate->in_words(), "self-made");
}

TEST_F(ServingCertificateTest, SelfMadeOneIsForThisMachineAndForServersAlone) {
  const auto pair = net::self_made_certificate("node-lifecycle-controller");
  ASSERT_TRUE(pair);
  const auto certificate = read({});
  X509* const made = SSL_CTX_get0_certificate(certificate->context().native_handle());
  EXPECT_EQ(X509_check_host(made, "localhost", 0, 0, nullptr), 1);
  EXPECT_EQ(X509_check_ip_asc(made, "127.0.0.1", 0), 1);
  EXPECT_EQ(X509_check_ip_asc(made, "::1", 0), 1);
  EXPECT_EQ(X509_check_purpose(made, X509_PURPOSE_SSL_SERVER, 0), 1);
  EXPECT_EQ(X509_check_purpose(made, X509_PURPOSE_SSL_CLIENT, 0), 0);
  EXPECT_EQ(X509_check_ca(made), 0);
}

}  // namespace
}  // namespace nlc::tests
