#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include "client/endpoint.h"
#include "runtime/clock.h"
#include "runtime/executor.h"

namespace nlc::bench {

struct FeedOptions {
  std::uint32_t nodes = 1000;
  std::uint32_t pods_per_node = 10;
  Duration renewal_interval = std::chrono::seconds(10);
  double pod_changes_per_second = 0;
  std::filesystem::path recorded;  ///< what a real kube-apiserver said: list-nodes.json and so on
};

/// What an API server tells the watchers of a cluster at rest: the objects there are, each lease
/// renewed in its turn, pods that change, a bookmark a minute. The objects are recorded ones under
/// other names, managed fields and all. It keeps nothing and takes nothing in, so it can be a
/// hundred thousand nodes on a part of a core, which the embedded server cannot: that one decodes,
/// checks and stores every renewal. No operator has written a policy.
///
/// Events are acknowledged and forgotten; anything else is not found. On the executor's thread.
class Feed final : public client::Endpoint {
 public:
  /// Throws when a recorded answer cannot be read.
  Feed(Executor& executor, const Clock& clock, FeedOptions options);

  Subscription serve(client::IncomingRequest request,
                     std::unique_ptr<client::Reply> reply) override;

 private:
  enum Resource : std::size_t { Nodes, Leases, Pods, Policies };
  static constexpr std::array all{Nodes, Leases, Pods, Policies};

  /// What is told of one resource, as lines with placeholders such as @name, and who listens.
  struct Channel {
    std::string path;
    std::string added;
    std::string changed;
    std::string bookmark;
    std::string end_of_list;
    std::map<std::uint64_t, std::unique_ptr<client::Reply>> watchers;
  };

  Channel channel(Resource resource) const;
  Subscription watch(Resource resource, bool from_the_beginning,
                     std::unique_ptr<client::Reply> reply);
  std::uint32_t count(Resource resource) const;
  std::string line_of(const std::string& event, Resource resource, std::uint32_t index);
  std::string with_version(const std::string& event);
  void tell(Resource resource, std::string event);
  void tick();

  Executor& executor_;
  const Clock& clock_;
  const FeedOptions options_;
  std::array<Channel, all.size()> channels_;
  std::uint64_t version_ = 1'000'000;
  std::uint64_t next_watcher_ = 0;
  const Instant begun_;
  std::uint64_t renewed_ = 0;
  std::uint64_t pods_changed_ = 0;
  std::uint64_t minutes_told_ = 0;
  std::string now_;
  Timer next_;
};

}  // namespace nlc::bench
