#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/fuzz/day.h"
#include "sim/fuzz/draw.h"

namespace nlc::sim::fuzz {

/// Tells the stories of one day (stories.h), one function each. It draws for itself: its numbers
/// are others than those of the rest of the day.
class StoryTeller {
 public:
  StoryTeller(Day& day, const std::vector<std::string>& replicas, Span span)
      : draw_(day.seed ^ apart), day_(day), replicas_(replicas), span_(span) {}

  void add();

  // --- a zone dies, and its nodes wait for one another

  /// Nobody knows what became of their taints before watches tell.
  void unclear_taints();
  /// Their taints hang, one after the other, until the server answers again.
  void hanging_taints();
  /// Some of them live, and can say so by their leases alone.
  void leases_in_the_queue();
  /// Who leads is cut off while they wait, and leads again.
  void queue_of_who_leads_again();
  /// Whoever leads loses the lock while they wait, hears of all that happens, and leads again.
  void queue_of_who_lost_the_lock();

  // --- who comes back when nobody can see it

  /// The node is Ready again, and its watch does not tell; nor does its lease, where that stays as
  /// it is.
  void unseen_return();
  /// The controller ends with the taint that it writes, nobody can write for a while, the node
  /// comes back, and the next controller knows of nothing but the taint.
  void start_after_an_outage();
  /// A taint of others stands for a while beside ours, which its pods tolerate for ever: what ran
  /// for the one ends with it.
  void taint_that_goes();

  // --- what a backup brings back

  /// A taint that its node has outlived, over pods that had to wait for their turn.
  void taint_brought_back();
  /// A pod that tolerates nothing was evicted a moment after the backup. Nobody hears the first
  /// heartbeat of its node, which is lost with the restore: until the next one both are as they
  /// were then. Where no write of ours is taken nothing but what is listed shows the restore.
  void eviction_undone();
  /// What happened after the backup has not happened, and whoever is cut off does not see it. A
  /// node that dies later shows what is believed of it.
  void restored_while_cut_off();
  /// Nor does whoever has seen the first of two, when lists are slow.
  void restored_twice();
  /// Nor does whoever waits a lease for the first of two, and so writes nothing: when it reaches
  /// the server again that has come as far as it had been.
  void restored_while_nobody_leads();
  /// Nothing but the leader's own lease shows it: what is lost began with a write of that, and ends
  /// before the next. An observer's says nothing to the leader.
  void restored_between_renewals();
  /// What a cache kept back is lost before anybody has seen it, and so may be what came after that.
  void restored_behind_a_cache();
  /// Nobody hears its first heartbeat after a while, which is lost with the restore; the next one
  /// comes when its grace is over. One that was heard is lost as well: by that the restore shows.
  void restored_before_it_was_heard();
  /// The caches that nodes and pods are watched from follow later, but before nodes have had the
  /// time to say how they are. Versions have passed those that were lost: whoever listed in between
  /// would go on with what never was.
  void restored_before_its_caches();
  /// No watch can be opened, so none breaks off. A node renews its lease just before its grace is
  /// over, which is lost before leases are listed, and again when it has long been.
  void restored_without_watches();
  /// One server of several does not follow: all that it tells of leases is of a moment ago, for
  /// longer than a grace period, while what is written is taken. Streams begin there as well, wait,
  /// or cannot be opened; nothing in its answers shows it. One node dies meanwhile.
  void late_server();
  /// Nodes that are gone, and that a watch tells of once more, make their zone partly disrupted.
  void ghosts_in_a_zone();

  // --- who leads

  /// Between two leaders the lock is free, which is when the backup is made; who leads at the
  /// restore does not hear of it.
  void free_lock_brought_back();
  /// Its renewal is answered late, later ones are refused, and of the next leader it does not hear.
  void late_answer_to_a_renewal();

 private:
  static constexpr std::uint64_t apart = 0x9e3779b97f4a7c15;
  static constexpr const char* lock = "node-lifecycle-controller";
  static constexpr const char* zone_label = "topology.kubernetes.io/zone: ";

  /// A node of the story, Ready at first, in that zone or in the one of the story; its name.
  std::string new_node(std::string in = {});
  std::string zone() const { return "story-" + std::to_string(story_); }
  /// It dies at `until`, or not at all in the day.
  void lives(const std::string& node, Duration from, Duration until);
  /// Seconds that it tolerates an outage of its node; its name.
  std::string new_pod(const std::string& node, const std::string& seconds = "0");
  /// With those tolerations, counted as what it tolerates; its name.
  std::string pod_with(const std::string& node, const std::string& tolerations,
                       const std::string& kind);
  /// After which a node is silent on this day: each day's flags say it.
  Duration grace_period() const;
  /// All nodes of the story's zone at once, with a node elsewhere that lives: so they leave at the
  /// rate of the zone, which is slow.
  std::vector<std::string> zone_dies(Duration at, int count);
  /// Others, by whose heartbeats the server comes as far again as it was.
  void neighbours();
  /// Somebody leads again within seconds of a restore.
  void short_leases();
  /// No renewal is lost on the day, or late.
  void exact_kubelets();
  /// What users do and a restore undoes.
  std::string user_change(const std::string& node, const std::string& pod);
  std::string slow_lists();
  /// No replica reaches the server: its link is `down`, or `silent`.
  void cut_off(Duration from, Duration until, const std::string& how = "down");
  /// One step of the story.
  void step(std::string words);
  void step(Duration at, const std::string& words);
  void step(Duration from, Duration until, const std::string& words);
  Duration time(Duration low, Duration high) { return draw_.time(low, std::max(low, high)); }

  Draw draw_;
  Day& day_;
  const std::vector<std::string>& replicas_;
  const Span span_;
  const char* kind_ = "";
  int story_ = 0;
  int nodes_ = 0;
  int pods_ = 0;
};

}  // namespace nlc::sim::fuzz
