#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "runtime/time.h"
#include "tests/real/rig/process.h"

namespace nlc::bench {

enum class Brand { Theirs, Ours };
enum class Limits { Lifted, Default };
enum class Election { Off, On };

/// What both are told alike.
struct Orders {
  std::filesystem::path kubeconfig;
  std::filesystem::path folder;  ///< for its log and what else it writes
  Duration grace{0};
  Limits limits = Limits::Lifted;
  Election election = Election::Off;
};

/// One controller under measurement, at work: kube-controller-manager with nothing but the two
/// controllers in question, or node-lifecycle-controller. Killed when this value ends.
class Contender {
 public:
  /// `name`: of its log, unlike any other's in the folder.
  Contender(Brand brand, const std::filesystem::path& program, const Orders& orders,
            const std::string& name);

  real::Process& process() { return process_; }
  /// All its lists are read: told by its log, or by its readiness page.
  bool synced() const;
  std::string last_words() const { return process_.last_lines(8); }

 private:
  const Brand brand_;
  int port_;
  real::Process process_;
};

/// Of the program, and of the Lease in kube-system by which its replicas elect their leader.
std::string_view name_of(Brand brand);

}  // namespace nlc::bench
