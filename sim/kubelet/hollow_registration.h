#pragma once

#include <functional>
#include <string>

#include "sim/kubelet/hollow_machine.h"
#include "sim/kubelet/hollow_node.h"

namespace nlc::sim {

/// How a kubelet's Node comes to be: it is created, or the one that is there is adopted; tried
/// again until the server takes it. On the executor's thread.
class HollowRegistration {
 public:
  struct Env {
    HollowMachine& machine;
    const NodeIdentity& identity;
    std::function<NodeHealth()> health;
    std::function<void()> on_registered;
  };
  explicit HollowRegistration(Env env) : env_(std::move(env)) {}

  void begin();
  /// The kubelet died; an answer that comes later still tells whether the Node was made.
  void end();

  bool is_done() const { return registered_; }
  const std::string& uid() const { return uid_; }
  /// The Node is another one now.
  void set_uid(const std::string& uid) { uid_ = uid; }
  /// Why the server does not take the Node; empty while nothing is wrong.
  const std::string& refusal() const { return refusal_; }
  /// The Node was made by a hollow kubelet: this one, or one of an earlier run that left it.
  bool made_node() const { return made_node_; }
  /// A create was not answered, so that nobody knows.
  bool may_have_made_node() const { return node_in_doubt_; }
  /// The Node is there, and an earlier run's kubelet made it.
  void inherit_node() { made_node_ = true; }

 private:
  void register_node();
  void on_node_created(const Result<std::string>& answer);
  void identify_node();
  void adopt_node();
  void retry_registration();
  void done();

  const Env env_;
  Duration backoff_{0};
  std::string uid_;
  std::string refusal_;
  bool registered_ = false;
  bool made_node_ = false;
  bool node_in_doubt_ = false;
  Timer timer_;
};

}  // namespace nlc::sim
