#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iostream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "tests/yaml_file.h"

/// Every case of election-informer.yaml is accounted for: a table runs it, a test proves it, or it
/// is listed as deviating with what we do instead.
namespace nlc::conformance {
namespace {

namespace fs = std::filesystem;

const std::string tree = NLC_SOURCE_DIR;

struct LedgerCase {
  std::string id;
  std::string area;
};

std::vector<LedgerCase> ledger_cases() {
  const yaml::Value file =
      tests::yaml_file(tree + "/tests/conformance/cases/election-informer.yaml");
  std::vector<LedgerCase> all;
  for (const yaml::Value& one : file["cases"].list) {
    all.push_back({one["id"].text, one["area"].text});
  }
  return all;
}

using Reasons = std::map<std::string, std::string>;

Reasons deviating() {
  const yaml::Value file = tests::yaml_file(NLC_CONFORMANCE_DIR "/deviations.yaml");
  return yaml::json_of(file["sentences"]);
}

std::map<std::string, std::vector<std::string>> proofs() {
  return yaml::json_of(tests::yaml_file(tree + "/tests/conformance/proofs.yaml"));
}

/// Whose table fails where a case neither holds nor is listed: tests/election/cases/case_test.cpp.
bool runs_in_a_table(const LedgerCase& one) {
  return one.area.starts_with("election-") || one.area == "sidecar";
}

/// "Suite.Name" of every test in this tree.
std::set<std::string> tests() {
  static const std::regex head(R"(TEST(?:_F|_P)?\(\s*(\w+),\s*(\w+)\))");
  std::set<std::string> names;
  for (const auto& entry : fs::recursive_directory_iterator(tree + "/tests")) {
    const std::string kind = entry.path().extension();
    if (kind != ".cpp" && kind != ".h") continue;  // contracts that several keep stand in headers
    std::ifstream in(entry.path());
    const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    for (std::sregex_iterator found(text.begin(), text.end(), head), end; found != end; ++found) {
      names.insert((*found)[1].str() + "." + (*found)[2].str());
    }
  }
  return names;
}

/// A test that is called after the case: AS_GET_01_…
bool is_named_by_a_test(const LedgerCase& one, const std::set<std::string>& names) {
  std::string prefix = one.id + "-";
  std::ranges::replace(prefix, '-', '_');
  return std::ranges::any_of(names, [&](const std::string& name) {
    return name.compare(name.find('.') + 1, prefix.size(), prefix) == 0;
  });
}

TEST(CaseLedger, EveryCaseHoldsOrIsListedAsDeviating) {
  const std::set<std::string> names = tests();
  const Reasons listed = deviating();
  const auto proven = proofs();
  std::size_t holding = 0;
  std::size_t deviate = 0;
  for (const LedgerCase& one : ledger_cases()) {
    const bool proof = proven.contains(one.id) || is_named_by_a_test(one, names);
    const bool deviates = listed.contains(one.id);
    EXPECT_FALSE(proof && deviates) << one.id << " is proven and listed as deviating";
    EXPECT_TRUE(proof || deviates || runs_in_a_table(one))
        << one.id << " is neither run, nor proven by a test, nor listed as deviating";
    ++(deviates ? deviate : holding);
  }
  EXPECT_EQ(holding + deviate, 262U);
  std::cout << "election-informer.yaml: " << holding + deviate << " cases, " << holding
            << " passed, " << deviate
            << " deviating (listed in tests/conformance/deviations.yaml)\n";
}

TEST(CaseLedger, NamesOnlyCasesAndTestsThatExist) {
  std::set<std::string> ids;
  for (const LedgerCase& one : ledger_cases()) ids.insert(one.id);
  const std::set<std::string> names = tests();
  for (const auto& [id, by] : proofs()) {
    EXPECT_TRUE(ids.contains(id)) << id;
    for (const std::string& name : by) EXPECT_TRUE(names.contains(name)) << id << ": " << name;
  }
  for (const auto& [id, reason] : deviating()) {
    EXPECT_TRUE(ids.contains(id)) << id;
    EXPECT_GT(reason.size(), 20U) << id << " has no reason";
  }
}

}  // namespace
}  // namespace nlc::conformance
