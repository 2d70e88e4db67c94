#pragma once

#include <string>
#include <vector>

#include "nlc/console/child.h"
#include "runtime/result.h"

namespace nlc::workbench {

/// The user's own kubectl, with his credentials whatever they are made of. Blocking: for commands
/// that have nothing else to do.
class Kubectl {
 public:
  struct Choice {
    std::string kubeconfig;
    std::string context;
    std::string namespace_;
  };
  /// Nothing: there is no kubectl in PATH.
  static std::optional<Kubectl> find(Choice choice);

  /// What it prints. The error is its own last words.
  Result<std::string> run(std::vector<std::string> words) const;

  /// A port of a pod on a free port of this machine, for as long as this lives.
  class Forward {
   public:
    std::string url() const { return "http://127.0.0.1:" + port_; }

   private:
    friend class Kubectl;
    Forward(ChildProcess child, std::string port)
        : child_(std::move(child)), port_(std::move(port)) {}
    ChildProcess child_;
    std::string port_;
  };
  Result<Forward> forward(const std::string& pod, int port) const;

 private:
  Kubectl(std::string program, Choice choice)
      : program_(std::move(program)), choice_(std::move(choice)) {}
  std::vector<std::string> command(std::vector<std::string> words) const;

  std::string program_;
  Choice choice_;
};

}  // namespace nlc::workbench
