#include "kubectl_program.h"

#include <cstdlib>
#include <stdexcept>
#include <stdlib.h>
#include <utility>

namespace nlc::real {
namespace {

using namespace std::chrono_literals;

std::filesystem::path with_end(const std::filesystem::path& stem, const char* end) {
  return stem.string() + end;
}

}  // namespace

std::filesystem::path asset(const std::string& name) {
  const char* folder = std::getenv("KUBEBUILDER_ASSETS");
  if (folder == nullptr || *folder == '\0') {
    throw std::runtime_error(
        "needs $KUBEBUILDER_ASSETS, a folder with etcd, kube-apiserver and kubectl: "
        "tests/real/build-servers.sh makes one and prints its path");
  }
  const std::filesystem::path file = std::filesystem::path(folder) / name;
  if (std::filesystem::exists(file)) return file;
  throw std::runtime_error("$KUBEBUILDER_ASSETS is " + std::string(folder) + ", which lacks " +
                           name);
}

std::filesystem::path new_folder() {
  std::string name = (std::filesystem::temp_directory_path() / "nlc-real-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make " + name);
  return name;
}

KubectlProgram::KubectlProgram(std::filesystem::path folder) : folder_(std::move(folder)) {}

KubectlAnswer KubectlProgram::run(const std::filesystem::path& kubeconfig,
                                  std::vector<std::string> arguments, const std::string& input) {
  const std::filesystem::path stem = next_stem();
  write_text(with_end(stem, ".in"), input);
  arguments.insert(arguments.begin(), "--request-timeout=20s");
  Process program({.words = words(kubeconfig, arguments),
                   .output = with_end(stem, ".out"),
                   .errors = with_end(stem, ".err"),
                   .input = with_end(stem, ".in")});
  KubectlAnswer answer{.exit_code = program.wait(60s).value_or(-1),
                       .output = read_text(with_end(stem, ".out")),
                       .errors = read_text(with_end(stem, ".err"))};
  for (const char* end : {".in", ".out", ".err"}) std::filesystem::remove(with_end(stem, end));
  return answer;
}

Process KubectlProgram::start(const std::filesystem::path& kubeconfig,
                              std::vector<std::string> arguments) {
  return Process({.words = words(kubeconfig, arguments), .output = with_end(next_stem(), ".out")});
}

std::filesystem::path KubectlProgram::next_stem() {
  return folder_ / ("kubectl-" + std::to_string(++calls_));
}

std::vector<std::string> KubectlProgram::words(const std::filesystem::path& kubeconfig,
                                               const std::vector<std::string>& arguments) const {
  std::vector<std::string> all{asset("kubectl").string(), "--kubeconfig", kubeconfig.string(),
                               "--cache-dir", (folder_ / "kubectl-cache").string()};
  all.insert(all.end(), arguments.begin(), arguments.end());
  return all;
}

}  // namespace nlc::real
