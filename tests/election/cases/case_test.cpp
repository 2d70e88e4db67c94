#include <algorithm>
#include <gtest/gtest.h>

#include "tests/election/cases/election_case.h"

namespace nlc::election::testing {
namespace {

class ElectionCases : public ::testing::TestWithParam<ElectionCase> {};

/// A deviation has to be one: what begins to hold leaves the list.
TEST_P(ElectionCases, HoldsOrIsListedAsDeviating) {
  const ElectionCase& one = GetParam();
  const Differences differences = run_case(one);
  const std::map<std::string, std::string> listed = deviations();
  if (listed.contains(one.id)) {
    EXPECT_FALSE(differences.empty()) << one.id << " holds, take it out of deviations.yaml";
    return;
  }
  for (const std::string& difference : differences) {
    ADD_FAILURE() << one.id << " (" << one.title << "): " << difference;
  }
}

INSTANTIATE_TEST_SUITE_P(Case, ElectionCases, ::testing::ValuesIn(election_cases()),
                         [](const auto& test) {
                           std::string name = test.param.id;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace nlc::election::testing
