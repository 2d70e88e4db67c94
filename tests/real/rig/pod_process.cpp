#include "pod_process.h"

#include <utility>

namespace nlc::real {
namespace {

// The mount comes over /run, for /var/run leads there, and there need be no folder for it yet.
constexpr const char* script =
    "mount --bind \"$1\" /run && mount --options remount,bind,ro / && shift && "
    "exec setpriv --pdeathsig KILL --no-new-privs --bounding-set -all -- \"$@\"";

}  // namespace

Process run_as_in_pod(const Container& container, const Kubeconfig& account) {
  const auto secrets = container.mount / "secrets/kubernetes.io/serviceaccount";
  std::filesystem::create_directories(secrets);
  write_text(secrets / "token", account.token);
  write_text(secrets / "namespace", container.space);
  write_text(secrets / "ca.crt", read_text(account.authority));
  const std::string address = account.server.substr(account.server.find("//") + 2);
  const std::size_t colon = address.find(':');
  std::vector<std::string> words = {"env",
                                    "KUBERNETES_SERVICE_HOST=" + address.substr(0, colon),
                                    "KUBERNETES_SERVICE_PORT=" + address.substr(colon + 1),
                                    "unshare",
                                    "--map-root-user",
                                    "--mount",
                                    "sh",
                                    "-c",
                                    script,
                                    "sh",
                                    container.mount.string()};
  words.insert(words.end(), container.words.begin(), container.words.end());
  return Process({.words = std::move(words), .output = container.output});
}

}  // namespace nlc::real
