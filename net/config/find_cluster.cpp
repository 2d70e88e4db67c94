#include "net/config/find_cluster.h"

#include "net/config/in_cluster.h"

namespace nlc::net {

Result<ClusterConfig> find_cluster(const KubeconfigOptions& named, const Environment& environment) {
  const bool in_pod = !environment("KUBERNETES_SERVICE_HOST").empty();
  const bool asked = !named.file.empty() || !named.context.empty();
  if (in_pod && !asked) return load_in_cluster(environment);
  return load_kubeconfig(named, environment);
}

}  // namespace nlc::net
