#pragma once

#include <optional>
#include <string>
#include <utility>

namespace nlc::sim::rules {

/// One of the rules, and how it was broken.
struct Broken {
  std::string rule;  ///< one of `Rules::names()`
  std::string what;
};

/// The first rule that a day broke; what comes after it is its consequence.
class FirstBreach {
 public:
  void note(std::string rule, std::string what) {
    if (!broken_) broken_ = Broken{.rule = std::move(rule), .what = std::move(what)};
  }
  const std::optional<Broken>& broken() const { return broken_; }

 private:
  std::optional<Broken> broken_;
};

}  // namespace nlc::sim::rules
