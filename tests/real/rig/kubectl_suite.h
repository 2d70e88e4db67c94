#pragma once

#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

#include "embedded_cluster.h"

namespace nlc::real {

/// A person with kubectl before the embedded cluster. All tests share the cluster, for it takes
/// seconds to start; each keeps to nodes and namespaces of its own.
class Kubectl : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { cluster_ = std::make_unique<EmbeddedCluster>(); }
  static void TearDownTestSuite() { cluster_.reset(); }

  /// What it printed, without the last line's end; it must have exited with 0.
  static std::string done(const std::vector<std::string>& arguments, const std::string& input = "");

  /// What it complained of, without the last line's end; it must have exited with 1.
  static std::string refused(const std::vector<std::string>& arguments,
                             const std::string& input = "");

  static EmbeddedCluster& cluster() { return *cluster_; }

 private:
  static std::unique_ptr<EmbeddedCluster> cluster_;
};

/// A table as kubectl prints it: its lines, with single spaces between the columns.
std::vector<std::string> lines_of(const std::string& output);

}  // namespace nlc::real
