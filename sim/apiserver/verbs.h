#pragma once

#include <cstddef>

#include "runtime/clock.h"
#include "sim/apiserver/answers/representation.h"
#include "sim/apiserver/registry/registry.h"
#include "sim/apiserver/registry/repeated_writes.h"
#include "sim/apiserver/registry/storage.h"
#include "sim/apiserver/requests/read_options.h"
#include "sim/apiserver/requests/request_body.h"
#include "sim/apiserver/requests/request_info.h"

namespace nlc::sim {

/// The answers to everything but watches: what each verb on a known resource does and says.
class Verbs {
 public:
  Verbs(Storage& storage, Registry& registry, const Clock& clock)
      : storage_(storage), registry_(registry), clock_(clock), repeated_(storage) {}

  /// `asked.info.known` must be set.
  client::Response answer(const Asked& asked);

  /// A page of a list has no more than so many objects, whatever limit is asked for; 0: as many as
  /// the limit.
  void limit_pages(std::size_t objects) { most_on_a_page_ = objects; }

  /// The version a read waits for; 0 when it can be answered at once (a bad request can).
  static std::uint64_t awaited_version(const RequestInfo& info);

  static Shape shape_of(const Asked& asked);

 private:
  client::Response get(const Asked& asked);
  client::Response list(const Asked& asked);
  Outcome<std::uint64_t> exact_version(const Resource& resource, const ReadOptions& options,
                                       bool limited) const;
  client::Response page(const Asked& asked, const ReadOptions& options);
  client::Response create(const Asked& asked);
  client::Response update(const Asked& asked);
  client::Response patch(const Asked& asked);
  client::Response remove(const Asked& asked);
  client::Response remove_collection(const Asked& asked);
  client::Response pod_action(const Asked& asked, const WriteTarget& target,
                              const nlohmann::json& body);
  client::Response written(const Asked& asked, const Outcome<Written>& outcome);
  client::Response shown(const Asked& asked, int status, const ObjectRef& object);

  Storage& storage_;
  Registry& registry_;
  const Clock& clock_;
  RepeatedWrites repeated_;
  std::size_t most_on_a_page_ = 0;
};

client::Response refusal(const StatusError& error);

}  // namespace nlc::sim
