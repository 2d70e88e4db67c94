#pragma once

#include <gtest/gtest.h>
#include <string>
#include <utility>

#include "controller/pause/policy_in_force.h"
#include "tests/controller/objects.h"

namespace nlc::controller::testing {

/// The operator's policy, of which nothing is known yet, and what can be seen of it.
class PolicyTest : public ::testing::Test {
 protected:
  static api::ConfigMap says(std::string text) {
    return {.namespace_ = "kube-system",
            .name = "policy",
            .uid = "u",
            .resource_version = "1",
            .data = {{"pause", std::move(text)}}};
  }

  inline static const PolicyAccess listed{.lists = 1, .forbidden = false, .trouble = {}};
  inline static const PolicyAccess not_yet{};
  inline static const PolicyAccess away{.lists = 0, .forbidden = false, .trouble = "503"};
  inline static const PolicyAccess refused{.lists = 0, .forbidden = true, .trouble = "403"};

  PolicyInForce in_force;
};

}  // namespace nlc::controller::testing
