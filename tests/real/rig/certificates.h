#pragma once

#include <filesystem>
#include <string>

namespace nlc::real {

/// A certificate and the key that belongs to it.
struct KeyPair {
  std::filesystem::path certificate;
  std::filesystem::path key;
};

enum class Validity { Now, Over };

/// What a certificate says about its bearer, in OpenSSL's words.
struct Bearer {
  std::string file_stem;  ///< names the two files
  std::string subject;    ///< "/CN=kube-apiserver", "/O=system:masters/CN=admin"
  std::string names{};    ///< subjectAltName: "IP:127.0.0.1,DNS:localhost"; empty for clients
  Validity validity = Validity::Now;
};

/// A certificate authority of its own, made with the openssl program in `folder`. Throws when that
/// fails.
class Authority {
 public:
  Authority(std::filesystem::path folder, const std::string& name);

  const std::filesystem::path& certificate() const { return pair_.certificate; }

  KeyPair issue(const Bearer& bearer) const;

 private:
  std::filesystem::path folder_;
  KeyPair pair_;
};

/// An RSA key, such as the API server signs service account tokens with.
void make_key(const std::filesystem::path& file);

}  // namespace nlc::real
