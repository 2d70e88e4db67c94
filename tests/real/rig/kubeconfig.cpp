#include "kubeconfig.h"

#include <nlohmann/json.hpp>

#include "process.h"

namespace nlc::real {

// JSON is YAML too, and quotes everything that has to be quoted.
std::filesystem::path write_kubeconfig(const std::filesystem::path& file,
                                       const Kubeconfig& config) {
  nlohmann::json user = nlohmann::json::object();
  if (!config.token.empty()) user["token"] = config.token;
  if (!config.token_file.empty()) user["tokenFile"] = config.token_file.string();
  if (!config.certificate.empty()) {
    user["client-certificate"] = config.certificate.string();
    user["client-key"] = config.key.string();
  }
  const nlohmann::json cluster = {{"server", config.server},
                                  {"certificate-authority", config.authority.string()}};
  const nlohmann::json whole = {
      {"apiVersion", "v1"},
      {"kind", "Config"},
      {"clusters", {{{"name", "real"}, {"cluster", cluster}}}},
      {"users", {{{"name", "client"}, {"user", user}}}},
      {"contexts", {{{"name", "real"}, {"context", {{"cluster", "real"}, {"user", "client"}}}}}},
      {"current-context", "real"},
  };
  write_text(file, whole.dump(2) + "\n");
  return file;
}

}  // namespace nlc::real
