#include "certificates.h"

#include <stdexcept>
#include <utility>
#include <vector>

#include "process.h"

namespace nlc::real {
namespace {

using namespace std::chrono_literals;

void openssl(std::vector<std::string> arguments, const std::filesystem::path& output) {
  arguments.insert(arguments.begin(), "openssl");
  Process program({.words = std::move(arguments), .output = output});
  if (program.wait(30s) != 0) {
    throw std::runtime_error("openssl failed (is it installed?): " + program.last_lines(5));
  }
}

KeyPair named(const std::filesystem::path& folder, const std::string& stem) {
  return {.certificate = folder / (stem + ".crt"), .key = folder / (stem + ".key")};
}

}  // namespace

Authority::Authority(std::filesystem::path folder, const std::string& name)
    : folder_(std::move(folder)), pair_(named(folder_, name)) {
  openssl({"req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=" + name,
           "-keyout", pair_.key.string(), "-out", pair_.certificate.string()},
          folder_ / "openssl.log");
}

KeyPair Authority::issue(const Bearer& bearer) const {
  const KeyPair made = named(folder_, bearer.file_stem);
  const std::filesystem::path request = folder_ / (bearer.file_stem + ".csr");
  const std::filesystem::path extensions = folder_ / (bearer.file_stem + ".ext");
  const std::filesystem::path log = folder_ / "openssl.log";
  write_text(extensions, "extendedKeyUsage=serverAuth,clientAuth\n" +
                             (bearer.names.empty() ? "" : "subjectAltName=" + bearer.names + "\n"));
  openssl({"req", "-newkey", "rsa:2048", "-nodes", "-subj", bearer.subject, "-keyout",
           made.key.string(), "-out", request.string()},
          log);
  openssl({"x509", "-req", "-in", request.string(), "-CA", pair_.certificate.string(), "-CAkey",
           pair_.key.string(), "-CAcreateserial", "-days",
           bearer.validity == Validity::Now ? "2" : "-1", "-extfile", extensions.string(), "-out",
           made.certificate.string()},
          log);
  return made;
}

void make_key(const std::filesystem::path& file) {
  openssl({"genrsa", "-out", file.string(), "2048"}, file.parent_path() / "openssl.log");
}

}  // namespace nlc::real
