#include "runtime/planted.h"

#ifdef NLC_PLANTED

#include <algorithm>
#include <array>
#include <cassert>

namespace nlc {
namespace {

constexpr std::array<Mistake, 43> all{{
    {"outage-is-silence", "time in which the server took no writes counts as silence"},
    {"no-settling-after-outage", "pods leave as soon as the server is back"},
    {"evicts-in-full-disruption", "that no node is Ready stops no eviction"},
    {"full-rate-in-partial-disruption", "a zone that is partly disrupted keeps its rate"},
    {"eviction-without-token", "NoExecute taints take no token of their zone"},
    {"unclear-token-given-back", "a write that may have been applied gives its token back"},
    {"tokens-add-up",
     "a token is put back although the bucket has refilled for others on their way"},
    {"gap-bridged-by-watches", "after a time without the server watches go on where they were"},
    {"ghosts-stay", "a node or pod that nobody finds stays for as long as its watch shows it"},
    {"deletes-namesakes", "a deletion does not name the uid of its pod"},
    {"taints-without-precondition", "taints are written over what others wrote meanwhile"},
    {"drops-taints-of-others", "a NoExecute taint takes the place of all others"},
    {"taint-never-cleared", "NoExecute taints stay on a node that is well again"},
    {"taint-not-swapped", "unreachable stays where it has to become not-ready"},
    {"cordon-overlooked", "a cordoned node gets no taint"},
    {"toleration-seconds-ignored", "tolerated for a time is not tolerated"},
    {"exists-does-not-tolerate", "the operator Exists tolerates nothing"},
    {"timer-outlives-taint", "a taint that goes stops no eviction"},
    {"evictions-never-held", "pods are evicted whatever is in doubt"},
    {"evicts-by-cached-node", "the node of a pod is not read before it is evicted"},
    {"pause-overlooked", "what an operator pauses goes on"},
    {"pace-overlooked", "pods leave as fast as they can, whatever an operator allows"},
    {"pods-stay-ready", "pods of a dead node stay Ready"},
    {"first-seen-is-silent", "a node that is seen first was silent since it was made"},
    {"stale-list-believed", "leases count that are older than what was watched or written"},
    {"lists-of-another-time-believed", "lists of a server that lags behind writes count"},
    {"rewind-overlooked", "a restored backup changes nothing"},
    {"no-settling-after-restore", "nodes are judged as soon as a restored server was listed"},
    {"listed-once-after-restore", "a second restore soon after the first is overlooked"},
    {"rewind-of-lock-overlooked", "the leader's lock does not show a restore"},
    {"first-leases-believed", "who starts after an outage takes old leases for silence"},
    {"no-new-grace-after-full-disruption", "after a full disruption nodes are judged by the past"},
    {"judged-by-cached-lease", "no lease is read before its node is judged silent"},
    {"taints-who-lives-again", "a node that renewed its lease in the queue gets its taint"},
    {"new-leader-begins-with-news", "what a leader left undone is not done by the next"},
    {"refused-pod-write-forgotten", "a write of a pod that was refused is not repeated"},
    {"tries-again-at-once", "what failed is tried again without a back-off"},
    {"vanished-zones-stay", "metrics go on telling of zones that are gone"},
    {"lock-claimed-after-rewind", "a lock is claimed at once after a restore"},
    {"leads-from-the-answer-on", "a lease counts from its answer on and not from its request"},
    {"late-release", "who stops releases a lock that another one holds"},
    {"lock-taken-early", "a lock is taken before its holder's time is over"},
    {"gate-never-closes", "who lost its lock goes on writing"},
}};

std::string_view chosen;

}  // namespace

std::span<const Mistake> mistakes() { return all; }

void plant(std::string_view name) {
  const auto found = std::ranges::find(all, name, &Mistake::name);
  assert(name.empty() || found != all.end());
  chosen = name.empty() ? std::string_view() : found->name;
}

bool planted(std::string_view name) { return chosen == name; }

}  // namespace nlc

#endif
