#include "kubectl_suite.h"

#include <sstream>

namespace nlc::real {
namespace {

std::string without_end(std::string text) {
  text.erase(text.find_last_not_of(" \n") + 1);
  return text;
}

}  // namespace

std::unique_ptr<EmbeddedCluster> Kubectl::cluster_;

std::string Kubectl::done(const std::vector<std::string>& arguments, const std::string& input) {
  const KubectlAnswer answer = cluster_->kubectl(arguments, input);
  EXPECT_EQ(answer.exit_code, 0) << ::testing::PrintToString(arguments) << ": " << answer.errors;
  return without_end(answer.output);
}

std::string Kubectl::refused(const std::vector<std::string>& arguments, const std::string& input) {
  const KubectlAnswer answer = cluster_->kubectl(arguments, input);
  EXPECT_EQ(answer.exit_code, 1) << ::testing::PrintToString(arguments) << ": " << answer.output;
  return without_end(answer.errors);
}

std::vector<std::string> lines_of(const std::string& output) {
  std::vector<std::string> lines;
  std::istringstream text(output);
  for (std::string line; std::getline(text, line);) {
    std::istringstream words(line);
    std::string joined;
    for (std::string word; words >> word;) joined += (joined.empty() ? "" : " ") + word;
    lines.push_back(joined);
  }
  return lines;
}

}  // namespace nlc::real
