#include "nlc/why/kubectl.h"

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <poll.h>
#include <sstream>
#include <unistd.h>

#include "net/process/temporary_folder.h"
#include "nlc/why/words.h"

namespace nlc::workbench {
namespace {

constexpr int step_ms = 20;
constexpr int timeout_ms = 15'000;
constexpr std::size_t lines_max = 1000;
constexpr std::string_view folder_prefix = "nlc-kubectl";
constexpr std::string_view forwarding = "Forwarding from 127.0.0.1:";

std::string text_of(const std::string& file) {
  std::ifstream stream(file);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

void wait_a_moment() { (void)::poll(nullptr, 0, step_ms); }

}  // namespace

std::optional<Kubectl> Kubectl::find(Choice choice) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    const std::string program = (folder.empty() ? "." : folder) + "/kubectl";
    if (::access(program.c_str(), X_OK) == 0) return Kubectl(program, std::move(choice));
  }
  return std::nullopt;
}

std::vector<std::string> Kubectl::command(std::vector<std::string> words) const {
  std::vector<std::string> command{program_, "--namespace=" + choice_.namespace_};
  if (!choice_.kubeconfig.empty()) command.push_back("--kubeconfig=" + choice_.kubeconfig);
  if (!choice_.context.empty()) command.push_back("--context=" + choice_.context);
  for (std::string& word : words) command.push_back(std::move(word));
  return command;
}

Result<std::string> Kubectl::run(std::vector<std::string> words) const {
  const net::TemporaryFolder folder(folder_prefix);
  if (!folder.path()) return folder.path().error();
  const std::string output = *folder.path() + "/output";
  Result<ChildProcess> child =
      ChildProcess::start({.words = command(std::move(words)), .output = output});
  if (!child) return std::move(child.error());
  for (int waited = 0; !child->exit_code(); waited += step_ms) {
    if (waited > timeout_ms) return Error{Fault::Timeout, "kubectl did not end within 15s"};
    wait_a_moment();
  }
  if (*child->exit_code() != 0)
    return Error{Fault::Unavailable, last_words(last_lines(output, lines_max))};
  return text_of(output);
}

Result<Kubectl::Forward> Kubectl::forward(const std::string& pod, int port) const {
  const net::TemporaryFolder folder(folder_prefix);
  if (!folder.path()) return folder.path().error();
  const std::string output = *folder.path() + "/output";
  Result<ChildProcess> child = ChildProcess::start(
      {.words =
           command({"port-forward", "pod/" + pod, std::string(":").append(std::to_string(port))}),
       .output = output});
  if (!child) return std::move(child.error());
  for (int waited = 0; waited <= timeout_ms; waited += step_ms) {
    const std::string said = text_of(output);
    const std::size_t at = said.find(forwarding);
    const std::size_t end = at == said.npos ? said.npos : said.find(' ', at + forwarding.size());
    if (end != said.npos) {
      const std::size_t begin = at + forwarding.size();
      return Forward(std::move(*child), said.substr(begin, end - begin));
    }
    if (child->exit_code())
      return Error{Fault::Unavailable, last_words(last_lines(output, lines_max))};
    wait_a_moment();
  }
  return Error{Fault::Timeout, "kubectl port-forward was not there within 15s"};
}

}  // namespace nlc::workbench
