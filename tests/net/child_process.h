#pragma once

#include <csignal>
#include <gtest/gtest.h>
#include <spawn.h>
#include <string>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace nlc::tests {

/// A running program, one of whose outputs goes to a file of ours; killed with this value.
class ChildProcess {
 public:
  /// `words`: the program and its arguments. What it writes to `output` goes to `file`.
  ChildProcess(std::vector<std::string> words, int output, int file) {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, file, output);
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    EXPECT_EQ(posix_spawn(&pid_, arguments[0], &actions, nullptr, arguments.data(), environ), 0);
    posix_spawn_file_actions_destroy(&actions);
  }
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;
  ~ChildProcess() {
    if (ended_) return;
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }

  void terminate() const { kill(pid_, SIGTERM); }
  bool ended() {
    if (!ended_) ended_ = waitpid(pid_, &status_, WNOHANG) == pid_;
    return ended_;
  }
  /// -1 where a signal ended it.
  int exit_code() const { return WIFEXITED(status_) ? WEXITSTATUS(status_) : -1; }

 private:
  pid_t pid_ = 0;
  int status_ = 0;
  bool ended_ = false;
};

/// For an API server that asks nobody who he is.
inline std::string kubeconfig_for(const std::string& address) {
  return "apiVersion: v1\nkind: Config\ncurrent-context: c\n"
         "clusters: [{name: c, cluster: {server: 'http://" +
         address +
         "'}}]\n"
         "contexts: [{name: c, context: {cluster: c, user: u}}]\n"
         "users: [{name: u, user: {}}]\n";
}

}  // namespace nlc::tests
