#pragma once

#include <filesystem>
#include <string>

namespace nlc::real {

/// How a client finds a server and says who it is. Of token, token file and certificate the ones
/// that are not empty are written.
struct Kubeconfig {
  std::string server;
  std::filesystem::path authority;  ///< the CA's certificate
  std::string token{};
  std::filesystem::path token_file{};
  std::filesystem::path certificate{};
  std::filesystem::path key{};
};

/// Writes it as kubectl would have it, and returns `file`.
std::filesystem::path write_kubeconfig(const std::filesystem::path& file, const Kubeconfig& config);

}  // namespace nlc::real
