#pragma once

#include <memory>
#include <string>

namespace nlc::tests {

struct KeyPair {
  std::string certificate;  ///< PEM
  std::string key;          ///< PEM
};

struct Subject {
  std::string common_name = "server";
  std::string alternative_names = "IP:127.0.0.1";  ///< as openssl.cnf writes them; empty: none
  long valid_from = -3600;                         ///< seconds from now
  long valid_to = 3600;
};

/// A certificate authority made when a test needs one, by OpenSSL's library.
class TestCa {
 public:
  explicit TestCa(const std::string& common_name = "test CA");
  ~TestCa();
  TestCa(const TestCa&) = delete;
  TestCa& operator=(const TestCa&) = delete;

  const std::string& certificate() const;
  KeyPair issue(const Subject& subject) const;

 private:
  struct Made;
  std::unique_ptr<Made> made_;
};

/// The same key behind a password.
std::string encrypted(const std::string& key, const std::string& password);

}  // namespace nlc::tests
