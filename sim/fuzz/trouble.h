#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "sim/fuzz/day.h"
#include "sim/fuzz/draw.h"

namespace nlc::sim::fuzz {

/// What goes wrong on a day: which kinds there are is drawn first, so that some days have one kind
/// alone and much of it.
class Trouble {
 public:
  struct Span {
    Duration from;
    Duration until;
  };
  Trouble(Draw& draw, Day& day, const std::vector<std::string>& nodes,
          const std::vector<std::string>& pods, const std::vector<std::string>& replicas, Span span)
      : draw_(draw), day_(day), nodes_(nodes), pods_(pods), replicas_(replicas), span_(span) {}

  void add();

 private:
  friend struct TroubleKinds;

  std::string at();
  /// "from: …, until: …", at most so long.
  std::string lasting(Duration most);
  std::string any_node();
  std::string any_pod();
  /// ", replica: a", or empty where there is one alone.
  std::string any_replica();
  /// One step of what is being added, in these words. A list, for its draws are made in its order.
  void step(std::initializer_list<std::string_view> words);

  Draw& draw_;
  Day& day_;
  const std::vector<std::string>& nodes_;
  const std::vector<std::string>& pods_;
  const std::vector<std::string>& replicas_;
  const Span span_;
};

/// What each kind of trouble is counted as, each once.
std::vector<std::string> trouble_names();

}  // namespace nlc::sim::fuzz
