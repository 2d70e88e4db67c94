#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sim/kubelet/retry_queue.h"

namespace nlc::sim {

struct WorkloadOptions {
  std::string namespace_ = "hollow";
  std::string run = "1";  ///< the name of this run, see `run_annotation`
  std::uint32_t pods_per_node = 3;
  /// How long pods stay on a node that is not ready or unreachable; nothing: what the server gives
  /// every pod (300 s).
  std::optional<std::chrono::seconds> toleration;
};

/// What stands on the server because of us, and which object it was: another one of the same name
/// is left alone.
struct MadeObject {
  std::string path;
  std::string uid;  ///< empty: any
};

/// The pods of hollow nodes, in a namespace of their own. They are bound to their nodes at
/// creation, so no scheduler is needed, and the namespace's service account is made if nobody else
/// does.
class HollowWorkload {
 public:
  HollowWorkload(RetryQueue& requests, WorkloadOptions options);
  HollowWorkload(const HollowWorkload&) = delete;
  HollowWorkload& operator=(const HollowWorkload&) = delete;

  /// Makes the pods of one node: `<node>-0`, `<node>-1`, …; a pod that is there already stays.
  void place_on(const std::string& node);

  const std::vector<MadeObject>& made_pods() const { return made_pods_; }
  /// Namespace and service account, in the order of their making.
  const std::vector<MadeObject>& made_rooms() const { return made_rooms_; }

 private:
  void make_namespace();
  void make_service_account();
  void open();
  void make_pods(const std::string& node);
  struct Wanted {
    std::string collection;
    std::string name;
    std::string body;
  };
  /// Notes in `made` what was made by us; `then` runs once the object is there, by whomever.
  void make(
      Wanted wanted, std::vector<MadeObject>& made, std::function<void()> then = [] {});
  /// An object is there already: a create that went unanswered may have made it, or, of a pod, an
  /// earlier run that left it.
  void identify(const std::string& path, std::vector<MadeObject>& made, std::function<void()> then);

  RetryQueue& requests_;
  const WorkloadOptions options_;
  bool open_ = false;  ///< the namespace can take pods
  std::vector<std::string> nodes_waiting_;
  std::vector<MadeObject> made_rooms_;
  std::vector<MadeObject> made_pods_;
};

/// The request_ that deletes an object at once, and only that very one.
client::Request removal_of(const MadeObject& object);

}  // namespace nlc::sim
