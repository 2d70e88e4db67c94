#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/fuzz/day.h"
#include "sim/fuzz/draw.h"
#include "sim/fuzz/trouble.h"

namespace nlc::sim::fuzz {

/// Trouble that does harm only in its order: what happens between a backup and its restore, to
/// nodes that wait for one another, at a moment when nobody can see it. Drawn one by one such steps
/// would not meet in a million days. A story has nodes and pods of its own, in zones of its own,
/// and leaves the rest of the day as it is: it draws for itself.
class Stories {
 public:
  Stories(Day& day, const std::vector<std::string>& replicas, Trouble::Span span);

  void add();

 private:
  friend struct StoryKinds;

  /// A node of the story, Ready at first, in that zone or in the one of the story; its name.
  std::string node(std::string zone = {});
  std::string zone() const;
  /// It dies at `until`, or not at all in the day.
  void lives(const std::string& node, Duration from, Duration until);
  /// Seconds that it tolerates an outage of its node; its name.
  std::string pod(const std::string& node, std::string_view seconds = "0");
  /// With those tolerations, counted as what it tolerates; its name.
  std::string pod_with(const std::string& node, const std::string& tolerations,
                       const std::string& kind);
  std::string pod_tolerations(std::string_view seconds) const;
  /// After which a node is silent on this day.
  Duration grace() const;
  /// One step of the story.
  void step(std::string words);
  void step(Duration at, const std::string& words);
  void step(Duration from, Duration until, const std::string& words);
  Duration time(Duration low, Duration high) { return draw_.time(low, std::max(low, high)); }

  Draw draw_;
  Day& day_;
  const std::vector<std::string>& replicas_;
  const Trouble::Span span_;
  const char* kind_ = "";
  int story_ = 0;
  int nodes_ = 0;
  int pods_ = 0;
};

/// What each story is counted as, each once.
std::vector<std::string> story_names();

}  // namespace nlc::sim::fuzz
